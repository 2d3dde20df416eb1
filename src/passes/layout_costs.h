// What it costs to read or write a value in another layout, in moves: how many times more all its
// elements are read or written. A copy that goes away saves two.
//
// Prices, and what functions of the library do with their operands, are the machine's: on a CPU calls
// rearrange their operands anyway, along rows or columns at one price; loop nests whose operands
// disagree about the innermost dimension transpose blocks on the way, which is about one more move.

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

/// Lanes of a loop nest follow the memory that it walks, and the order of a sum follows the lanes.
enum class Sums : uint8_t {
  keep,     ///< Loop nests go on walking along the dimension that they walk along.
  reorder,  ///< They may walk along another, which changes the rounding of sums.
};

class LayoutCosts {
 public:
  LayoutCosts(const ir::Graph& graph, const PassContext& context, Sums sums)
      : constants_(graph, context), machine_(context.machine), sums_(sums) {}

  /// Of a reader other than views, once its operand lies as `now` instead of as `old`.
  double reading(const ir::UseSite& use, const TensorType& old, const TensorType& now) const;
  /// Of the node, once this result lies as `now`; kNever where the node decides by itself.
  double writing(ir::Value result, const TensorType& old, const TensorType& now) const;

 private:
  double product_reading(const ir::UseSite& use, const machine::FunctionFacts& facts,
                         const TensorType& old, const TensorType& now) const;

  double loop_moves(const TensorType& old, const TensorType& now) const;

  ConstantValues constants_;
  const machine::Machine& machine_;
  Sums sums_;
};

}  // namespace litz::passes
