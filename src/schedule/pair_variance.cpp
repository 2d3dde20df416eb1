// Mean and squared deviations of the same columns, from one pass over their rows.
//
//   %0 = reduce sum k { x[k, j] }
//   %1 = div %0, 4096
//   %2 = reduce sum l { (x[l, j] - %1)^2 }     gathered while %0 is
//
// Deviations are taken from a mean that is corrected part by part (Welford's recurrence for parts, as
// Chan, Golub and LeVeque give it), which loses no digits. Rows of columns come from memory each time;
// single rows mostly stay in a cache for their second pass, which then costs less.

#include <algorithm>
#include <cmath>

#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;
using loops::ReduceKind;
using loops::ScalarOp;
using loops::ValueId;

const Instr* find(const Block& block, ValueId id) {
  for (const Instr& instr : block.instrs) {
    if (std::ranges::find(instr.results, id) != instr.results.end()) return &instr;
  }
  return nullptr;
}

bool is_op(const Instr* instr, ScalarOp op) {
  return instr != nullptr && instr->kind == InstrKind::op && instr->op == op;
}

bool is_sum(const Instr& instr) {
  return instr.kind == InstrKind::reduce && instr.reduce == ReduceKind::sum;
}

class VariancePairer {
 public:
  VariancePairer(Schedule& schedule, const Block& block) : schedule_(schedule), block_(block) {}

  void run() {
    for (const Instr& instr : block_.instrs) {
      if (!is_sum(instr)) continue;
      if (const Instr* sum = sum_of_mean(instr)) {
        schedule_.deviations.push_back({&instr, sum});
      }
    }
  }

 private:
  /// The sum whose mean the reduction subtracts before it squares; null if it is none of this kind.
  const Instr* sum_of_mean(const Instr& squares) const {
    const Block& added = *squares.blocks[0];
    const Instr* square = find(added, added.yields[0]);
    if (!is_op(square, ScalarOp::mul) || square->operands[0] != square->operands[1]) return nullptr;
    const Instr* difference = find(added, square->operands[0]);
    if (!is_op(difference, ScalarOp::sub)) return nullptr;
    const Instr* mean = find(block_, difference->operands[1]);
    const bool divides = is_op(mean, ScalarOp::div);
    if (!divides && !is_op(mean, ScalarOp::mul)) return nullptr;
    const Instr* sum = find(block_, mean->operands[0]);
    if (sum == nullptr || !is_sum(*sum) || !is_count(mean->operands[1], *sum, divides)) {
      return nullptr;
    }
    loops::SameValues same = same_values(schedule_, *sum, squares);
    const bool is_same =
        same.extents() && same.values(sum->blocks[0]->yields[0], difference->operands[0]);
    return is_same ? sum : nullptr;
  }

  /// Whether dividing by the value (or multiplying) makes a mean of the sum.
  bool is_count(ValueId value, const Instr& sum, bool divides) const {
    const Instr* constant = find(block_, value);
    if (constant == nullptr) constant = find(schedule_.kernel.body, value);
    if (constant == nullptr || constant->kind != InstrKind::constant) return false;
    const auto* number = std::get_if<double>(&constant->literal);
    double count = 1;
    for (const loops::LoopVar& var : sum.vars) {
      const auto extent = var.extent.maybe_constant();
      if (!extent) return false;
      count *= static_cast<double>(*extent);
    }
    if (number == nullptr || count < 1) return false;
    const double mean_of = divides ? *number : 1 / *number;
    return std::abs(mean_of - count) <= 1e-6 * count;
  }

  Schedule& schedule_;
  const Block& block_;
};

}  // namespace

void pair_variance(Schedule& schedule) {
  for (const Instr& loop : schedule.kernel.body.instrs) {
    if (schedule.column_blocks.contains(&loop)) VariancePairer(schedule, *loop.blocks[0]).run();
  }
}

}  // namespace litz::schedule
