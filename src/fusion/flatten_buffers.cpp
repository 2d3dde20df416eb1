// Replaces indices of digits, which reads through views create, by a flat buffer.
//
//   load %x[(6*i0 + i1)//2, (6*i0 + i1) mod 2]  of f32[12, 2]   =>   load %x[6*i0 + i1]  of f32[24]

#include <algorithm>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/instrs.h"
#include "types/address.h"

namespace litz::fusion {
namespace {

using loops::Index;
using loops::Instr;

bool divides(Expr expr) {
  if (expr.kind() == ExprKind::floor_div || expr.kind() == ExprKind::mod) return true;
  return !expr.is_constant() && !expr.is_symbol() && std::ranges::any_of(expr.operands(), divides);
}

std::vector<Expr> expr_indices(const Instr& instr) {
  std::vector<Expr> indices;
  for (const Index& index : instr.indices) {
    if (const auto* expr = std::get_if<Expr>(&index)) indices.push_back(*expr);
  }
  return indices;
}

struct Judgement {
  bool is_possible = true;
  bool is_useful = false;
};

Judgement judge(const Instr& instr, const TensorType& type) {
  const std::vector<Expr> indices = expr_indices(instr);
  if (indices.size() < instr.indices.size()) return {false, false};
  if (divides(address_of(type, 0, indices))) return {false, false};
  return {true, std::ranges::any_of(indices, divides)};
}

/// The whole extent of the type as one dimension, if it has elements for certain.
std::optional<TensorType> flat(const TensorType& type, Expr offset) {
  Expr span = 1;
  for (size_t d = 0; d < type.rank(); ++d) {
    if (bounds(type.sizes[d]).lo < 1 || bounds(type.strides[d]).lo < 0) return std::nullopt;
    span = span + (type.sizes[d] - 1) * type.strides[d];
  }
  TensorType result = contiguous_type(type.dtype, {span}, type.device);
  result.offset = offset;
  return result;
}

}  // namespace

void flatten_buffers(lowering::KernelStep& step) {
  std::vector<Judgement> judgements(step.buffers.size());
  for_each_instr(step.kernel.body, [&](const Instr& instr) {
    if (instr.buffer < 0) return;
    const auto buffer = static_cast<size_t>(instr.buffer);
    const Judgement own = judge(instr, step.kernel.buffers[buffer].type);
    judgements[buffer].is_possible = judgements[buffer].is_possible && own.is_possible;
    judgements[buffer].is_useful = judgements[buffer].is_useful || own.is_useful;
  });
  for (size_t i = 0; i < judgements.size(); ++i) {
    if (!judgements[i].is_possible || !judgements[i].is_useful) continue;
    TensorType& type = step.kernel.buffers[i].type;
    const auto target = flat(type, step.buffers[i].offset());
    if (!target) continue;
    edit_each_instr(step.kernel.body, [&](Instr& instr) {
      if (instr.buffer != static_cast<loops::BufferId>(i)) return;
      instr.indices = {Index(address_of(type, 0, expr_indices(instr)))};
    });
    if (step.buffers[i].slot != kNoSlot) step.buffers[i].restrided = *target;
    type = *target;
    type.offset = 0;
  }
}

}  // namespace litz::fusion
