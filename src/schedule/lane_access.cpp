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

namespace {

/// Whether the access is along memory in `row` and across it in `lane`, whatever it does there.
bool is_square(const Schedule& schedule, const Instr& instr, SymbolId lane, SymbolId row) {
  constexpr size_t kLargestItem = 8;
  if (instr.predicate != loops::kNoValue) return false;
  const Access& access = schedule.accesses.at(&instr);
  const DType dtype = schedule.kernel.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
  if (!access.computed.empty() || static_cast<size_t>(item_size(dtype)) > kLargestItem) {
    return false;
  }
  return lane_access(access, row) == LaneAccess::contiguous &&
         lane_access(access, lane) == LaneAccess::apart &&
         linear_in(access.offset, lane).has_value();
}

}  // namespace

bool is_transposable(const Schedule& schedule, const Instr& load, SymbolId lane, SymbolId row) {
  return load.kind == InstrKind::load && is_square(schedule, load, lane, row);
}

bool is_square_of_scan(const Schedule& schedule, const Instr& access, SymbolId lane,
                       const Instr& scan) {
  const SymbolId row = scan.vars[0].symbol.symbol();
  if (access.kind != InstrKind::load && access.kind != InstrKind::store) return false;
  if (access.mode != loops::StoreMode::assign || !is_square(schedule, access, lane, row)) {
    return false;
  }
  // A square is read before it is written: an element must not be read at one iteration and written
  // at another.
  const std::vector<Instr>& body = scan.blocks[0]->instrs;
  return std::ranges::all_of(body, [&](const Instr& other) {
    if (!other.blocks.empty()) return false;
    const bool is_access = other.kind == InstrKind::load || other.kind == InstrKind::store;
    if (!is_access || other.buffer != access.buffer || other.kind == access.kind) return true;
    const Access& own = schedule.accesses.at(&access);
    const Access& theirs = schedule.accesses.at(&other);
    return theirs.computed.empty() && theirs.offset == own.offset;
  });
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
