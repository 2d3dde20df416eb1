// Fuses two loops of a block.
//
//   for i0 in 0..8, i1 in 0..16 { store %s[i0, i1], %2 }
//   for i2 in 0..8 { %3 = reduce sum i3 in 0..16 { load %s[i2, i3] ... } ... }
// =>
//   for i0 in 0..8 {
//     for i1 in 0..16 { store %s[i0, i1], %2 }
//     %3 = reduce sum i3 in 0..16 { load %s[i0, i3] ... }
//   }
//
// Legal if an iteration of the second loop reads only elements that the same iteration of the first
// one stores. If it reads exactly the stored element, it uses the value instead of a load. Loops
// with different steps are split until they agree: 0..32 becomes 0..2, 0..16.

#pragma once

#include <optional>
#include <vector>

#include "fusion/fusion.h"
#include "loops/kernel.h"

namespace litz::fusion {

/// The common part of two loops after both are split.
struct Alignment {
  std::vector<loops::LoopVar> common;
  std::vector<loops::LoopVar> first_rest;  ///< Inner loops of the first one.
  std::vector<loops::LoopVar> second_rest;
  std::vector<std::pair<SymbolId, Expr>> first_values;  ///< The new values of its variables.
  std::vector<std::pair<SymbolId, Expr>> second_values;
};

/// Returns at most `limit` common loops, outermost first. Adds symbols where loops are split.
Alignment align(ExprPool& pool, const std::vector<loops::LoopVar>& first,
                const std::vector<loops::LoopVar>& second, size_t limit);

/// Fuses block.instrs[first] and [second], and loops inside them that pass values; or returns why
/// not. The block must be in the kernel.
std::optional<Reason> fuse_loops(loops::Kernel& kernel, loops::Block& block, size_t first,
                                 size_t second, const machine::Machine& machine);

/// Replaces loads in and after block.instrs[split] by values that the block itself stored before.
void forward_stores(loops::Block& block, size_t split);

}  // namespace litz::fusion
