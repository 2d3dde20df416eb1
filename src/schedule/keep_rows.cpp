// Stores costly values of a loop over a row in a buffer on the stack, so that a sibling loop need
// not recompute them.
//
//   %2 = reduce sum k in 0..4096 { exp(x[i, k] - %0) }     stores exp(...) to row[k] as well
//   for l in 0..4096 { y[i, l] = exp(x[i, l] - %0) / %2 }  loads row[l]
//
// Rows that several loops read one after another are also prefetched: the memory is idle while the
// costliest of these loops computes, and the next iteration finds its row in the cache. Streams
// that are read in order are prefetched a little way: hardware prefetchers stop at the end of each
// page.

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "loops/instrs.h"
#include "loops/marks.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;
using loops::ValueId;

// Shorter rows are finished before a prefetch arrives.
constexpr int64_t kLeastRow = 64;
// Cheaper values are recomputed: they cost less than a store and a load.
constexpr double kCostlyWeight = 12;

class RowKeeper {
 public:
  RowKeeper(loops::Kernel& kernel, const machine::Machine& machine)
      : kernel_(kernel), machine_(machine) {}

  void run(Block& block) {
    for (size_t b = 1; b < block.instrs.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (is_row_loop(block.instrs[b]) && is_row_loop(block.instrs[a]) &&
            stores_nothing(block, a, b)) {
          keep(block.instrs[a], block.instrs[b]);
        }
      }
    }
    for (Instr& instr : block.instrs) {
      for (const auto& nested : instr.blocks) run(*nested);
    }
  }

 private:
  bool is_row_loop(const Instr& instr) const {
    if (instr.kind != InstrKind::loop && instr.kind != InstrKind::reduce) return false;
    return instr.carried.empty() && instr.vars.size() == 1 && loops::lanes_of(instr) > 1 &&
           instr.vars[0].extent.maybe_constant().value_or(0) >= kLeastRow;
  }

  void keep(Instr& a, Instr& b) {
    if (!(a.vars[0].extent == b.vars[0].extent)) return;
    loops::SameValues same = same_values(kernel_, a, b);
    row_a_ = a.vars[0].symbol;
    row_b_ = b.vars[0].symbol;
    // The last match has most of the computation before it.
    for (size_t in_b = b.blocks[0]->instrs.size(); in_b-- > 0;) {
      const Instr& computed = b.blocks[0]->instrs[in_b];
      if (computed.kind != InstrKind::op) continue;
      if (work_behind(*b.blocks[0], computed.results[0]) < kCostlyWeight) continue;
      for (size_t in_a = 0; in_a < a.blocks[0]->instrs.size(); ++in_a) {
        const Instr& kept = a.blocks[0]->instrs[in_a];
        if (kept.kind != InstrKind::op || !same.values(kept.results[0], computed.results[0])) {
          continue;
        }
        if (!keep_value(a, in_a, b, in_b)) return;
        remove_unused(*b.blocks[0]);
        b.vars.back().lanes = lane_count(b, machine_);
        return;
      }
    }
  }

  /// The cost of the block's instructions that the value depends on.
  static double work_behind(const Block& block, ValueId value) {
    std::unordered_set<ValueId> needed{value};
    double work = 0;
    for (auto instr = block.instrs.rbegin(); instr != block.instrs.rend(); ++instr) {
      const bool is_needed = std::ranges::any_of(
          instr->results, [&](ValueId result) { return needed.contains(result); });
      if (!is_needed) continue;
      work += weight(*instr);
      needed.insert(instr->operands.begin(), instr->operands.end());
      needed.insert({instr->predicate, instr->other});
      for (const loops::Index& index : instr->indices) {
        if (const auto* computed = std::get_if<ValueId>(&index)) needed.insert(*computed);
      }
    }
    return work;
  }

  bool keep_value(Instr& a, size_t in_a, Instr& b, size_t in_b) {
    const ValueId value = a.blocks[0]->instrs[in_a].results[0];
    const DType type = dtype(value);
    if (type != DType::f32 && type != DType::f64) return false;
    const int64_t bytes = *a.vars[0].extent.maybe_constant() * item_size(type);
    if (kept_bytes_ + bytes > machine_.stack_bytes) return false;
    kept_bytes_ += bytes;
    loops::Buffer row;
    row.name = "row" + std::to_string(kernel_.buffers.size());
    row.role = loops::BufferRole::scratch;
    row.type.dtype = type;
    row.type.sizes = {a.vars[0].extent};
    row.type.strides = {Expr(1)};
    const auto buffer = static_cast<loops::BufferId>(kernel_.buffers.size());
    kernel_.buffers.push_back(std::move(row));
    Instr store;
    store.kind = InstrKind::store;
    store.operands = {value};
    place(store, buffer, row_a_);
    Instr& computed = b.blocks[0]->instrs[in_b];
    computed.kind = InstrKind::load;
    computed.operands.clear();
    place(computed, buffer, row_b_);
    std::vector<Instr>& kept = a.blocks[0]->instrs;
    kept.insert(kept.begin() + static_cast<ptrdiff_t>(in_a) + 1, std::move(store));
    return true;
  }

  static void place(Instr& instr, loops::BufferId buffer, Expr at) {
    instr.buffer = buffer;
    instr.indices = {at};
    instr.strides = {1};
  }

  void remove_unused(Block& block) {
    std::vector<ValueId> used = block.yields;
    std::vector<bool> stays(block.instrs.size(), true);
    for (size_t i = block.instrs.size(); i-- > 0;) {
      const Instr& instr = block.instrs[i];
      const bool is_pure = instr.kind == InstrKind::constant || instr.kind == InstrKind::index ||
                           instr.kind == InstrKind::op || instr.kind == InstrKind::load;
      stays[i] = !is_pure || std::ranges::find(used, instr.results[0]) != used.end();
      if (!stays[i]) continue;
      note_uses(instr, used);
    }
    std::vector<Instr> instrs;
    for (size_t i = 0; i < block.instrs.size(); ++i) {
      if (stays[i]) instrs.push_back(std::move(block.instrs[i]));
    }
    block.instrs = std::move(instrs);
  }

  static void note_uses(const Instr& instr, std::vector<ValueId>& used) {
    used.insert(used.end(), instr.operands.begin(), instr.operands.end());
    used.push_back(instr.predicate);
    used.push_back(instr.other);
    for (const loops::Index& index : instr.indices) {
      if (const auto* computed = std::get_if<ValueId>(&index)) used.push_back(*computed);
    }
    for (const auto& nested : instr.blocks) {
      used.insert(used.end(), nested->yields.begin(), nested->yields.end());
      for (const Instr& inner : nested->instrs) note_uses(inner, used);
    }
  }

  DType dtype(ValueId id) const { return kernel_.values[static_cast<size_t>(id)].dtype; }

  loops::Kernel& kernel_;
  const machine::Machine& machine_;
  int64_t kept_bytes_ = 0;  ///< All rows together.
  Expr row_a_;
  Expr row_b_;
};

