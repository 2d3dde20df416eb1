// Finds the loop variables whose iterations may run in any order on any thread.
//
//   for i in 0..900, j in 0..64     equal %1 meet at one element, whose sum must be in order of i;
//     store %y[%1, j] add= %2   =>  different j never meet: j is divided, i runs in order
//
// Runs before accesses are flat, since coordinates tell most easily which elements differ.

#include <algorithm>

#include "loops/instrs.h"
#include "schedule/blocks/block_rewriting.h"

namespace litz::schedule {
namespace {

using loops::Index;
using loops::Instr;
using loops::InstrKind;

bool has_computed_coordinate(const Instr& store) {
  return std::ranges::any_of(store.indices, [](const Index& index) {
    return std::holds_alternative<loops::ValueId>(index);
  });
}

bool mentions_in_coordinate(const Instr& store, SymbolId symbol) {
  return std::ranges::any_of(store.indices, [&](const Index& index) {
    const auto* coordinate = std::get_if<Expr>(&index);
    return coordinate != nullptr && mentions(*coordinate, symbol);
  });
}

/// True if one coordinate is the variable itself, so that its iterations touch different elements.
bool is_coordinate(const Instr& store, Expr symbol) {
  return std::ranges::any_of(store.indices, [&](const Index& index) {
    const auto* coordinate = std::get_if<Expr>(&index);
    return coordinate != nullptr && *coordinate == symbol;
  });
}

/// True if iterations of the variable may store to one element, where their order matters.
bool may_meet(const Instr& store, const loops::LoopVar& var) {
  if (store.mode == loops::StoreMode::assign) {
    return has_computed_coordinate(store) && !mentions_in_coordinate(store, var.symbol.symbol());
  }
  return !store.flag && !is_coordinate(store, var.symbol);
}

}  // namespace

void mark_divisible(loops::Kernel& kernel) {
  loops::edit_each_instr(kernel.body, [&](Instr& instr) {
    if (instr.kind == InstrKind::reduce) {
      for (loops::LoopVar& var : instr.vars) var.is_parallel = true;
      return;
    }
    if (instr.kind != InstrKind::loop || !instr.carried.empty()) return;
    for (loops::LoopVar& var : instr.vars) {
      var.is_parallel = true;
      loops::for_each_inside(instr, [&](const Instr& inner) {
        if (inner.kind == InstrKind::store && may_meet(inner, var)) var.is_parallel = false;
      });
    }
  });
}

}  // namespace litz::schedule
