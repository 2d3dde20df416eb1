// What a loop over a row computes at great cost, its sibling need not compute again: it stays in a
// buffer of the kernel's own on the stack.
//
//   %2 = reduce sum k in 0..4096 { exp(x[i, k] - %0) }     stores exp(...) to row[k] as well
//   for l in 0..4096 { y[i, l] = exp(x[i, l] - %0) / %2 }  loads row[l]
//
// Rows that several loops read one after the other are also asked for ahead of time: the memory is
// idle while the costliest of them computes, and the next iteration finds its row in the cache. Of
// what comes from memory in its order a little is asked for ahead: processors that look ahead by
// themselves stop at the end of each page.

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;
using loops::ValueId;

// Of all rows together; they shall leave the stack and the first caches alone.
constexpr int64_t kMostKeptBytes = 64 << 10;
constexpr int64_t kLeastRow = 64;
// How far ahead streams are fetched: half a page, measured best of 0.5 to 16 KiB.
constexpr int64_t kStreamAheadBytes = 2048;
// What is cheaper than a store and a load is computed again.
constexpr double kCostlyWeight = 12;
// Rows up to here stay in the second cache until they are used.
constexpr double kMostAheadBytes = 384 << 10;

class RowKeeper {
 public:
  RowKeeper(Schedule& schedule, int native) : schedule_(schedule), native_(native) {}

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
    return instr.carried.empty() && instr.vars.size() == 1 && schedule_.lanes_of(instr) > 1 &&
           instr.vars[0].extent.maybe_constant().value_or(0) >= kLeastRow;
  }

  void keep(Instr& a, Instr& b) {
    if (!(a.vars[0].extent == b.vars[0].extent)) return;
    loops::SameValues same = same_values(schedule_, a, b);
    row_a_ = a.vars[0].symbol;
    row_b_ = b.vars[0].symbol;
    // The last that matches has most of the computation behind it.
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
        schedule_.lanes[&b] = lane_count(b, native_);
        return;
      }
    }
  }

  /// What the instructions of the block cost that the value is made of.
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
    if (kept_bytes_ + bytes > kMostKeptBytes) return false;
    kept_bytes_ += bytes;
    loops::Buffer row;
    row.name = "row" + std::to_string(schedule_.kernel.buffers.size());
    row.role = loops::BufferRole::scratch;
    row.type.dtype = type;
    row.type.sizes = {a.vars[0].extent};
    row.type.strides = {Expr(1)};
    const auto buffer = static_cast<loops::BufferId>(schedule_.kernel.buffers.size());
    schedule_.kernel.buffers.push_back(std::move(row));
    Instr store;
    store.kind = InstrKind::store;
    store.operands = {value};
    place(store, buffer, row_a_);
    insert_after(*a.blocks[0], in_a, std::move(store), row_a_);
    Instr& computed = b.blocks[0]->instrs[in_b];
    computed.kind = InstrKind::load;
    computed.operands.clear();
    place(computed, buffer, row_b_);
    schedule_.accesses[&computed] = access_of(row_b_);
    return true;
  }

  static void place(Instr& instr, loops::BufferId buffer, Expr at) {
    instr.buffer = buffer;
    instr.indices = {at};
  }

  static Access access_of(Expr at) {
    Access access;
    access.offset = at;
    access.step = Expr(1);
    return access;
  }

  /// Accesses are found by the address of their instruction, so they move along.
  void insert_after(Block& block, size_t position, Instr added, Expr at) {
    std::vector<Instr> instrs;
    instrs.reserve(block.instrs.size() + 1);
    for (size_t i = 0; i < block.instrs.size(); ++i) {
      move_to_end(schedule_, instrs, block.instrs[i]);
      if (i != position) continue;
      instrs.push_back(std::move(added));
      schedule_.accesses[&instrs.back()] = access_of(at);
    }
    block.instrs = std::move(instrs);
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
    instrs.reserve(block.instrs.size());
    for (size_t i = 0; i < block.instrs.size(); ++i) {
      if (stays[i]) {
        move_to_end(schedule_, instrs, block.instrs[i]);
      } else {
        schedule_.accesses.erase(&block.instrs[i]);
      }
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

  DType dtype(ValueId id) const { return schedule_.kernel.values[static_cast<size_t>(id)].dtype; }

  Schedule& schedule_;
  int native_;
  int64_t kept_bytes_ = 0;
  Expr row_a_;
  Expr row_b_;
};

/// The steps from rows that the loop `inner` reads to those of the next iteration of `outer`.
std::vector<std::pair<const Instr*, Expr>> rows_of(const Schedule& schedule, const Instr& outer,
                                                   const Instr& inner) {
  std::vector<std::pair<const Instr*, Expr>> rows;
  const SymbolId row = outer.vars.back().symbol.symbol();
  for (const Instr& instr : inner.blocks[0]->instrs) {
    if (instr.kind != InstrKind::load || instr.predicate != loops::kNoValue) continue;
    const Access& access = schedule.accesses.at(&instr);
    const auto linear = linear_in(access.offset, row);
    if (!access.computed.empty() || !access.is_affine || !access.step.is(1) || !linear) continue;
    if (linear->first.is(0) || !linear->first.is_constant()) continue;
    rows.emplace_back(&instr, linear->first);
  }
  return rows;
}

}  // namespace

