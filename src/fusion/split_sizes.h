// Into how many parts a reduction is split.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loops/kernel.h"
#include "machine/machine.h"

namespace litz::fusion {

/// Variables before number `split` count parts as they are; that one is counted in `parts` times
/// `length`, which leaves `rest` (with one element more where a rest must not be empty).
struct SplitSizes {
  size_t split = 0;
  Expr parts;
  Expr length;
  Expr rest;
};

/// Nothing where the variables cannot be split well. Reductions of fewer than `least` elements make
/// no parts of their own: where sizes are symbols, `parts` is an expression of them that is 1 then.
/// Depends on nothing but the arguments, so the order of a sum follows from its sizes.
std::optional<SplitSizes> split_sizes(const std::vector<loops::LoopVar>& vars,
                                      loops::ReduceKind kind, int64_t least,
                                      const machine::Machine& machine);

}  // namespace litz::fusion
