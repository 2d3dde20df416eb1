// Lets a thread take several neighbours at a time where memory has them side by side.
//
//   for i0 in 0..4096, i1 in 0..768          a thread takes 8 elements of i1: one access of
//     load %x at [768*i0 + i1]   bf16    =>  16 bytes each
//     store %y at [768*i0 + i1]
//
// All rows must begin at a multiple of the width. Whether the buffers do is tested at run time.

#include <algorithm>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/blocks/block_rewriting.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;

constexpr int64_t kAccessBytes = 16;
constexpr int kMostWidth = 8;

/// The instructions of a block without loops that have one value for all iterations of a variable.
class Invariants {
 public:
  Invariants(const loops::Block& block, SymbolId symbol) {
    for (const Instr& instr : block.instrs) {
      if (is_invariant(instr, symbol)) {
        instrs_.insert(&instr);
      } else {
        varying_.insert(instr.results.begin(), instr.results.end());
      }
    }
  }

  bool has(loops::ValueId value) const { return !varying_.contains(value); }

  const std::unordered_set<const Instr*>& instrs() const { return instrs_; }

 private:
  bool is_invariant(const Instr& instr, SymbolId symbol) const {
    if (instr.kind == InstrKind::store || instr.kind == InstrKind::check) return false;
    if (mentions(instr.expr, symbol) || !has(instr.predicate) || !has(instr.other)) return false;
    for (const loops::Index& index : instr.indices) {
      const auto* place = std::get_if<Expr>(&index);
      if (place != nullptr ? mentions(*place, symbol) : !has(std::get<loops::ValueId>(index))) {
        return false;
      }
    }
    return std::ranges::all_of(instr.operands, [&](loops::ValueId value) { return has(value); });
  }

  std::unordered_set<const Instr*> instrs_;
  std::unordered_set<loops::ValueId> varying_;
};

/// True if the access is of neighbours along the variable, from a multiple of `width` on.
bool is_wide(const Instr& access, const loops::LoopVar& var, int width,
             const Invariants& invariants) {
  if (access.predicate != loops::kNoValue) return false;
  if (access.kind == InstrKind::store && access.mode != loops::StoreMode::assign) return false;
  for (size_t i = 1; i < access.indices.size(); ++i) {
    const bool is_row = invariants.has(std::get<loops::ValueId>(access.indices[i])) &&
                        known_divisible(access.strides[i], Expr(width));
    if (!is_row) return false;
  }
  const Expr offset = loops::offset_of(access);
  if (!loops::steps_by_one(offset, var.symbol.symbol())) return false;
  return known_divisible(offset - var.symbol, Expr(width));
}

/// The accesses of a block without loops.
std::vector<const Instr*> accesses_of(const loops::Block& block) {
  std::vector<const Instr*> accesses;
  for (const Instr& instr : block.instrs) {
    if (instr.kind == InstrKind::load || instr.kind == InstrKind::store) accesses.push_back(&instr);
  }
  return accesses;
}

bool has_loops(const loops::Block& block) {
  return std::ranges::any_of(block.instrs,
                             [](const Instr& instr) { return !instr.blocks.empty(); });
}

}  // namespace

void choose_widths(Schedule& schedule) {
  loops::for_each_instr(schedule.kernel.body, [&](const Instr& loop) {
    const bool is_plain =
        (loop.kind == InstrKind::loop && loop.carried.empty()) || loop.kind == InstrKind::reduce;
    if (!is_plain || loop.vars.empty() || has_loops(*loop.blocks[0])) return;
    if (divided_vars(schedule, loop).size() != loop.vars.size()) return;
    const bool is_located =
        loop.reduce == loops::ReduceKind::argmax || loop.reduce == loops::ReduceKind::argmin;
    if (loop.kind == InstrKind::reduce && is_located) return;
    const std::vector<const Instr*> accesses = accesses_of(*loop.blocks[0]);
    const loops::LoopVar& last = loop.vars.back();
    const Invariants invariants(*loop.blocks[0], last.symbol.symbol());
    for (int width = kMostWidth; width > 1; width /= 2) {
      if (!known_divisible(last.extent, Expr(width))) continue;
      std::vector<const Instr*> wide;
      int64_t most_bytes = 0;
      for (const Instr* access : accesses) {
        if (!is_wide(*access, last, width, invariants)) continue;
        wide.push_back(access);
        const auto buffer = static_cast<size_t>(access->buffer);
        most_bytes =
            std::max(most_bytes, width * item_size(schedule.kernel.buffers[buffer].type.dtype));
      }
      // Narrower elements share an access; wider ones take two.
      if (wide.empty() || most_bytes > 2 * kAccessBytes) continue;
      schedule.widths[&loop] = width;
      schedule.wide.insert(wide.begin(), wide.end());
      schedule.invariant.insert(invariants.instrs().begin(), invariants.instrs().end());
      return;
    }
  });
}

}  // namespace litz::schedule
