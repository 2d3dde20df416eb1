// Result types shared by many operators: promotion, broadcasting and PyTorch's stride rules.

#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ops/call.h"
#include "types/tensor_type.h"

namespace litz::ops {

/// torch.result_type over the named arguments: tensors with dimensions outrank rank-0 tensors,
/// which outrank literals, within a category. Absent arguments are skipped.
DType promoted_dtype(const Call& call, std::initializer_list<std::string_view> names);
/// The same over the Tensor arguments of the schema and its Scalars without default: alpha, slopes
/// and other Scalars that have one follow the tensors.
DType promoted_dtype(const Call& call);
/// The same over tensor types alone.
DType promoted_dtype(std::span<const TensorType> types);
/// Integers and bool become the default floating dtype f32.
DType floating_dtype(DType dtype);

/// The broadcast shape; throws "shapes cannot be broadcast" naming both. An unbacked size against
/// another is taken as equal.
Sizes broadcast_sizes(std::span<const Sizes> shapes);
Sizes broadcast_sizes(std::span<const Expr> a, std::span<const Expr> b);

/// The strides an elementwise result has in PyTorch (TensorIterator): from the operands' strides,
/// so that equal layouts are kept and others permuted consistently.
TensorType elementwise_type(DType dtype, std::span<const TensorType> operands);

/// Strides of a *_like, clone or cast result that preserves the input's layout: the input's own
/// when non-overlapping and dense, else as an elementwise result of it.
TensorType preserved_type(DType dtype, const TensorType& input, std::optional<MemoryFormat> format);

/// Sizes after reducing dims (sorted, non-negative).
Sizes reduced_sizes(std::span<const Expr> sizes, std::span<const int64_t> dims, bool keepdim);

namespace meta {
// Ready-made metas for OpDef.

/// Elementwise over the arguments that promoted_dtype(call) reads.
TensorType elementwise(const Call& call);
/// The same with integers promoted to f32.
TensorType elementwise_floating(const Call& call);
/// The same two for operators without a complex form.
TensorType elementwise_real(const Call& call);
TensorType elementwise_real_floating(const Call& call);
/// Elementwise where the promoted dtype must be floating (derivatives of activations).
TensorType elementwise_floating_only(const Call& call);
/// Elementwise with a bool result.
TensorType elementwise_bool(const Call& call);
/// Elementwise of `self` alone, dtype kept.
TensorType like_self(const Call& call);
TensorType floating_like_self(const Call& call);
TensorType bool_like_self(const Call& call);
/// Of `self` alone, complex refused; the second turns integers into f32.
TensorType real_like_self(const Call& call);
TensorType real_floating_like_self(const Call& call);
/// Elementwise of `self`, which must be floating (complex is refused too).
TensorType floating_only(const Call& call);
/// A reduction of `self` over `dim` and `keepdim` (absent: all, false), dtype kept; contiguous.
TensorType reduction(const Call& call);
/// The same with `dtype` if given, else int64 for integers and bool (sum, prod).
TensorType accumulation(const Call& call);
TensorType bool_reduction(const Call& call);
TensorType index_reduction(const Call& call);
}  // namespace meta

}  // namespace litz::ops
