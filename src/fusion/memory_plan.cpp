#include "fusion/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "fusion/address.h"
#include "fusion/kernel_edit.h"
#include "fusion/pointwise.h"
#include "fusion/storages.h"
#include "support/check.h"
#include "types/tensor.h"

namespace litz::fusion {
namespace {

using lowering::KernelStep;
using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

constexpr int64_t kAlignment = 64;  // A cache line, and the widest vector.
// Beyond this many blocks, largest first takes longer than it is worth.
constexpr size_t kMostBySize = 4096;

/// Memory that one or more slots use in turn.
struct Chunk {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
  int64_t offset = 0;
};

int64_t rounded_up(int64_t bytes) {
  require(bytes <= INT64_MAX - kAlignment, ErrorCode::limit_exceeded,
          "a tensor must fit into memory:", bytes);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t bytes_of(const TensorType& type, const Bindings& bindings) {
  const std::vector<int64_t> sizes = evaluate(type.sizes, bindings);
  for (const int64_t size : sizes) {
    require(size >= 0, ErrorCode::out_of_range, "a size must not be negative:", size);
  }
  const int64_t elements = storage_span(sizes, evaluate(type.strides, bindings), 0);
  int64_t bytes = 0;
  require(!__builtin_mul_overflow(elements, item_size(type.dtype), &bytes),
          ErrorCode::limit_exceeded, "a tensor must fit into memory:", elements);
  // Empty ones get a place, too: addresses are then never null.
  return std::max<int64_t>(rounded_up(bytes), kAlignment);
}

/// The address that all accesses of a slot's buffers in a kernel have, if there is one.
std::optional<Expr> only_address(const KernelStep& kernel, Slot slot) {
  std::optional<Expr> only;
  bool is_one = true;
  for_each_instr(kernel.kernel.body, [&](const loops::Instr& instr) {
    if (instr.buffer < 0) return;
    const auto buffer = static_cast<size_t>(instr.buffer);
    if (kernel.buffers[buffer].slot != slot) return;
    std::vector<Expr> indices;
    for (const loops::Index& index : instr.indices) {
      if (const auto* expr = std::get_if<Expr>(&index)) indices.push_back(*expr);
    }
    if (indices.size() < instr.indices.size()) {
      is_one = false;
      return;
    }
    const Expr address = address_of(kernel.kernel.buffers[buffer].type,
                                    binding_offset(kernel.buffers[buffer]), indices);
    is_one = is_one && (!only || *only == address);
    only = address;
  });
  return is_one ? only : std::nullopt;
}

/// Whether no iteration reads of one slot after it has stored into the other.
bool reads_before_stores(const KernelStep& kernel, Slot read, Slot stored) {
  bool has_stored = false;
  bool is_in_order = true;
  for_each_instr(kernel.kernel.body, [&](const loops::Instr& instr) {
    if (instr.buffer < 0) return;
    const Slot slot = kernel.buffers[static_cast<size_t>(instr.buffer)].slot;
    if (slot == stored) has_stored = true;
    if (slot == read && has_stored) is_in_order = false;
  });
  return is_in_order;
}

bool same_items(const KernelStep& kernel, Slot a, Slot b) {
  std::optional<int64_t> item;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].slot != a && kernel.buffers[i].slot != b) continue;
    const int64_t own = item_size(kernel.kernel.buffers[i].type.dtype);
    if (item && *item != own) return false;
    item = own;
  }
  return item.has_value();
}

class MemoryPlanner {
 public:
  MemoryPlanner(const Plan& plan, const Bindings& bindings, const MemoryPlanOptions& options)
      : plan_(plan), options_(options), storages_(find_storages(plan)) {
    chunk_of_.assign(storages_.all.size(), -1);
    bytes_.assign(storages_.all.size(), 0);
    for (size_t i = 0; i < storages_.all.size(); ++i) {
      if (storages_.all[i].is_internal) bytes_[i] = bytes_of(storages_.all[i].type, bindings);
    }
  }

  MemoryPlan run() {
    make_chunks();
    const int64_t by_time = place_by_time();
    std::vector<Chunk> timed = chunks_;
    if (chunks_.size() > kMostBySize || place_by_size() > by_time) chunks_ = std::move(timed);
    finish();
    check_memory_plan(result_);
    return std::move(result_);
  }

