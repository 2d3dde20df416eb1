// Chooses the number of parts of a reduction.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loops/kernel.h"
#include "machine/machine.h"

namespace litz::fusion {

/// Variables before number `split` count parts unchanged. Variable `split` becomes `parts` times
/// `length`, with `rest` elements left over (and one more if the rest must not be empty).
struct SplitSizes {
  size_t split = 0;
  Expr parts;
  Expr length;
  Expr rest;
};

/// Returns nullopt if no split of the variables is good. Reductions of fewer than `least` elements
/// are not split: with symbolic sizes, `parts` is an expression that is 1 for these. Depends only
/// on the arguments, so the order of a sum follows from its sizes.
std::optional<SplitSizes> split_sizes(const std::vector<loops::LoopVar>& vars,
                                      loops::ReduceKind kind, int64_t least,
                                      const machine::Machine& machine);

}  // namespace litz::fusion
