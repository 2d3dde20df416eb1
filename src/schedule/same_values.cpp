#include "schedule/same_values.h"

#include <bit>

namespace litz::schedule {

using loops::Instr;
using loops::InstrKind;
using loops::ValueId;

namespace {

/// To the bit: zeros differ by their sign, and NaN is itself.
bool same_literals(const loops::Literal& a, const loops::Literal& b) {
  const auto* real_a = std::get_if<double>(&a);
  const auto* real_b = std::get_if<double>(&b);
  if (real_a == nullptr || real_b == nullptr) return a == b;
  return std::bit_cast<uint64_t>(*real_a) == std::bit_cast<uint64_t>(*real_b);
}

}  // namespace

SameValues::SameValues(const Schedule& schedule, const Instr& a, const Instr& b)
    : schedule_(schedule),
      a_(a),
      b_(b),
      in_a_(definitions(*a.blocks[0])),
      in_b_(definitions(*b.blocks[0])) {
  for (size_t i = 0; i < std::min(a.vars.size(), b.vars.size()); ++i) {
    renamed_.emplace_back(a.vars[i].symbol.symbol(), b.vars[i].symbol);
  }
}

SameValues::Definitions SameValues::definitions(const loops::Block& block) {
  Definitions found;
  for (const Instr& instr : block.instrs) {
    for (const ValueId result : instr.results) found.emplace(result, &instr);
  }
  return found;
}

bool SameValues::extents() const {
  if (a_.vars.size() != b_.vars.size()) return false;
  for (size_t i = 0; i < a_.vars.size(); ++i) {
    if (!exprs(a_.vars[i].extent, b_.vars[i].extent)) return false;
  }
  return true;
}

bool SameValues::values(ValueId a, ValueId b, double& cost) {
  const auto in_a = in_a_.find(a);
  const auto in_b = in_b_.find(b);
  // What neither loop computes is the same for both.
  if (in_a == in_a_.end() && in_b == in_b_.end()) return a == b;
  if (in_a == in_a_.end() || in_b == in_b_.end() || dtype(a) != dtype(b)) return false;
  const auto [known, is_new] = known_.try_emplace({a, b}, -1);
  if (is_new) {
    double own = 0;
    if (operations(*in_a->second, *in_b->second, own)) known->second = own;
  }
  if (known->second < 0) return false;
  cost += known->second;
  return true;
}

bool SameValues::operations(const Instr& a, const Instr& b, double& cost) {
  if (a.kind != b.kind || a.operands.size() != b.operands.size()) return false;
  switch (a.kind) {
    case InstrKind::constant:
      return same_literals(a.literal, b.literal);
    case InstrKind::index:
      return exprs(a.expr, b.expr);
    case InstrKind::op:
      if (a.op != b.op) return false;
      break;
    case InstrKind::bound_index:
      if (!exprs(a.expr, b.expr) || a.flag != b.flag || a.text != b.text) return false;
      break;
    case InstrKind::load:
      if (!loads(a, b, cost)) return false;
      break;
    case InstrKind::store:
    case InstrKind::loop:
    case InstrKind::reduce:
    case InstrKind::sort:
      return false;
  }
  cost += weight(a);
  for (size_t i = 0; i < a.operands.size(); ++i) {
    if (!values(a.operands[i], b.operands[i], cost)) return false;
  }
  return true;
}

bool SameValues::loads(const Instr& a, const Instr& b, double& cost) {
  if (a.buffer != b.buffer) return false;
  const Access& at_a = schedule_.accesses.at(&a);
  const Access& at_b = schedule_.accesses.at(&b);
  if (at_a.computed.size() != at_b.computed.size() || !exprs(at_a.offset, at_b.offset)) {
    return false;
  }
  for (size_t i = 0; i < at_a.computed.size(); ++i) {
    if (!exprs(at_a.computed[i].second, at_b.computed[i].second) ||
        !values(at_a.computed[i].first, at_b.computed[i].first, cost)) {
      return false;
    }
  }
  return optional(a.predicate, b.predicate, cost) && optional(a.other, b.other, cost);
}

bool SameValues::optional(ValueId a, ValueId b, double& cost) {
  if (a == loops::kNoValue || b == loops::kNoValue) return a == b;
  return values(a, b, cost);
}

bool SameValues::exprs(Expr a, Expr b) const { return substitute(a, renamed_) == b; }

DType SameValues::dtype(ValueId id) const {
  return schedule_.kernel.values[static_cast<size_t>(id)].dtype;
}

}  // namespace litz::schedule
