// Indexing by tensors: the dimensions that they replace, and their position in the result.
//
// Indices are broadcast together. Their dimensions replace the indexed dimensions at the first
// one's position if these are adjacent, and otherwise come first. A boolean mask of rank k indexes
// k dimensions; the number of its true elements is a data-dependent size.

#pragma once

#include <string_view>
#include <vector>

#include "ops/bodies.h"

namespace litz::ops {

struct AdvancedIndex {
  struct Indexed {
    size_t dim = 0;       ///< Dimension of the input.
    size_t position = 0;  ///< Position in the list of index tensors.
  };

  std::vector<Indexed> indexed;  ///< Integer indices, by dimension.
  std::vector<bool> is_indexed;  ///< By dimension of the input.
  Sizes shape;                   ///< The sizes of the broadcast indices.
  size_t place = 0;              ///< The position of `shape` in the result.

  Sizes result_sizes(const TensorType& self) const { return arranged(self.sizes, shape); }

  /// Numbers of the result's dimensions, from those of the input's and of the indices'.
  Sizes arranged(std::span<const Expr> of_self, std::span<const Expr> of_shape) const;
  /// Dense; the layout follows that of the input, in which the indices repeat elements.
  TensorType result_type(const TensorType& self) const;
  /// The coordinates in the input (argument `name`) of a result element; emits the index loads and
  /// checks. For integer indices only.
  loops::IndexVector source(NestCall& call, std::string_view name, loops::Exprs index) const;
};

/// Reads arguments `self` and `indices` of the call. Throws Error for indices that do not fit.
AdvancedIndex advanced_index(const Call& call);

/// Throws Error for masks and narrow integers, which operators that are called unsafe do not take.
void require_plain_indices(const Call& call);

/// One index vector of length `count` per dimension of a boolean mask.
std::vector<ir::Value> mask_positions(const DecomposeCall& call, ir::Value mask, Expr count);

/// The list `indices` with masks replaced by index vectors. `result_sizes` tells how many elements
/// a mask selects; an empty span creates a fresh symbol.
std::vector<ir::Value> integer_indices(const DecomposeCall& call,
                                       std::span<const Expr> result_sizes);

}  // namespace litz::ops
