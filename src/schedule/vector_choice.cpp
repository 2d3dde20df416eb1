// Chooses the vectorised loops.
//
// A loop is either vectorised along one of its variables, and everything inside it runs in
// lockstep; or the loops inside it may be. The price of both is that of their memory accesses along
// the variable (lane_access.h), and the cheaper one is chosen.

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "loops/squares.h"
#include "schedule/lane_access.h"
#include "schedule/rewriting.h"
#include "support/check.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;
using loops::ScalarOp;
using loops::StoreMode;
using loops::ValueId;

class VectorChoice {
 public:
  VectorChoice(loops::Kernel& kernel, const machine::Machine& machine)
      : kernel_(kernel), machine_(machine), native_(machine.lanes()) {}

  void run() {
    for (Instr& instr : kernel_.body.instrs) {
      if (!instr.blocks.empty()) decide(instr, true);
    }
    apply(kernel_.body, nullptr, true);
  }

 private:
  /// Lanes along a variable, and the values that differ between them.
  struct Lanes {
    SymbolId symbol;
    std::optional<SymbolId> rows;  ///< Loads along it may be transposed.
    std::set<ValueId> varying;
    const Instr* scan = nullptr;  ///< The innermost loop inside that carries values.

    bool vary(ValueId value) const { return varying.contains(value); }
  };

  /// The cost of one execution of the instruction with its best choice: lanes along one of its
  /// variables, or inside.
  double decide(Instr& instr, bool is_top) {
    double inner = own_weight(instr);  // One iteration without lanes of its own.
    for (const auto& block : instr.blocks) {
      for (Instr& child : block->instrs) {
        inner += child.blocks.empty() ? scalar_cost(child) : decide(child, false);
      }
    }
    double trips = 1;
    for (const loops::LoopVar& var : instr.vars) trips *= estimate(var.extent);
    double best = inner * trips;
    int chosen = -1;
    for (size_t v = 0; v < instr.vars.size(); ++v) {
      const double cost = vector_cost(instr, v, is_top) * trips;
      if (cost < best || (cost == best && chosen < 0)) {
        best = cost;
        chosen = static_cast<int>(v);
      }
    }
    if (chosen >= 0) {
      for (const auto& block : instr.blocks) drop_lanes(*block);
      instr.vars[static_cast<size_t>(chosen)].lanes = native_;
    }
    return best;
  }

  /// Removes the lanes of inner loops, which run in lockstep.
  static void drop_lanes(Block& block) {
    loops::edit_each_instr(block, [](Instr& instr) {
      for (loops::LoopVar& var : instr.vars) var.lanes = 1;
    });
  }

  static bool is_position(const Instr& instr) {
    return instr.kind == InstrKind::reduce &&
           (instr.reduce == loops::ReduceKind::argmax || instr.reduce == loops::ReduceKind::argmin);
  }

  static double scalar_cost(const Instr& instr) {
    return instr.kind == InstrKind::load || instr.kind == InstrKind::store ? 1 : weight(instr);
  }

