// Rows that several loops load stay in the registers of the threads that load them.
//
//   for i0 in 0..16384 {                       a thread of 128 takes 4 chunks of 8 elements of a
//     reduce max i1 in 0..4096 { load %x }     row. It loads them once, all at the same time: the
//     reduce sum i2 in 0..4096 { load %x }  => memory is busy, and the later loops find the values
//     for i3 in 0..4096 { load %x  store }     in registers.
//   }

#include <algorithm>
#include <map>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/blocks/block_rewriting.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;

/// Registers of a thread that rows may take.
constexpr int64_t kMostRowBytes = 192;
constexpr int kMostChunks = 8;

/// The elements of a row that a loop walks along: loads with equal ones have equal values.
struct RowKey {
  loops::BufferId buffer = -1;
  Expr begin;
  int64_t extent = 0;
  int width = 1;

  bool operator==(const RowKey&) const = default;
};

struct Row {
  RowKey key;
  std::vector<const Instr*> loads;
  std::vector<const Instr*> loops;
};

/// True if the loads of the loop could be kept: it has one variable of a known extent.
bool has_rows(const Schedule& schedule, const Instr& instr) {
  return schedule.width_of(instr) > 1 && instr.vars.size() == 1 &&
         instr.vars[0].extent.is_constant();
}

void add_loads(const Schedule& schedule, const Instr& loop, std::vector<Row>& rows) {
  for (const Instr& load : loop.blocks[0]->instrs) {
    const bool is_bound = static_cast<size_t>(load.buffer) < schedule.bound_buffers;
    if (load.kind != InstrKind::load || !is_bound || !schedule.wide.contains(&load) ||
        loops::has_computed_index(load)) {
      continue;
    }
    const RowKey key{load.buffer, loops::offset_of(load) - loop.vars[0].symbol,
                     loop.vars[0].extent.constant(), schedule.width_of(loop)};
    auto found = std::ranges::find(rows, key, &Row::key);
    if (found == rows.end()) found = rows.insert(rows.end(), Row{.key = key});
    found->loads.push_back(&load);
    found->loops.push_back(&loop);
  }
}

bool is_stored(const Instr& phase, loops::BufferId buffer) {
  bool is = false;
  loops::for_each_inside(phase, [&](const Instr& instr) {
    is |= instr.kind == InstrKind::store && instr.buffer == buffer;
  });
  return is;
}

}  // namespace

void keep_rows_in_registers(Schedule& schedule, const Phase& phase) {
  if (phase.block.team == 1 || phase.block.has_columns) return;
  const Instr& loop = *schedule.loop_of(phase);
  if (divided_vars(schedule, loop).size() != loop.vars.size()) return;
  std::vector<Row> rows;
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (has_rows(schedule, instr)) add_loads(schedule, instr, rows);
  }
  int64_t bytes = 0;
  for (const Row& row : rows) {
    if (row.loads.size() < 2 || is_stored(loop, row.key.buffer)) continue;
    const int64_t step = int64_t{row.key.width} * phase.block.team;
    const int64_t chunks = (row.key.extent + step - 1) / step;
    const DType dtype = schedule.kernel.buffers[static_cast<size_t>(row.key.buffer)].type.dtype;
    const int64_t own = chunks * row.key.width * item_size(dtype);
    if (chunks > kMostChunks || bytes + own > kMostRowBytes) continue;
    bytes += own;
    for (const Instr* load : row.loads) schedule.kept_row_of[load] = schedule.kept_rows.size();
    for (const Instr* around : row.loops) schedule.chunks[around] = static_cast<int>(chunks);
    schedule.kept_rows.push_back({row.loads[0], row.loops[0], static_cast<int>(chunks)});
  }
}

}  // namespace litz::schedule
