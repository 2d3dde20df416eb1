// Whether two loops compute the same, iteration by iteration, under other names.
//
//   %0 = reduce sum i1 in 0..6 {            %4 = reduce sum i3 in 0..6 {
//     %1 = load %x[i0, i1]                    %5 = load %x[i0, i3]
//     %2 = mul %1, %1                         %6 = mul %5, %5
//     yield %2                                yield %6
//   }                                       }
//
// Here %2 and %6 are the same, and so are %0 and %4.

#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loops/kernel.h"

namespace litz::loops {

/// Two loops or reductions of one kernel. Nothing that they read may be stored between them; that is
/// the caller's to know. The blocks must stay as they are while they are compared.
class SameValues {
 public:
  struct Loop {
    std::span<const LoopVar> vars;
    const Block& block;
  };

  SameValues(const Kernel& kernel, Loop a, Loop b);

  /// The loops count the same, variable by variable.
  bool extents() const;

  /// Value `a` of the first loop is value `b` of the second in equal iterations.
  bool values(ValueId a, ValueId b);

  /// All that the second loop checks, the first one checks. Call after `values` held for what the
  /// second one is for.
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