  /// The cost of one iteration with lanes along variable `v`; infinite if that is impossible.
  double vector_cost(const Instr& instr, size_t v, bool is_top) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (!instr.carried.empty()) return kNever;
    // Positions count variables in their order, and the vectorised one goes last.
    if (is_position(instr) && v + 1 != instr.vars.size()) return kNever;
    Lanes lanes{instr.vars[v].symbol.symbol(), std::nullopt, {}, nullptr};
    if (const auto rows = is_top ? square_rows(kernel_, instr, v) : std::nullopt) {
      lanes.rows = instr.vars[*rows].symbol.symbol();
    }
    double total = own_weight(instr);
    for (const auto& block : instr.blocks) total += lockstep_cost(*block, lanes);
    const double extent = estimate(instr.vars[v].extent);
    const double width = std::min<double>(native_, std::max(1.0, extent));
    // The last vector of a short loop is partly empty.
    const double filled = extent / (std::ceil(extent / width) * width);
    return total / (width * filled);
  }

  double lockstep_cost(const Block& block, Lanes& lanes) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    double total = 0;
    for (const Instr& instr : block.instrs) {
      if (instr.kind == InstrKind::sort_row) return kNever;
      bool varies = (instr.kind == InstrKind::index) && mentions(instr.expr, lanes.symbol);
      for (const ValueId operand : instr.operands) varies = varies || lanes.vary(operand);
      if (instr.kind == InstrKind::load || instr.kind == InstrKind::store) {
        const double cost = access_cost(instr, lanes);
        if (cost == kNever) return kNever;
        total += cost;
        varies = varies || cost != price_of(LaneAccess::same);
      } else if (instr.blocks.empty()) {
        total += varies ? weight(instr) : 0;
      } else {
        double inner = own_weight(instr);
        const Instr* scan = std::exchange(lanes.scan, instr.carried.empty() ? nullptr : &instr);
        for (const auto& nested : instr.blocks) {
          inner += lockstep_cost(*nested, lanes);
        }
        lanes.scan = scan;
        for (const loops::LoopVar& var : instr.vars) {
          if (mentions(var.extent, lanes.symbol)) return kNever;
          inner *= estimate(var.extent);
        }
        total += inner;
        varies = true;
      }
      if (varies) lanes.varying.insert(instr.results.begin(), instr.results.end());
      for (const ValueId carried : instr.carried) lanes.varying.insert(carried);
    }
    return total;
  }

  double price_of(LaneAccess access) const { return price(access, machine_.access); }

  double access_cost(const Instr& instr, const Lanes& lanes) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const bool gathers = std::ranges::any_of(instr.indices, [&](const loops::Index& index) {
      const auto* computed = std::get_if<ValueId>(&index);
      return computed != nullptr && lanes.vary(*computed);
    });
    if (lanes.scan != nullptr &&
        loops::is_square_of_scan(kernel_, instr, lanes.symbol, *lanes.scan)) {
      return price_of(LaneAccess::transposed);
    }
    LaneAccess kind = gathers ? LaneAccess::apart : lane_access(instr, lanes.symbol);
    if (instr.kind == InstrKind::store &&
        (instr.mode != StoreMode::assign || kind == LaneAccess::same)) {
      // Two lanes must not store to one element.
      return kind == LaneAccess::contiguous ? 2 * price_of(kind) : kNever;
    }
    const bool is_guarded = instr.predicate != loops::kNoValue && lanes.vary(instr.predicate);
    if (kind == LaneAccess::same && is_guarded) kind = LaneAccess::apart;
    if (lanes.rows && is_transposable(kernel_, instr, lanes.symbol, *lanes.rows)) {
      kind = LaneAccess::transposed;
    }
    return price_of(kind);
  }

  /// True if rows of a tiled loop begin where streamed vectors may, and a vector is a whole line:
  /// writing parts of a line separately costs more than the caches save.
  bool streams_from_tiles(const Instr& instr, const Instr& loop) const {
    const int64_t item = item_size(kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype);
    const SymbolId row = loop.vars[loop.vars.size() - 2].symbol.symbol();
    const auto linear = linear_in(loops::offset_of(instr), row);
    const auto step = linear ? linear->first.maybe_constant() : std::nullopt;
    const int64_t line = machine_.line_bytes;
    return step && *step * item % line == 0 && loops::lanes_of(loop) * item % line == 0;
  }

  bool is_streamed(const Instr& instr, const Instr& loop) const {
    if (instr.kind != InstrKind::store || instr.mode != StoreMode::assign ||
        instr.predicate != loops::kNoValue || loops::has_computed_index(instr) ||
        !loops::steps_by_one(loops::offset_of(instr), loops::lane_symbol(loop))) {
      return false;
    }
    const loops::Buffer& buffer = kernel_.buffers[static_cast<size_t>(instr.buffer)];
    if (buffer.role == loops::BufferRole::scratch || !is_beyond_caches(buffer.type, machine_))
      return false;
    return !loops::is_tiled(loop) || streams_from_tiles(instr, loop);
  }

  void apply(Block& block, const Instr* vector_loop, bool is_top) {
    for (Instr& instr : block.instrs) {
      if (vector_loop != nullptr) instr.marks.is_streamed = is_streamed(instr, *vector_loop);
      if (instr.blocks.empty()) continue;
      const auto chosen =
          std::ranges::find_if(instr.vars, [](const loops::LoopVar& var) { return var.lanes > 1; });
      const bool has_lanes = chosen != instr.vars.end();
      if (has_lanes) {
        check(vector_loop == nullptr, "vector loops must not nest:", kernel_.name);
        std::rotate(chosen, chosen + 1, instr.vars.end());
        int& lanes = instr.vars.back().lanes;
        lanes = lane_count(instr, machine_);
        if (has_scan(kernel_, instr)) lanes = std::min(lanes, native_);
        if (is_top) tile(instr);
      }
      const Instr* inner = has_lanes ? &instr : vector_loop;
      for (const auto& nested : instr.blocks) apply(*nested, inner, false);
    }
  }

  /// Loads across the lanes that are contiguous along another variable of the loop are read along
  /// that one, many lines at a time, and transposed.
  void tile(Instr& instr) {
    const size_t last = instr.vars.size() - 1;
    const auto rows = square_rows(kernel_, instr, last);
    if (!rows) return;
    const SymbolId lane = instr.vars[last].symbol.symbol();
    const SymbolId row = instr.vars[*rows].symbol.symbol();
    for (Instr& inner : instr.blocks[0]->instrs) {
      inner.marks.is_transposed = is_transposable(kernel_, inner, lane, row);
    }
    const auto at = instr.vars.begin() + static_cast<ptrdiff_t>(*rows);
    std::rotate(at, at + 1, instr.vars.begin() + static_cast<ptrdiff_t>(last));
    // Lanes of squares: a whole cache line of four-byte elements.
    const int line_lanes = static_cast<int>(machine_.line_bytes / 4);
    const bool is_large = estimate(instr.vars[last].extent) >= 2 * line_lanes &&
                          estimate(instr.vars[last - 1].extent) >= 2 * line_lanes;
    instr.vars[last - 1].is_tiled = true;
    instr.vars[last].is_tiled = true;
    instr.vars[last].lanes = is_large ? std::max(native_, line_lanes) : native_;
  }

  loops::Kernel& kernel_;
  const machine::Machine& machine_;
  int native_;  ///< Lanes of one register.
};

}  // namespace

