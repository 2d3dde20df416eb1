#include "loops/deviations.h"

#include <cmath>

#include "loops/instrs.h"
#include "loops/same_values.h"

namespace litz::loops {
namespace {

bool is_sum(const Instr& instr) {
  return instr.kind == InstrKind::reduce && instr.reduce == ReduceKind::sum;
}

/// True if dividing by the constant (or multiplying) turns the sum into a mean.
bool is_count(const Instr* constant, const Instr& sum, bool divides) {
  if (constant == nullptr || constant->kind != InstrKind::constant) return false;
  const auto* number = std::get_if<double>(&constant->literal);
  double count = 1;
  for (const LoopVar& var : sum.vars) {
    const auto extent = var.extent.maybe_constant();
    if (!extent) return false;
    count *= static_cast<double>(*extent);
  }
  if (number == nullptr || count < 1) return false;
  const double mean_of = divides ? *number : 1 / *number;
  return std::abs(mean_of - count) <= 1e-6 * count;
}

}  // namespace

const Instr* sum_of_mean(const Kernel& kernel, const Block& block, const Instr& squares) {
  if (!is_sum(squares)) return nullptr;
  const Block& added = *squares.blocks[0];
  const Instr* square = find_definition(added, added.yields[0]);
  if (!is_op(square, ScalarOp::mul) || square->operands[0] != square->operands[1]) return nullptr;
  const Instr* difference = find_definition(added, square->operands[0]);
  if (!is_op(difference, ScalarOp::sub)) return nullptr;
  const Instr* mean = find_definition(block, difference->operands[1]);
  const bool divides = is_op(mean, ScalarOp::div);
  if (!divides && !is_op(mean, ScalarOp::mul)) return nullptr;
  const Instr* sum = find_definition(block, mean->operands[0]);
  if (sum == nullptr || !is_sum(*sum)) return nullptr;
  const Instr* count = find_definition(block, mean->operands[1]);
  if (count == nullptr) count = find_definition(kernel.body, mean->operands[1]);
  if (!is_count(count, *sum, divides)) return nullptr;
  SameValues same(kernel, {sum->vars, *sum->blocks[0]}, {squares.vars, added});
  const bool is_same =
      same.extents() && same.values(sum->blocks[0]->yields[0], difference->operands[0]);
  return is_same ? sum : nullptr;
}

}  // namespace litz::loops
