#include "loops/squares.h"

#include <algorithm>

#include "loops/marks.h"

namespace litz::loops {
namespace {

bool has_only_offset(const Instr& access) {
  return !access.strides.empty() && !has_computed_index(access);
}

}  // namespace

bool is_square(const Kernel& kernel, const Instr& access, SymbolId lane, SymbolId row) {
  constexpr int64_t kLargestItem = 8;
  if (access.kind != InstrKind::load && access.kind != InstrKind::store) return false;
  if (access.predicate != kNoValue || !has_only_offset(access)) return false;
  const DType dtype = kernel.buffers[static_cast<size_t>(access.buffer)].type.dtype;
  if (item_size(dtype) > kLargestItem || !steps_by_one(offset_of(access), row)) return false;
  const auto by_lane = linear_in(offset_of(access), lane);
  return by_lane && !by_lane->first.is(0) && !by_lane->first.is(1);
}

bool is_square_of_scan(const Kernel& kernel, const Instr& access, SymbolId lane,
                       const Instr& scan) {
  const SymbolId row = scan.vars[0].symbol.symbol();
  if (access.mode != StoreMode::assign || !is_square(kernel, access, lane, row)) return false;
  // A square is read before it is written, so no element may be read at one iteration and written
  // at another.
  return std::ranges::all_of(scan.blocks[0]->instrs, [&](const Instr& other) {
    if (!other.blocks.empty()) return false;
    const bool is_access = other.kind == InstrKind::load || other.kind == InstrKind::store;
    if (!is_access || other.buffer != access.buffer || other.kind == access.kind) return true;
    return has_only_offset(other) && offset_of(other) == offset_of(access);
  });
}

}  // namespace litz::loops