 private:
  void make_chunks() {
    for (size_t i = 0; i < storages_.all.size(); ++i) {
      const StorageUse& use = storages_.all[i];
      if (!use.is_internal) continue;
      result_.unplanned += bytes_[i];
      const int operand = options_.in_place ? dying_operand(i) : -1;
      if (operand >= 0) {
        const int chunk = chunk_of_[static_cast<size_t>(operand)];
        chunk_of_[i] = chunk;
        chunks_[static_cast<size_t>(chunk)].last = use.last;
        result_.in_place.push_back(
            {use.first, storages_.all[static_cast<size_t>(operand)].slot, use.slot});
        continue;
      }
      chunk_of_[i] = static_cast<int>(chunks_.size());
      chunks_.push_back({bytes_[i], use.first, use.last, 0});
    }
  }

  // A storage that the result may overwrite: read for the last time by the pointwise kernel that
  // makes the result, at the very address where it stores, and before it does. An epilogue
  // overwrites only its call's result: the call still reads operands while parts of the result are
  // finished.
  int dying_operand(size_t result) const {
    const StorageUse& use = storages_.all[result];
    const Step& step = plan_.steps[static_cast<size_t>(use.first)];
    const auto* kernel = std::get_if<KernelStep>(&step.work);
    const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
    const bool is_epilogue = library != nullptr && library->epilogue;
    if (is_epilogue) kernel = &*library->epilogue;
    if (kernel == nullptr || !pointwise_nest(kernel->kernel)) return -1;
    const std::optional<Expr> stored = only_address(*kernel, use.slot);
    if (!stored) return -1;
    for (const lowering::BufferSlot& buffer : kernel->buffers) {
      if (buffer.slot == kNoSlot || buffer.slot == use.slot) continue;
      if (is_epilogue && buffer.slot != step.results[0].slot) continue;
      const int operand = storages_.of_slot[static_cast<size_t>(buffer.slot)];
      if (operand < 0 || chunk_of_[static_cast<size_t>(operand)] < 0) continue;
      const StorageUse& source = storages_.all[static_cast<size_t>(operand)];
      const Chunk& chunk = chunks_[static_cast<size_t>(chunk_of_[static_cast<size_t>(operand)])];
      // A chunk that already passed on is in use beyond this step.
      const bool dies = source.last == use.first && chunk.last == use.first;
      if (!dies || source.slot != buffer.slot || chunk.bytes < bytes_[result]) continue;
      if (is_taken(buffer.slot) || is_seen_through_views(*kernel, operand, buffer.slot)) continue;
      if (!same_items(*kernel, use.slot, buffer.slot)) continue;
      if (!reads_before_stores(*kernel, buffer.slot, use.slot)) continue;
      const std::optional<Expr> read = only_address(*kernel, buffer.slot);
      if (read && *read == *stored) return operand;
    }
    return -1;
  }

  bool is_taken(Slot operand) const {
    return std::ranges::count(result_.in_place, operand, &InPlace::operand) > 0;
  }

  bool is_seen_through_views(const KernelStep& kernel, int storage, Slot slot) const {
    return std::ranges::any_of(kernel.buffers, [&](const lowering::BufferSlot& buffer) {
      return buffer.slot != kNoSlot && buffer.slot != slot &&
             storages_.of_slot[static_cast<size_t>(buffer.slot)] == storage;
    });
  }

