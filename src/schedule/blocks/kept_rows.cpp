// Rows that several loops load, or that one stores and others load, stay in the registers of the
// threads that take them.
//
//   for i0 in 0..16384 {                       a thread of 128 takes 4 chunks of 8 elements of a
//     reduce max i1 in 0..4096 { load %x }     row. It loads them once, all at the same time: the
//     reduce sum i2 in 0..4096 { load %x }  => memory is busy, and the later loops find the values
//     for i3 in 0..4096 { load %x  store }     in registers.
//   }
//
// A load of the first element of a stored row takes it from the first thread.

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
  const Instr* store = nullptr;  ///< Gives the row, if it is not loaded first.
  std::vector<const Instr*> loads;
  std::vector<const Instr*> loops;  ///< Around the store and the loads.
};

/// True if the loads of the loop could be kept: it has one variable of a known extent.
bool has_rows(const Schedule& schedule, const Instr& instr) {
  return schedule.width_of(instr) > 1 && instr.vars.size() == 1 &&
         instr.vars[0].extent.is_constant();
}

void add_rows(const Schedule& schedule, const Instr& loop, std::vector<Row>& rows) {
  for (const Instr& access : loop.blocks[0]->instrs) {
    const bool is_store = access.kind == InstrKind::store;
    const bool is_bound = static_cast<size_t>(access.buffer) < schedule.bound_buffers;
    if ((access.kind != InstrKind::load && !is_store) || !is_bound ||
        !schedule.wide.contains(&access) || loops::has_computed_index(access)) {
      continue;
    }
    const RowKey key{access.buffer, loops::offset_of(access) - loop.vars[0].symbol,
                     loop.vars[0].extent.constant(), schedule.width_of(loop)};
    auto found = std::ranges::find(rows, key, &Row::key);
    if (found == rows.end()) {
      rows.push_back({.key = key, .store = is_store ? &access : nullptr, .loads = {}, .loops = {}});
      found = rows.end() - 1;
    }
    if (!is_store) found->loads.push_back(&access);
    found->loops.push_back(&loop);
  }
}

int stores_to(const Instr& phase, loops::BufferId buffer) {
  int stores = 0;
  loops::for_each_inside(phase, [&](const Instr& instr) {
    stores += instr.kind == InstrKind::store && instr.buffer == buffer ? 1 : 0;
  });
  return stores;
}

/// True if registers may hold the row: nothing else writes it, and it is read more often than it is
/// given.
bool is_worth_keeping(const Row& row, const Instr& phase) {
  const int stores = stores_to(phase, row.key.buffer);
  return row.store != nullptr ? stores == 1 && !row.loads.empty()
                              : stores == 0 && row.loads.size() >= 2;
}

}  // namespace

void keep_rows_in_registers(Schedule& schedule, const Phase& phase) {
  if (phase.block.team == 1 || phase.block.has_columns) return;
  const Instr& loop = *schedule.loop_of(phase);
  if (divided_vars(schedule, loop).size() != loop.vars.size()) return;
  std::vector<Row> rows;
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (has_rows(schedule, instr)) add_rows(schedule, instr, rows);
  }
  int64_t bytes = 0;
  for (const Row& row : rows) {
    if (!is_worth_keeping(row, loop)) continue;
    const int64_t step = int64_t{row.key.width} * phase.block.team;
    const int64_t chunks = (row.key.extent + step - 1) / step;
    const DType dtype = schedule.kernel.buffers[static_cast<size_t>(row.key.buffer)].type.dtype;
    const int64_t own = chunks * row.key.width * item_size(dtype);
    if (chunks > kMostChunks || bytes + own > kMostRowBytes) continue;
    bytes += own;
    const size_t number = schedule.kept_rows.size();
    for (const Instr* load : row.loads) schedule.kept_row_of[load] = number;
    for (const Instr* around : row.loops) schedule.chunks[around] = static_cast<int>(chunks);
    const bool is_stored = row.store != nullptr;
    if (is_stored) {
      schedule.kept_row_of[row.store] = number;
      for (const Instr& load : loop.blocks[0]->instrs) {
        const bool is_first = load.kind == InstrKind::load && load.buffer == row.key.buffer &&
                              load.predicate == loops::kNoValue &&
                              !loops::has_computed_index(load) &&
                              loops::offset_of(load) == row.key.begin && &load > row.loops[0];
        if (is_first) schedule.kept_row_of[&load] = number;
      }
    }
    schedule.kept_rows.push_back(
        {is_stored ? row.store : row.loads[0], row.loops[0], static_cast<int>(chunks)});
  }
}

}  // namespace litz::schedule
