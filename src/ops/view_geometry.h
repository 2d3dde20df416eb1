// Geometry of views: sizes, strides and offsets of tensors that share the storage of another.
//
// All functions are symbolic. An undecided question gets the answer of PyTorch's shape functions
// for sizes that are traced as distinct and above one.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/call.h"
#include "types/tensor_type.h"

namespace litz::ops {

/// Replaces the single -1 in `sizes` by the rest of `numel`; throws "shape is invalid for input of
/// size" if the product cannot match.
Sizes complete_sizes(std::span<const Expr> sizes, Expr numel);

/// Strides that view a tensor with `type`'s geometry under `sizes` without moving data; nothing if
/// there are none.
std::optional<Sizes> view_strides(const TensorType& type, std::span<const Expr> sizes);

/// The reshaped tensor as a view, if possible.
std::optional<TensorType> viewed(const TensorType& type, std::span<const Expr> sizes);
/// The same for a call. If dense memory is viewed under sizes with a number of elements that is not
/// known to be equal, as in x.view(n, 2, m // 2) of sizes [n, m], the call requires equality.
std::optional<TensorType> viewed_by(const Call& call, const TensorType& type,
                                    std::span<const Expr> sizes);

TensorType permuted(const TensorType& type, std::span<const int64_t> dims);
TensorType transposed(const TensorType& type, int64_t dim0, int64_t dim1);
/// Size-1 (or equal) dimensions get stride 0; -1 keeps a size; leading dimensions may be added.
TensorType expanded(const TensorType& type, std::span<const Expr> sizes);
TensorType unsqueezed(const TensorType& type, int64_t dim);
/// Drops the given dimensions that are known to have size 1.
TensorType squeezed(const TensorType& type, std::span<const int64_t> dims);
/// Drops `dim` at `index`; negative constants count from the end; a known violation throws.
TensorType selected(const TensorType& type, int64_t dim, Expr index);
/// The same for the arguments `dim` and `index` of a call, which requires that the index is in
/// range.
TensorType selected_by(const Call& call, const TensorType& type);
/// PyTorch's slice: start and end wrap, then clamp to the size; step >= 1.
TensorType sliced(const TensorType& type, int64_t dim, std::optional<Expr> start,
                  std::optional<Expr> end, Expr step);
/// Elements [start, start + length) of `dim`, not clamped.
TensorType narrowed(const TensorType& type, int64_t dim, Expr start, Expr length);
TensorType diagonal_of(const TensorType& type, int64_t offset, int64_t dim1, int64_t dim2);
/// Windows of `size` with step `step` along `dim`, as a new last dimension.
TensorType unfolded(const TensorType& type, int64_t dim, Expr size, Expr step);

/// Consecutive parts of `dim` of the given lengths.
std::vector<TensorType> split_by_sizes(const TensorType& type, int64_t dim,
                                       std::span<const Expr> lengths);
/// The lengths of pieces of `length` that cover `total` (the last may be shorter); both constant.
std::vector<Expr> piece_lengths(int64_t total, int64_t length);

}  // namespace litz::ops
