// Stores of several neighbours at a time where rows do not begin at multiples of them.
//
//   for i in 0..4096, j in 0..50257       bf16      a thread takes 8 elements of the whole tensor:
//     load %x at [50264*i + j]                  =>  8 loads, which the cache joins, and one store
//     store %y at [50257*i + j]                     of 16 bytes

#include <algorithm>
#include <optional>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/blocks/block_rewriting.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;

constexpr int64_t kAccessBytes = 16;
/// Stores of wider elements fill whole accesses of memory already, a thread's after its neighbour's.
constexpr int64_t kMostItem = 2;

/// The number of an iteration, in row-major order.
Expr number_of(const Instr& loop) {
  Expr number(0);
  for (const loops::LoopVar& var : loop.vars) number = number * var.extent + var.symbol;
  return number;
}

bool is_access(const Instr& instr) {
  return instr.kind == InstrKind::load || instr.kind == InstrKind::store;
}

/// True if iterations that follow each other access neighbours, from a multiple of `width` on.
bool is_flat(const Instr& access, Expr number, int width) {
  if (access.predicate != loops::kNoValue || loops::has_computed_index(access)) return false;
  const std::optional<int64_t> begin = (loops::offset_of(access) - number).maybe_constant();
  return begin && *begin % width == 0;
}

}  // namespace

void choose_flat_stores(Schedule& schedule, Phase& phase) {
  const Instr& loop = *schedule.loop_of(phase);
  const std::vector<Instr>& body = loop.blocks[0]->instrs;
  const bool is_pointwise =
      loop.carried.empty() &&
      std::ranges::all_of(body, [](const Instr& instr) { return instr.blocks.empty(); });
  if (!is_pointwise || phase.block.team != 1 || phase.square_rows || schedule.width_of(loop) > 1 ||
      divided_vars(schedule, loop).size() != loop.vars.size()) {
    return;
  }
  const auto item = [&](const Instr& access) {
    return item_size(schedule.kernel.buffers[static_cast<size_t>(access.buffer)].type.dtype);
  };
  int64_t widest = 0;
  for (const Instr& access : body) {
    if (access.kind == InstrKind::store) widest = std::max(widest, item(access));
  }
  if (widest == 0 || widest > kMostItem) return;
  // Narrower elements share an access.
  const auto width = static_cast<int>(std::min<int64_t>(8, kAccessBytes / widest));
  const Expr number = number_of(loop);
  std::vector<const Instr*> flat;
  for (const Instr& access : body) {
    if (!is_access(access)) continue;
    if (is_flat(access, number, width)) {
      flat.push_back(&access);
    } else if (access.kind == InstrKind::store) {
      return;
    }
  }
  const bool combines = std::ranges::any_of(
      flat, [](const Instr* access) { return access->mode != loops::StoreMode::assign; });
  if (combines) return;
  schedule.widths[&loop] = width;
  schedule.flat.insert(&loop);
  schedule.wide.insert(flat.begin(), flat.end());
  set_grain(schedule, phase);
}

}  // namespace litz::schedule