bool is_beyond_caches(const TensorType& type, const machine::Machine& machine) {
  double bytes = item_size(type.dtype);
  for (const Expr size : type.sizes) {
    const auto constant = size.maybe_constant();
    if (!constant) return false;
    bytes *= static_cast<double>(*constant);
  }
  // Data that is read soon after is in the other half of the cache.
  return bytes >= static_cast<double>(machine.last_cache_bytes) / 2;
}

double weight(const Instr& instr) {
  if (instr.kind == InstrKind::constant || instr.kind == InstrKind::index) return 0;
  // Measured: 2 to 10 nanoseconds per element.
  if (instr.kind == InstrKind::sort_row) return 20 * estimate(instr.expr);
  if (instr.kind != InstrKind::op) return 1;
  return loops::cost(instr.op);
}

double own_weight(const Instr& instr) {
  const bool is_pair =
      instr.kind == InstrKind::reduce && instr.reduce == loops::ReduceKind::softmax;
  return is_pair
             ? loops::cost(ScalarOp::exp) + loops::cost(ScalarOp::sub) + loops::cost(ScalarOp::add)
             : 0;
}

int lane_count(const Instr& instr, const machine::Machine& machine) {
  const int native = machine.lanes();
  double body = own_weight(instr);
  // Values that are equal in all lanes, such as the key of random numbers, are computed once for
  // all lanes.
  std::set<ValueId> varying;
  const SymbolId lane = instr.vars.back().symbol.symbol();
  loops::for_each_inside(instr, [&](const Instr& inner) {
    const bool is_same =
        loops::is_pure(inner) && !(inner.kind == InstrKind::index && mentions(inner.expr, lane)) &&
        std::ranges::none_of(inner.operands, [&](ValueId id) { return varying.contains(id); });
    if (is_same) return;
    body += weight(inner);
    varying.insert(inner.results.begin(), inner.results.end());
    varying.insert(inner.carried.begin(), inner.carried.end());
  });
  int lanes = native * (body <= machine.light_body ? 4 : body <= machine.medium_body ? 2 : 1);
  const auto extent = instr.vars.back().extent.maybe_constant();
  if (!extent) return lanes;
  while (lanes > native && (*extent < lanes || *extent % lanes != 0)) lanes /= 2;
  while (lanes > 2 && *extent <= lanes / 2) lanes /= 2;
  return lanes;
}

void choose_vectors(loops::Kernel& kernel, const machine::Machine& machine) {
  VectorChoice(kernel, machine).run();
}

}  // namespace litz::schedule
