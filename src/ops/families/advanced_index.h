// Indexing by tensors: which dimensions they replace, and where the result's dimensions stand.
//
// Indices are broadcast together. Their dimensions stand where the first indexed dimension was when
// the indexed dimensions are neighbours, else in front. A boolean mask of rank k indexes k
// dimensions; the number of its true elements is a data-dependent size.

#pragma once

#include <string_view>
#include <vector>

#include "ops/bodies.h"

namespace litz::ops {

struct AdvancedIndex {
  struct Indexed {
    size_t dim = 0;       ///< Dimension of the input.
    size_t position = 0;  ///< In the list of index tensors.
  };

  std::vector<Indexed> indexed;  ///< Integer indices, by dimension.
  std::vector<bool> is_indexed;  ///< By dimension of the input.
  Sizes shape;                   ///< Of the broadcast indices.
  size_t place = 0;              ///< Where `shape` stands in the result.

  Sizes result_sizes(const TensorType& self) const;
  /// The coordinates in the input (argument `name`) of a result element; emits the index loads and
  /// checks. Integer indices only.
  loops::IndexVector source(NestCall& call, std::string_view name, loops::Exprs index) const;
};

/// Reads arguments `self` and `indices` of the call. Throws Error for indices that do not fit.
AdvancedIndex advanced_index(const Call& call);

/// One vector of positions per dimension of a boolean mask, `count` long.
std::vector<ir::Value> mask_positions(const DecomposeCall& call, ir::Value mask, Expr count);

/// The list `indices` with masks replaced by position vectors; `result_sizes` tells how many
/// elements a mask selects (a fresh symbol is made where it does not: pass an empty span).
std::vector<ir::Value> integer_indices(const DecomposeCall& call,
                                       std::span<const Expr> result_sizes);

}  // namespace litz::ops