/// The distance between the load's address in this and the next iteration of `outer`; none if loads
/// are not rows along the lanes of `inner`.
std::optional<int64_t> row_step(const Instr& outer, const Instr& inner, const Instr& load) {
  if (load.kind != InstrKind::load || load.predicate != loops::kNoValue) return std::nullopt;
  const Expr offset = loops::offset_of(load);
  if (loops::has_computed_index(load)) return std::nullopt;
  if (!loops::steps_by_one(offset, loops::lane_symbol(inner))) return std::nullopt;
  const auto linear = linear_in(offset, outer.vars.back().symbol.symbol());
  if (!linear || linear->first.is(0)) return std::nullopt;
  return linear->first.maybe_constant();
}

/// The loop that prefetches the rows of a buffer.
struct Reader {
  loops::BufferId buffer = -1;
  Instr* load = nullptr;
  int64_t step = 0;
  double cost = 0;
  int readers = 1;
};

/// The costliest loop that reads a buffer's rows prefetches them, unless it is the first: there the
/// hardware prefetcher is enough.
void note_readers(const Instr& outer, Instr& inner, std::vector<Reader>& readers) {
  const double cost = cost_of(*inner.blocks[0]);
  for (Instr& load : inner.blocks[0]->instrs) {
    const auto step = row_step(outer, inner, load);
    if (!step) continue;
    const auto found = std::ranges::find(readers, load.buffer, &Reader::buffer);
    if (found == readers.end()) {
      readers.push_back({load.buffer, &load, *step, 0, 1});
      continue;
    }
    ++found->readers;
    if (cost < found->cost) continue;
    *found = {load.buffer, &load, *step, cost, found->readers};
  }
}

}  // namespace

void keep_rows(loops::Kernel& kernel, const machine::Machine& machine) {
  RowKeeper(kernel, machine).run(kernel.body);
}

void fetch_rows_ahead(loops::Kernel& kernel, const machine::Machine& machine) {
  // Rows up to here stay in the second cache until they are used.
  const double most = static_cast<double>(machine.second_cache_bytes) * 3 / 4;
  for (Instr& outer : kernel.body.instrs) {
    if (outer.kind != InstrKind::loop || !outer.carried.empty() || loops::lanes_of(outer) > 1) {
      continue;
    }
    std::vector<Reader> readers;
    for (Instr& inner : outer.blocks[0]->instrs) {
      if (inner.blocks.empty() || inner.vars.size() != 1 || loops::lanes_of(inner) == 1) continue;
      const double bytes = estimate(inner.vars[0].extent) * 4;
      if (bytes > most || bytes < 4 * kLeastRow) continue;
      note_readers(outer, inner, readers);
    }
    for (const Reader& reader : readers) {
      if (reader.readers > 1) reader.load->marks.ahead = reader.step;
    }
  }
}

namespace {

/// A load, and the vectorised variable around it.
struct Streamed {
  Instr* load = nullptr;
  SymbolId lane = 0;
};

bool is_stream_loop(const Instr& instr) {
  const bool is_loop = instr.kind == InstrKind::loop || instr.kind == InstrKind::reduce;
  return is_loop && loops::lanes_of(instr) > 1 && !instr.vars.back().is_tiled &&
         std::ranges::all_of(instr.blocks[0]->instrs,
                             [](const Instr& inner) { return inner.blocks.empty(); });
}

}  // namespace

void fetch_streams_ahead(loops::Kernel& kernel, const machine::Machine& machine) {
  std::vector<Streamed> loads;
  loops::edit_each_instr(kernel.body, [&](Instr& loop) {
    if (loop.blocks.empty() || !is_stream_loop(loop)) return;
    for (Instr& instr : loop.blocks[0]->instrs) {
      if (instr.kind == InstrKind::load) loads.push_back({&instr, loops::lane_symbol(loop)});
    }
  });
  for (const auto& [load, lane] : loads) {
    const TensorType& type = kernel.buffers[static_cast<size_t>(load->buffer)].type;
    const auto readers = std::ranges::count(
        loads, load->buffer, [](const Streamed& other) { return other.load->buffer; });
    // A stream that several loops read is in the cache, or prefetched by rows.
    if (loops::has_computed_index(*load) || !loops::steps_by_one(loops::offset_of(*load), lane) ||
        !is_beyond_caches(type, machine) || readers > 1) {
      continue;
    }
    load->marks.ahead = machine.prefetch_bytes / item_size(type.dtype);
  }
}

}  // namespace litz::schedule
