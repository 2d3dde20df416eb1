// Geometry of views: sizes, strides and offsets of tensors that share the storage of another.
//
// All functions are symbolic. Where a question cannot be decided for every value of the symbols,
// they answer as PyTorch's shape functions do for sizes that are traced as distinct and above one.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/call.h"
#include "types/tensor_type.h"

namespace litz::ops {

/// Replaces the single -1 in `sizes` by what `numel` leaves for it; throws "shape is invalid for
/// input of size" when the product cannot match.
Sizes complete_sizes(std::span<const Expr> sizes, Expr numel);

/// Strides that show a tensor of `type`'s geometry under `sizes` without moving data; nothing when
/// none exist.
std::optional<Sizes> view_strides(const TensorType& type, std::span<const Expr> sizes);

/// The tensor reshaped as a view where possible.
std::optional<TensorType> viewed(const TensorType& type, std::span<const Expr> sizes);
/// The same for a call. Where dense memory is shown under sizes of which it cannot be told that they
/// hold as many elements, as in x.view(n, 2, m // 2) of sizes [n, m], the call requires it.
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
/// The same by the arguments `dim` and `index` of a call, which requires that the index fits.
TensorType selected_by(const Call& call, const TensorType& type);
/// PyTorch's slice: start and end wrap, then clamp to the size; step >= 1.
TensorType sliced(const TensorType& type, int64_t dim, std::optional<Expr> start,
                  std::optional<Expr> end, Expr step);
/// Elements [start, start + length) of `dim`, not clamped.
TensorType narrowed(const TensorType& type, int64_t dim, Expr start, Expr length);
TensorType diagonal_of(const TensorType& type, int64_t offset, int64_t dim1, int64_t dim2);
/// Windows of `size` every `step` along `dim`, as a new last dimension.
TensorType unfolded(const TensorType& type, int64_t dim, Expr size, Expr step);

/// Consecutive parts of `dim` of the given lengths.
std::vector<TensorType> split_by_sizes(const TensorType& type, int64_t dim,
                                       std::span<const Expr> lengths);
/// Lengths of pieces of `length` that cover `total` (the last may be shorter); both constant.
std::vector<Expr> piece_lengths(int64_t total, int64_t length);

}  // namespace litz::ops
