#include "schedule/access_price.h"

#include <optional>

#include "loops/clone.h"
#include "loops/marks.h"
#include "schedule/lane_access.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;

/// The variable with lanes or, if there is none, the one that steps next.
struct Along {
  SymbolId symbol = 0;
  bool is_lane = false;
};

double bytes_of(const TensorType& type) {
  double bytes = static_cast<double>(item_size(type.dtype));
  for (const Expr size : type.sizes) bytes *= estimate(size);
  return bytes;
}

bool is_cached(const TensorType& type, const machine::Machine& machine) {
  return bytes_of(type) <= static_cast<double>(machine.first_cache_bytes);
}

bool is_in_order(const TensorType& type, const std::vector<loops::Index>& indices, SymbolId along) {
  Expr step = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    const auto* index = std::get_if<Expr>(&indices[d]);
    if (index == nullptr) return true;
    if (!mentions(*index, along)) continue;
    const auto linear = linear_in(*index, along);
    if (!linear) return false;
    step = step + linear->first * type.strides[d];
  }
  return step.is(0) || step.is(1);
}

/// True if all accesses are contiguous or constant along the variable that steps next. Then some
/// lanes have no extra cost, and no trial schedule is needed.
bool is_in_order(const loops::Kernel& kernel, const Block& block, std::optional<SymbolId> along,
                 const machine::Machine& machine) {
  for (const Instr& instr : block.instrs) {
    if (along && instr.buffer >= 0) {
      const TensorType& type = kernel.buffers[static_cast<size_t>(instr.buffer)].type;
      if (!is_cached(type, machine) && !is_in_order(type, instr.indices, *along)) return false;
    }
    const std::optional<SymbolId> inner =
        instr.vars.empty() ? along : std::optional(instr.vars.back().symbol.symbol());
    for (const auto& nested : instr.blocks) {
      if (!is_in_order(kernel, *nested, inner, machine)) return false;
    }
  }
  return true;
}

double excess(const loops::Kernel& kernel, const Instr& access, SymbolId along,
              const machine::Machine& machine) {
  const TensorType& type = kernel.buffers[static_cast<size_t>(access.buffer)].type;
  if (loops::has_computed_index(access) || is_cached(type, machine)) return 0;
  const LaneAccess kind =
      access.marks.is_transposed ? LaneAccess::transposed : lane_access(access, along);
  const double beyond = price(kind, machine.access) - machine.access.contiguous;
  return std::max(beyond, 0.0) * static_cast<double>(item_size(type.dtype));
}

/// The cost of one execution of the block.
double excess(const loops::Kernel& kernel, const Block& block, std::optional<Along> along,
              const machine::Machine& machine) {
  double total = 0;
  for (const Instr& instr : block.instrs) {
    const bool is_access =
        instr.kind == loops::InstrKind::load || instr.kind == loops::InstrKind::store;
    if (along && is_access) total += excess(kernel, instr, along->symbol, machine);
    if (instr.blocks.empty()) continue;
    std::optional<Along> inner = along;
    double trips = 1;
    for (const loops::LoopVar& var : instr.vars) trips *= estimate(var.extent);
    if (!instr.vars.empty() && !(along && along->is_lane)) {
      inner = {instr.vars.back().symbol.symbol(), loops::lanes_of(instr) > 1};
    }
    for (const auto& nested : instr.blocks)
      total += trips * excess(kernel, *nested, inner, machine);
  }
  return total;
}

}  // namespace

double access_price(const loops::Kernel& kernel, const machine::Machine& machine) {
  if (is_in_order(kernel, kernel.body, std::nullopt, machine)) return 0;
  loops::Kernel scheduled = loops::clone(kernel);
  lower_scans(scheduled);
  flatten_accesses(scheduled);
  merge_loops(scheduled);
  choose_vectors(scheduled, machine);
  return excess(scheduled, scheduled.body, std::nullopt, machine);
}

}  // namespace litz::schedule
