#include "schedule/lane_access.h"

#include <algorithm>

namespace litz::schedule {

using loops::Instr;
using loops::InstrKind;

double price(LaneAccess access) {
  constexpr double kSame = 0.25;
  constexpr double kTransposed = 1.5;
  constexpr double kApart = 10;
  switch (access) {
    case LaneAccess::same:
      return kSame;
    case LaneAccess::contiguous:
      return 1;
    case LaneAccess::transposed:
      return kTransposed;
    case LaneAccess::apart:
      return kApart;
  }
  return kApart;
}

LaneAccess lane_access(const Access& access, SymbolId lane) {
  const auto linear = linear_in(access.offset, lane);
  if (!linear) return LaneAccess::apart;
  if (linear->first.is(0)) return LaneAccess::same;
  return linear->first.is(1) ? LaneAccess::contiguous : LaneAccess::apart;
}

bool is_transposable(const Schedule& schedule, const Instr& load, SymbolId lane, SymbolId row) {
  constexpr size_t kLargestItem = 8;
  if (load.kind != InstrKind::load || load.predicate != loops::kNoValue) return false;
  const Access& access = schedule.accesses.at(&load);
  const DType dtype = schedule.kernel.buffers[static_cast<size_t>(load.buffer)].type.dtype;
  if (!access.computed.empty() || static_cast<size_t>(item_size(dtype)) > kLargestItem) {
    return false;
  }
  return lane_access(access, row) == LaneAccess::contiguous &&
         lane_access(access, lane) == LaneAccess::apart &&
         linear_in(access.offset, lane).has_value();
}

std::optional<size_t> square_rows(const Schedule& schedule, const Instr& loop, size_t lane) {
  if (loop.kind != InstrKind::loop || loop.vars.size() < 2) return std::nullopt;
  const std::vector<Instr>& body = loop.blocks[0]->instrs;
  if (!std::ranges::all_of(body, [](const Instr& instr) { return instr.blocks.empty(); })) {
    return std::nullopt;
  }
  // Squares are divided by rows, and equal indices of a scatter may meet in several.
  const bool scatters = std::ranges::any_of(body, [&](const Instr& instr) {
    return instr.kind == InstrKind::store && !schedule.accesses.at(&instr).computed.empty();
  });
  if (scatters) return std::nullopt;
  const SymbolId along = loop.vars[lane].symbol.symbol();
  for (size_t v = 0; v < loop.vars.size(); ++v) {
    const SymbolId row = loop.vars[v].symbol.symbol();
    if (v != lane && std::ranges::any_of(body, [&](const Instr& instr) {
          return is_transposable(schedule, instr, along, row);
        })) {
      return v;
    }
  }
  return std::nullopt;
}

}  // namespace litz::schedule