void keep_rows(Schedule& schedule, const ScheduleOptions& options) {
  RowKeeper(schedule, options.vector_bytes / 4).run(schedule.kernel.body);
}

void fetch_rows_ahead(Schedule& schedule) {
  for (const Instr& outer : schedule.kernel.body.instrs) {
    if (outer.kind != InstrKind::loop || !outer.carried.empty() || schedule.lanes_of(outer) > 1) {
      continue;
    }

    // Every buffer's rows are asked for by the costliest loop that reads them, unless it is the
    // first: there the processor sees by itself what comes next.
    struct Reader {
      loops::BufferId buffer;
      const Instr* load;
      Expr step;
      double cost;
      int readers;
    };

    std::vector<Reader> readers;
    for (const Instr& inner : outer.blocks[0]->instrs) {
      if (inner.blocks.empty() || inner.vars.size() != 1 || schedule.lanes_of(inner) == 1) continue;
      const double cost = cost_of(schedule, *inner.blocks[0]);
      const double bytes = estimate(inner.vars[0].extent) * 4;
      if (bytes > kMostAheadBytes || bytes < 4 * kLeastRow) continue;
      for (const auto& [load, step] : rows_of(schedule, outer, inner)) {
        const auto found = std::ranges::find(readers, load->buffer, &Reader::buffer);
        if (found == readers.end()) {
          readers.push_back({load->buffer, load, step, 0, 1});
          continue;
        }
        ++found->readers;
        if (cost < found->cost) continue;
        *found = {load->buffer, load, step, cost, found->readers};
      }
    }
    for (const Reader& reader : readers) {
      if (reader.readers > 1) schedule.accesses.at(reader.load).ahead = reader.step;
    }
  }
}

namespace {

bool is_stream_loop(const Schedule& schedule, const Instr& instr) {
  const bool is_loop = instr.kind == InstrKind::loop || instr.kind == InstrKind::reduce;
  return is_loop && schedule.lanes_of(instr) > 1 && !schedule.tiled.contains(&instr) &&
         !schedule.column_blocks.contains(&instr) &&
         std::ranges::all_of(instr.blocks[0]->instrs,
                             [](const Instr& inner) { return inner.blocks.empty(); });
}

}  // namespace

void fetch_streams_ahead(Schedule& schedule) {
  std::vector<const Instr*> loads;
  walk(std::as_const(schedule.kernel.body), [&](const Instr& loop) {
    if (loop.blocks.empty() || !is_stream_loop(schedule, loop)) return;
    for (const Instr& instr : loop.blocks[0]->instrs) {
      if (instr.kind == InstrKind::load) loads.push_back(&instr);
    }
  });
  for (const Instr* load : loads) {
    const TensorType& type = schedule.kernel.buffers[static_cast<size_t>(load->buffer)].type;
    Access& access = schedule.accesses.at(load);
    const auto is_other = [&](const Instr* other) {
      return other != load && other->buffer == load->buffer;
    };
    // What several loops read is found in the cache, or fetched by rows.
    if (!access.computed.empty() || !access.is_affine || !access.step.is(1) ||
        !is_beyond_caches(type) || std::ranges::any_of(loads, is_other)) {
      continue;
    }
    access.ahead = Expr(kStreamAheadBytes / item_size(type.dtype));
  }
}

}  // namespace litz::schedule
