// Whether two loops of one block compute the same, iteration by iteration.

#pragma once

#include <map>
#include <unordered_map>
#include <utility>

#include "schedule/rewriting.h"

namespace litz::schedule {

/// Compares what the blocks of two loops compute. Nothing that the loops read may be stored between
/// them; that is the caller's to know.
class SameValues {
 public:
  /// Loops or reductions with one block each.
  SameValues(const Schedule& schedule, const loops::Instr& a, const loops::Instr& b);

  /// The loops count the same, variable by variable.
  bool extents() const;

  /// Value `a` of the first loop is value `b` of the second in equal iterations. Adds what computing
  /// it costs (weight()).
  bool values(loops::ValueId a, loops::ValueId b, double& cost);

 private:
  using Definitions = std::unordered_map<loops::ValueId, const loops::Instr*>;

  static Definitions definitions(const loops::Block& block);
  bool operations(const loops::Instr& a, const loops::Instr& b, double& cost);
  bool loads(const loops::Instr& a, const loops::Instr& b, double& cost);
  bool optional(loops::ValueId a, loops::ValueId b, double& cost);
  bool exprs(Expr a, Expr b) const;
  DType dtype(loops::ValueId id) const;

  const Schedule& schedule_;
  const loops::Instr& a_;
  const loops::Instr& b_;
  Definitions in_a_;
  Definitions in_b_;
  std::vector<std::pair<SymbolId, Expr>> renamed_;  ///< Variables of the first loop.
  /// What pairs of values cost; negative where they differ.
  std::map<std::pair<loops::ValueId, loops::ValueId>, double> known_;
};

}  // namespace litz::schedule
