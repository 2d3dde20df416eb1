// Computes the maximum of a row and the sum of exponentials relative to it in one pass over the
// row.
//
//   %0 = reduce max j in 0..s0 { x[i, j] }
//   %1 = reduce sum k in 0..s0 { exp(x[i, k] - %0) }   =>   %0, %1 = reduce softmax j { x[i, j] }
//
// This is not part of fusion, because it depends on keep_rows. If the exponentials are needed again
// and the row fits the stack, the sum stores them: one pass less saves less than computing them
// twice costs. Plans keep both reductions, so interpreted plans check this rewrite.

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;
using loops::ReduceKind;
using loops::ScalarOp;
using loops::ValueId;

/// The value that the sum subtracts: the maximum, or zero if that is infinite (as in logsumexp,
/// which adds it again).
struct Shift {
  ValueId is_infinite = loops::kNoValue;  ///< None: the maximum itself.
};

class SoftmaxPairer {
 public:
  explicit SoftmaxPairer(loops::Kernel& kernel) : kernel_(kernel) {}

  void run() { visit(kernel_.body, true); }

 private:
  void visit(Block& block, bool is_top) {
    note(block);
    for (size_t b = 1; b < block.instrs.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (pair(block, a, b)) {
          --b;  // An instruction less, at most: the next one may have come here.
          break;
        }
      }
    }
    for (Instr& instr : block.instrs) {
      if (is_top && is_column_reduction(kernel_, instr)) continue;
      for (const auto& nested : instr.blocks) visit(*nested, false);
    }
  }

  /// Adds the definitions of the block to those of surrounding blocks.
  void note(const Block& block) {
    for (const Instr& instr : block.instrs) {
      for (const ValueId result : instr.results) definitions_[result] = &instr;
    }
  }

  const Instr* definition(ValueId id) const {
    const auto found = definitions_.find(id);
    return found == definitions_.end() ? nullptr : found->second;
  }

  bool is_zero(ValueId id) const {
    const Instr* instr = definition(id);
    if (instr == nullptr || instr->kind != InstrKind::constant) return false;
    const auto* real = std::get_if<double>(&instr->literal);
    return real != nullptr && *real == 0;
  }

  std::optional<Shift> shift_of(ValueId subtracted, ValueId largest) const {
    if (subtracted == largest) return Shift{};
    const Instr* select = definition(subtracted);
    if (!loops::is_op(select, ScalarOp::select) || select->operands[2] != largest)
      return std::nullopt;
    const Instr* is_infinite = definition(select->operands[0]);
    if (!loops::is_op(is_infinite, ScalarOp::is_inf) || is_infinite->operands[0] != largest ||
        !is_zero(select->operands[1])) {
      return std::nullopt;
    }
    return Shift{select->operands[0]};
  }

  bool pair(Block& block, size_t at_a, size_t at_b) {
    const Instr& a = block.instrs[at_a];
    const Instr& b = block.instrs[at_b];
    if (a.kind != InstrKind::reduce || a.reduce != ReduceKind::max || b.kind != InstrKind::reduce ||
        b.reduce != ReduceKind::sum) {
      return false;
    }
    const Block& added = *b.blocks[0];
    const Instr* exp = loops::find_definition(added, added.yields[0]);
    if (!loops::is_op(exp, ScalarOp::exp)) return false;
    const Instr* difference = loops::find_definition(added, exp->operands[0]);
    if (!loops::is_op(difference, ScalarOp::sub)) return false;
    const std::optional<Shift> shift = shift_of(difference->operands[1], a.results[0]);
    if (!shift || !is_worth(b) || !computes_same(a, b, difference->operands[0]) ||
        !stores_nothing(block, at_a, at_b + 1)) {
      return false;
    }
    replace(block, at_a, at_b, *shift);
    return true;
  }

  /// For rows of unknown length, the generated code decides.
  bool is_worth(const Instr& sum) const {
    double length = 1;
    for (const loops::LoopVar& var : sum.vars) {
      if (!var.extent.maybe_constant()) return true;
      length *= estimate(var.extent);
    }
    return length >= kLeastSoftmaxSteps * loops::lanes_of(sum);
  }

  bool computes_same(const Instr& a, const Instr& b, ValueId value) const {
    if ((loops::lanes_of(a) > 1) != (loops::lanes_of(b) > 1)) return false;
    loops::SameValues same = same_values(kernel_, a, b);
    return same.extents() && same.values(a.blocks[0]->yields[0], value);
  }

  void replace(Block& block, size_t at_a, size_t at_b, Shift shift) {
    Instr& a = block.instrs[at_a];
    Instr& b = block.instrs[at_b];
    a.reduce = ReduceKind::softmax;
    std::vector<Instr> after;
    if (shift.is_infinite == loops::kNoValue) {
      a.results.push_back(b.results[0]);
    } else {
      a.results.push_back(new_value(a.results[0]));
      after = sum_of_infinite(a, b.results[0], shift);
    }
    a.vars.back().lanes = loops::lanes_of(b);
    std::vector<Instr> instrs;
    instrs.reserve(block.instrs.size() + after.size());
    for (size_t i = 0; i < block.instrs.size(); ++i) {
      if (i != at_b) {
        instrs.push_back(std::move(block.instrs[i]));
      } else {
        for (Instr& instr : after) instrs.push_back(std::move(instr));
      }
    }
    block.instrs = std::move(instrs);
    note(block);
  }

  /// Relative to zero, a sum of exponentials of minus infinities is 0, and one with infinity is
  /// infinite: the exponential of the maximum.
  std::vector<Instr> sum_of_infinite(const Instr& pair, ValueId result, Shift shift) {
    std::vector<Instr> made(2);
    made[0].op = ScalarOp::exp;
    made[0].operands = {pair.results[0]};
    made[0].results = {new_value(pair.results[0])};
    made[1].op = ScalarOp::select;
    made[1].operands = {shift.is_infinite, made[0].results[0], pair.results[1]};
    made[1].results = {result};
    return made;
  }

  ValueId new_value(ValueId like) {
    std::vector<loops::ValueInfo>& values = kernel_.values;
    values.push_back(values[static_cast<size_t>(like)]);
    return static_cast<ValueId>(values.size()) - 1;
  }

  loops::Kernel& kernel_;
  std::unordered_map<ValueId, const Instr*> definitions_;
};

}  // namespace

void pair_softmax(loops::Kernel& kernel) { SoftmaxPairer(kernel).run(); }

}  // namespace litz::schedule
