// What it costs to read or write a value in another layout, in moves: how many times more all its
// elements are read or written. A copy that goes away saves two.
//
// Figures are those of this project's kernels: library calls rearrange their operands anyway, along
// rows or columns at one price; loop nests whose operands disagree about the innermost dimension
// transpose blocks on the way, which is about one more move.

#pragma once

#include <limits>
#include <optional>

#include "passes/constant_values.h"

namespace litz::passes {

/// Of what would change results or has no kernel.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// The dimension along which elements are neighbours; nothing where there is none. Values of at most
/// one element are neighbours along all dimensions, so it is the last one.
std::optional<size_t> innermost_dim(const TensorType& type);

class LayoutCosts {
 public:
  LayoutCosts(const ir::Graph& graph, const PassContext& context) : constants_(graph, context) {}

  /// Of a reader other than views, once its operand lies as `now` instead of as `old`.
  double reading(const ir::UseSite& use, const TensorType& old, const TensorType& now) const;
  /// Of the node, once this result lies as `now`; kNever where the node decides by itself.
  static double writing(ir::Value result, const TensorType& old, const TensorType& now);

 private:
  double product_reading(const ir::UseSite& use, const TensorType& old,
                         const TensorType& now) const;

  ConstantValues constants_;
};

}  // namespace litz::passes
