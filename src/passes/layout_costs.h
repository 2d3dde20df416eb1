// The cost of reading or writing a value in another layout. The unit is a move: one more read or
// write of all its elements. Removing a copy saves two.
//
// Prices, and how library functions access their operands, depend on the machine. On a CPU, calls
// pack their operands anyway, along rows or columns at the same price; loop nests whose operands
// disagree about the innermost dimension transpose blocks, which costs about one more move.

#pragma once

#include <limits>
#include <optional>

#include "passes/constant_values.h"

namespace litz::passes {

/// The price of a change that would alter results or has no kernel.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// The dimension along which elements are adjacent in memory; nothing if there is none. The last
/// one for values of at most one element, which are adjacent along every dimension.
std::optional<size_t> innermost_dim(const TensorType& type);

/// True for a dense image of at least two spatial dimensions whose channels are adjacent, and which
/// is not contiguous as well.
bool has_channels_innermost(const TensorType& type);

/// Vector lanes of a loop nest follow the memory that it walks, and the order of a sum follows the
/// lanes.
enum class Sums : uint8_t {
  keep,     ///< Loop nests keep the dimension along which they walk.
  reorder,  ///< They may choose another, which changes the rounding of sums.
};

class LayoutCosts {
 public:
  LayoutCosts(const ir::Graph& graph, const PassContext& context, Sums sums)
      : constants_(graph, context), machine_(context.machine), sums_(sums) {}

  /// The cost to a reader other than a view of the operand's layout `now` instead of `old`.
  double reading(const ir::UseSite& use, const TensorType& old, const TensorType& now) const;
  /// The cost to the node of writing this result as `now`; kNever if it chooses the layout itself.
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
