// Loads that are contiguous along another variable than the stores go through squares in the memory
// of a block:
//
//   for i in 0..8192, j in 0..8192        a block of 256 threads loads a square of 32 times 32
//     load %x at [i + 8192*j]         =>  elements along i, and reads it along j
//     store %y at [8192*i + j]

#include <algorithm>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/blocks/block_rewriting.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;

constexpr int32_t kThreads = 256;
/// What squares may take of the memory of a block.
constexpr size_t kMostSquares = 4;

/// True if neighbours along the row variable are neighbours in memory, and those along the last one
/// are not.
bool is_across(const Instr& load, SymbolId row, SymbolId column) {
  if (load.kind != InstrKind::load || load.predicate != loops::kNoValue ||
      loops::has_computed_index(load)) {
    return false;
  }
  const Expr offset = loops::offset_of(load);
  return loops::steps_by_one(offset, row) && mentions(offset, column) &&
         !loops::steps_by_one(offset, column);
}

std::vector<const Instr*> loads_across(const Instr& loop, size_t row) {
  std::vector<const Instr*> loads;
  for (const Instr& load : loop.blocks[0]->instrs) {
    if (is_across(load, loop.vars[row].symbol.symbol(), loop.vars.back().symbol.symbol())) {
      loads.push_back(&load);
    }
  }
  return loads;
}

}  // namespace

void choose_squares(Schedule& schedule, Phase& phase) {
  const Instr& loop = *schedule.loop_of(phase);
  const bool is_pointwise = std::ranges::all_of(
      loop.blocks[0]->instrs, [](const Instr& instr) { return instr.blocks.empty(); });
  if (phase.block.team != 1 || !is_pointwise || loop.vars.size() < 2 ||
      divided_vars(schedule, loop).size() != loop.vars.size()) {
    return;
  }
  const size_t last = loop.vars.size() - 1;
  for (size_t row = 0; row < last; ++row) {
    const std::vector<const Instr*> loads = loads_across(loop, row);
    if (loads.empty() || loads.size() > kMostSquares) continue;
    if (estimate(loop.vars[row].extent) < kSquare || estimate(loop.vars[last].extent) < kSquare) {
      continue;
    }
    std::vector<Expr> extents;
    for (size_t v = 0; v <= last; ++v) {
      const Expr extent = loop.vars[v].extent;
      extents.push_back(v == row || v == last ? ceil_div(extent, Expr(kSquare)) : extent);
    }
    phase.square_rows = row;
    phase.block = {kThreads, 1};
    phase.iterations = product(extents);
    phase.grain = 1;
    schedule.transposed.insert(loads.begin(), loads.end());
    schedule.widths.erase(&loop);
    return;
  }
}

}  // namespace litz::schedule
