// Checks whether two loops compute the same, iteration by iteration, under other names.
//
//   %0 = reduce sum i1 in 0..6 {            %4 = reduce sum i3 in 0..6 {
//     %1 = load %x[i0, i1]                    %5 = load %x[i0, i3]
//     %2 = mul %1, %1                         %6 = mul %5, %5
//     yield %2                                yield %6
//   }                                       }
//
// Here %2 equals %6, and %0 equals %4.

#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loops/kernel.h"

namespace litz::loops {

/// Compares two loops or reductions of one kernel. The caller must know that nothing they read is
/// stored between them. The blocks must not change during the comparison.
class SameValues {
 public:
  struct Loop {
    std::span<const LoopVar> vars;
    const Block& block;
  };

  SameValues(const Kernel& kernel, Loop a, Loop b);

  /// True if the loops have the same extents, variable by variable.
  bool extents() const;

  /// True if value `a` of the first loop equals value `b` of the second in corresponding
  /// iterations.
  bool values(ValueId a, ValueId b);

  /// True if the first loop makes all checks of the second. Call it after `values` returned true
  /// for the results of the second.
  bool checks() const;

 private:
  using Definitions = std::unordered_map<ValueId, const Instr*>;

  static Definitions definitions(const Block& block);
  bool instrs(const Instr& a, const Instr& b);
  bool loads(const Instr& a, const Instr& b);
  bool optional(ValueId a, ValueId b);
  Expr renamed(Expr expr) const;

  const Kernel& kernel_;
  Loop a_;
  Loop b_;
  Definitions in_a_;
  Definitions in_b_;
  std::vector<std::pair<SymbolId, Expr>> renamed_;  ///< Variables of the first loop.
  std::map<std::pair<ValueId, ValueId>, bool> known_;
};

}  // namespace litz::loops
