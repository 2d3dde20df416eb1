#include "schedule/lane_access.h"

#include <algorithm>

#include "loops/marks.h"
#include "loops/squares.h"

namespace litz::schedule {

using loops::Instr;
using loops::InstrKind;

double price(LaneAccess access, const machine::AccessPrices& prices) {
  switch (access) {
    case LaneAccess::same:
      return prices.same;
    case LaneAccess::contiguous:
      return prices.contiguous;
    case LaneAccess::transposed:
      return prices.transposed;
    case LaneAccess::apart:
      return prices.apart;
  }
  return prices.apart;
}

LaneAccess lane_access(const Instr& access, SymbolId lane) {
  const Expr offset = loops::offset_of(access);
  if (!mentions(offset, lane)) return LaneAccess::same;
  return loops::steps_by_one(offset, lane) ? LaneAccess::contiguous : LaneAccess::apart;
}

bool is_transposable(const loops::Kernel& kernel, const Instr& load, SymbolId lane, SymbolId row) {
  return load.kind == InstrKind::load && loops::is_square(kernel, load, lane, row);
}

std::optional<size_t> square_rows(const loops::Kernel& kernel, const Instr& loop, size_t lane) {
  if (loop.kind != InstrKind::loop || loop.vars.size() < 2) return std::nullopt;
  const std::vector<Instr>& body = loop.blocks[0]->instrs;
  if (!std::ranges::all_of(body, [](const Instr& instr) { return instr.blocks.empty(); })) {
    return std::nullopt;
  }
  // Squares are divided by rows, and equal indices of a scatter may meet in several.
  const bool scatters = std::ranges::any_of(body, [](const Instr& instr) {
    return instr.kind == InstrKind::store && loops::has_computed_index(instr);
  });
  if (scatters) return std::nullopt;
  const SymbolId along = loop.vars[lane].symbol.symbol();
  for (size_t v = 0; v < loop.vars.size(); ++v) {
    const SymbolId row = loop.vars[v].symbol.symbol();
    if (v != lane && std::ranges::any_of(body, [&](const Instr& instr) {
          return is_transposable(kernel, instr, along, row);
        })) {
      return v;
    }
  }
  return std::nullopt;
}

}  // namespace litz::schedule