  // The tightest free block, or the end.
  int64_t place_by_time() {
    std::vector<size_t> order(chunks_.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<size_t> ends = order;
    std::ranges::stable_sort(order, {}, [&](size_t i) { return chunks_[i].first; });
    std::ranges::stable_sort(ends, {}, [&](size_t i) { return chunks_[i].last; });
    std::map<int64_t, int64_t> free;  // Offset to end.
    std::multimap<int64_t, int64_t> by_size;
    const auto forget = [&](int64_t offset, int64_t end) {
      auto [at, to] = by_size.equal_range(end - offset);
      while (at != to && at->second != offset) ++at;
      by_size.erase(at);
      free.erase(offset);
    };
    const auto give = [&](int64_t offset, int64_t end) {
      auto next = free.lower_bound(offset);
      if (next != free.end() && next->first == end) {
        end = next->second;
        forget(next->first, end);
      }
      next = free.lower_bound(offset);
      if (next != free.begin() && std::prev(next)->second == offset) {
        const int64_t begin = std::prev(next)->first;
        forget(begin, offset);
        offset = begin;
      }
      free[offset] = end;
      by_size.emplace(end - offset, offset);
    };
    int64_t top = 0;
    size_t ended = 0;
    for (const size_t i : order) {
      Chunk& chunk = chunks_[i];
      for (; ended < ends.size() && chunks_[ends[ended]].last < chunk.first; ++ended) {
        const Chunk& gone = chunks_[ends[ended]];
        give(gone.offset, gone.offset + gone.bytes);
      }
      const auto fit = by_size.lower_bound(chunk.bytes);
      if (fit != by_size.end()) {
        chunk.offset = fit->second;
        const int64_t end = chunk.offset + fit->first;
        forget(chunk.offset, end);
        if (end > chunk.offset + chunk.bytes) give(chunk.offset + chunk.bytes, end);
        continue;
      }
      // The block at the end may be free and just too small.
      chunk.offset = top;
      if (!free.empty() && free.rbegin()->second == top) {
        chunk.offset = free.rbegin()->first;
        forget(chunk.offset, top);
      }
      top = chunk.offset + chunk.bytes;
    }
    return top;
  }

  // Largest first, each into the tightest gap between those that are in use at the same time.
  int64_t place_by_size() {
    std::vector<size_t> order(chunks_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return chunks_[i].bytes; });
    std::vector<const Chunk*> placed;  // By offset.
    int64_t top = 0;
    for (const size_t i : order) {
      Chunk& chunk = chunks_[i];
      int64_t best = -1;
      int64_t best_gap = INT64_MAX;
      int64_t end = 0;
      for (const Chunk* other : placed) {
        if (other->last < chunk.first || chunk.last < other->first) continue;
        const int64_t gap = other->offset - end;
        if (gap >= chunk.bytes && gap < best_gap) {
          best = end;
          best_gap = gap;
        }
        end = std::max(end, other->offset + other->bytes);
      }
      chunk.offset = best >= 0 ? best : end;
      top = std::max(top, chunk.offset + chunk.bytes);
      const auto at = std::ranges::upper_bound(placed, chunk.offset, {},
                                               [](const Chunk* other) { return other->offset; });
      placed.insert(at, &chunk);
    }
    return top;
  }

  void finish() {
    for (size_t i = 0; i < storages_.all.size(); ++i) {
      if (chunk_of_[i] < 0) continue;
      const StorageUse& use = storages_.all[i];
      const Chunk& chunk = chunks_[static_cast<size_t>(chunk_of_[i])];
      result_.placements.push_back({use.slot, chunk.offset, bytes_[i], use.first, use.last});
      result_.bytes = std::max(result_.bytes, chunk.offset + chunk.bytes);
    }
    std::map<int, int64_t> changes;
    for (const Chunk& chunk : chunks_) {
      changes[chunk.first] += chunk.bytes;
      changes[chunk.last + 1] -= chunk.bytes;
    }
    int64_t live = 0;
    for (const auto& [step, change] : changes) {
      live += change;
      result_.peak = std::max(result_.peak, live);
    }
  }

  const Plan& plan_;
  const MemoryPlanOptions& options_;
  Storages storages_;
  std::vector<int64_t> bytes_;  ///< By storage.
  std::vector<int> chunk_of_;
  std::vector<Chunk> chunks_;
  MemoryPlan result_;
};

}  // namespace

MemoryPlan plan_memory(const Plan& plan, const Bindings& bindings,
                       const MemoryPlanOptions& options) {
  return MemoryPlanner(plan, bindings, options).run();
}

void check_memory_plan(const MemoryPlan& plan) {
  // Slots that die come off before those that are made at the next step; in-place pairs meet at one.
  std::map<Slot, Slot> operands;
  for (const InPlace& pair : plan.in_place) operands[pair.result] = pair.operand;
  std::vector<const Placement*> by_end;
  for (const Placement& placement : plan.placements) by_end.push_back(&placement);
  std::ranges::stable_sort(by_end, {}, &Placement::last);
  std::map<int64_t, const Placement*> live;
  size_t ended = 0;
  for (const Placement& placement : plan.placements) {
    for (; ended < by_end.size() && by_end[ended]->last < placement.first; ++ended) {
      const auto found = live.find(by_end[ended]->offset);
      if (found != live.end() && found->second == by_end[ended]) live.erase(found);
    }
    if (const auto operand = operands.find(placement.slot); operand != operands.end()) {
      const auto found = live.find(placement.offset);
      const bool is_operand = found != live.end() && found->second->slot == operand->second &&
                              found->second->last == placement.first;
      if (is_operand) live.erase(found);
    }
    const auto next = live.lower_bound(placement.offset);
    const int64_t end = placement.offset + placement.bytes;
    const bool is_free =
        (next == live.end() || next->first >= end) &&
        (next == live.begin() ||
         std::prev(next)->first + std::prev(next)->second->bytes <= placement.offset);
    check(is_free && placement.offset % kAlignment == 0 && end <= plan.bytes,
          "slots in use at one time must not share memory:", placement.slot, placement.offset);
    live.emplace(placement.offset, &placement);
  }
}

}  // namespace litz::fusion
