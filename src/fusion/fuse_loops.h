// Makes one loop of two loops of a block.
//
//   for i0 in 0..8, i1 in 0..16 { store %s[i0, i1], %2 }
//   for i2 in 0..8 { %3 = reduce sum i3 in 0..16 { load %s[i2, i3] ... } ... }
// =>
//   for i0 in 0..8 {
//     for i1 in 0..16 { store %s[i0, i1], %2 }
//     %3 = reduce sum i3 in 0..16 { load %s[i0, i3] ... }
//   }
//
// Allowed where an iteration of the second loop reads only what the same iteration of the first one
// stores. Where it reads the very element, it takes the value instead. Loops that count in different
// steps are split until they agree: 0..32 becomes 0..2, 0..16.

#pragma once

#include <optional>
#include <vector>

#include "fusion/fusion.h"
#include "loops/kernel.h"

namespace litz::fusion {

/// What two loops have in common once both are split.
struct Alignment {
  std::vector<loops::LoopVar> common;
  std::vector<loops::LoopVar> first_rest;  ///< Inner loops of the first one.
  std::vector<loops::LoopVar> second_rest;
  std::vector<std::pair<SymbolId, Expr>> first_values;  ///< What their variables are now.
  std::vector<std::pair<SymbolId, Expr>> second_values;
};

/// At most `limit` common loops, outermost first. Adds symbols where loops are split.
Alignment align(ExprPool& pool, const std::vector<loops::LoopVar>& first,
                const std::vector<loops::LoopVar>& second, size_t limit);

/// Makes one loop of block.instrs[first] and [second], and of loops in them where values pass from
/// one to the other; or says why not. The block must be in the kernel.
std::optional<Reason> fuse_loops(loops::Kernel& kernel, loops::Block& block, size_t first,
                                 size_t second, const machine::Machine& machine);

/// Loads in and behind block.instrs[split] of elements that the block itself stored before take the
/// value instead.
void forward_stores(loops::Block& block, size_t split);

}  // namespace litz::fusion
