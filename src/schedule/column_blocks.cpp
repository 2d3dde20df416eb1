// Reductions along columns read whole rows.
//
// A vector loop along j that reduces x[i, j] over i walks down a few columns at a time, and nearly
// every access touches a new page. With column blocks the loop processes many columns at a time,
// with a row of accumulators in the first cache, and reads long contiguous pieces of one row after
// another. The order of additions in each column does not change.

#include <algorithm>
#include <optional>

#include "loops/marks.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::ReduceKind;

// The fewest rows that are worth accumulators in memory instead of registers.
constexpr double kLeastRows = 64;
// Rows closer than this share pages and prefetches, so walking down a few columns is as fast.
constexpr double kLeastStepBytes = 512;

bool is_simple(const Instr& instr) {
  return instr.kind == InstrKind::constant || instr.kind == InstrKind::index ||
         instr.kind == InstrKind::op || instr.kind == InstrKind::load;
}

int64_t item_size_of(const Kernel& kernel, const Instr& access) {
  return item_size(kernel.buffers[static_cast<size_t>(access.buffer)].type.dtype);
}

/// Elements from one row of the load to the next, if constant.
std::optional<int64_t> row_step(const Instr& reduce, const Instr& load) {
  const auto linear = linear_in(loops::offset_of(load), reduce.vars.back().symbol.symbol());
  return linear ? linear->first.maybe_constant() : std::nullopt;
}

/// True if the load reads every element once, along the lanes of `loop`, with distant rows.
bool reads_rows(const Kernel& kernel, const Instr& loop, const Instr& reduce, const Instr& load) {
  const Expr offset = loops::offset_of(load);
  if (loops::has_computed_index(load)) return false;
  if (!loops::steps_by_one(offset, loops::lane_symbol(loop))) return false;
  for (const loops::LoopVar& var : loop.vars) {
    if (!mentions(offset, var.symbol.symbol())) return false;
  }
  const auto step = row_step(reduce, load);
  if (!step) return false;
  const auto bytes = static_cast<double>(std::abs(*step) * item_size_of(kernel, load));
  return bytes >= kLeastStepBytes;
}

bool reduces_columns(const Kernel& kernel, const Instr& loop, const Instr& reduce) {
  if (reduce.reduce == ReduceKind::argmax || reduce.reduce == ReduceKind::argmin ||
      reduce.reduce == ReduceKind::softmax) {
    return false;
  }
  const DType result = kernel.values[static_cast<size_t>(reduce.results[0])].dtype;
  if (result == DType::bool_ || loops::lanes_of(reduce) > 1) return false;
  double rows = 1;
  for (const loops::LoopVar& var : reduce.vars) rows *= estimate(var.extent);
  bool any = false;
  for (const Instr& instr : reduce.blocks[0]->instrs) {
    if (!is_simple(instr)) return false;
    if (instr.kind != InstrKind::load) continue;
    any = any || reads_rows(kernel, loop, reduce, instr);
  }
  return any && rows >= kLeastRows;
}

}  // namespace

bool is_column_reduction(const Kernel& kernel, const Instr& loop) {
  if (loop.kind != InstrKind::loop || loops::lanes_of(loop) == 1) return false;
  if (loops::is_tiled(loop)) return false;
  int reduces = 0;
  std::vector<loops::BufferId> stored;
  const auto reads_stored = [&](const Instr& instr) {
    return instr.kind == InstrKind::load && std::ranges::count(stored, instr.buffer) > 0;
  };
  for (const Instr& instr : loop.blocks[0]->instrs) {
    // Reductions must come before all stores, whatever precedes them.
    if (reads_stored(instr)) return false;
    if (instr.kind == InstrKind::reduce) {
      if (!reduces_columns(kernel, loop, instr)) return false;
      if (std::ranges::any_of(instr.blocks[0]->instrs, reads_stored)) return false;
      ++reduces;
    } else if (instr.kind == InstrKind::store) {
      stored.push_back(instr.buffer);
    } else if (!is_simple(instr)) {
      return false;
    }
  }
  return reduces > 0;
}

void choose_column_blocks(Kernel& kernel) {
  for (Instr& loop : kernel.body.instrs) {
    if (!is_column_reduction(kernel, loop)) continue;
    loop.vars.back().is_tiled = true;
    for (const Instr& reduce : loop.blocks[0]->instrs) {
      if (reduce.kind != InstrKind::reduce) continue;
      for (Instr& load : reduce.blocks[0]->instrs) {
        if (load.kind == InstrKind::load && load.predicate == loops::kNoValue &&
            reads_rows(kernel, loop, reduce, load)) {
          load.marks.ahead = *row_step(reduce, load);
        }
      }
    }
  }
}

}  // namespace litz::schedule
