// Result types shared by many operators: promotion, broadcasting and PyTorch's stride rules.

#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ops/call.h"
#include "types/tensor_type.h"

namespace litz::ops {

/// torch.result_type of the named arguments: within a category, tensors with dimensions outrank
/// rank-0 tensors, which outrank literals. Skips absent arguments.
DType promoted_dtype(const Call& call, std::initializer_list<std::string_view> names);
/// The same for the Tensor arguments of the schema and its Scalars without default: alpha, slopes
/// and other Scalars with a default follow the tensors.
DType promoted_dtype(const Call& call);
/// The same for tensor types only.
DType promoted_dtype(std::span<const TensorType> types);
/// Integers and bool become the default floating dtype f32.
DType floating_dtype(DType dtype);

/// The broadcast shape; throws "shapes cannot be broadcast" with both. A data-dependent size is
/// assumed to equal another one.
Sizes broadcast_sizes(std::span<const Sizes> shapes);
Sizes broadcast_sizes(std::span<const Expr> a, std::span<const Expr> b);

/// The type of an elementwise result with PyTorch's strides (TensorIterator): equal layouts of
/// operands are kept, and others are permuted consistently.
TensorType elementwise_type(DType dtype, std::span<const TensorType> operands);
/// The same for those of the named arguments that are given, tensors converted to `dtype` and
/// numbers, in the order in which PyTorch's kernel takes them: of two layouts, the first is kept.
TensorType elementwise_type(DType dtype, const Call& call,
                            std::initializer_list<std::string_view> names);

/// The type of a *_like, clone or cast result that preserves the input's layout: the input's
/// strides if non-overlapping and dense, else those of an elementwise result.
TensorType preserved_type(DType dtype, const TensorType& input, std::optional<MemoryFormat> format);

/// The type of an operand in the dtype in which PyTorch computes: a conversion makes the elements
/// dense, so that an operand which had gaps or shared elements counts with other strides.
TensorType converted_type(DType dtype, const TensorType& input);
/// The type of an elementwise result of operands that are converted to its dtype first.
TensorType elementwise_in(DType dtype, std::vector<TensorType> operands);
/// The same of two values: a step of several, from which a layout follows.
TensorType joined_type(DType dtype, const TensorType& a, const TensorType& b);

/// Sizes after reducing dims (sorted, non-negative).
Sizes reduced_sizes(std::span<const Expr> sizes, std::span<const int64_t> dims, bool keepdim);

namespace meta {
// --- Meta functions for OpDef

/// Elementwise over the arguments of promoted_dtype(call).
TensorType elementwise(const Call& call);
/// The same with integers promoted to f32.
TensorType elementwise_floating(const Call& call);
/// Both for operators without a complex form.
TensorType elementwise_real(const Call& call);
TensorType elementwise_real_floating(const Call& call);
/// Elementwise with a promoted dtype that must be floating (derivatives of activations).
TensorType elementwise_floating_only(const Call& call);
/// Elementwise with a bool result.
TensorType elementwise_bool(const Call& call);
/// Elementwise over `self` alone; keeps its dtype.
TensorType like_self(const Call& call);
TensorType floating_like_self(const Call& call);
TensorType bool_like_self(const Call& call);
/// Over `self` alone, rejecting complex; the second converts integers to f32.
TensorType real_like_self(const Call& call);
TensorType real_floating_like_self(const Call& call);
/// Elementwise over `self`, which must be floating, not complex.
TensorType floating_only(const Call& call);
/// A contiguous reduction of `self` over `dim` and `keepdim` (absent: all, false); keeps its dtype.
TensorType reduction(const Call& call);
/// The same with `dtype` if given, otherwise int64 for integers and bool (sum, prod).
TensorType accumulation(const Call& call);
TensorType bool_reduction(const Call& call);
TensorType index_reduction(const Call& call);
}  // namespace meta

}  // namespace litz::ops
