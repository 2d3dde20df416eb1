#include "memory/memory_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "loops/instrs.h"
#include "loops/pointwise.h"
#include "support/check.h"
#include "types/address.h"
#include "types/span_bytes.h"

namespace litz::memory {
namespace {

using lowering::KernelStep;
using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

/// The address that all accesses of a slot's buffers in a kernel share, if there is one.
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
    const Expr address =
        address_of(kernel.kernel.buffers[buffer].type, kernel.buffers[buffer].offset(), indices);
    is_one = is_one && (!only || *only == address);
    only = address;
  });
  return is_one ? only : std::nullopt;
}

/// True if no iteration reads one slot after it has stored to the other.
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

/// True if a value of `part` bytes always fits into `whole` bytes.
bool always_fits(Expr part, Expr whole) {
  if (part.is_constant() && whole.is_constant()) {
    return rounded_block(part.constant()) <= rounded_block(whole.constant());
  }
  return known_less_equal(part, whole);
}

}  // namespace

MemoryPlanner::MemoryPlanner(lowering::PlanPart part, const MemoryPlanOptions& options)
    : part_(std::move(part)), storages_(find_storages(part_)) {
  chunk_of_.assign(storages_.all.size(), -1);
  for (size_t i = 0; i < storages_.all.size(); ++i) {
    const StorageUse& use = storages_.all[i];
    bytes_.push_back(use.is_internal ? span_bytes(use.type) : Expr(0));
    if (!use.is_internal) continue;
    for (const Expr size : use.type.sizes) {
      if (!known_less_equal(0, size)) signed_sizes_.push_back(size);
    }
    const int operand = options.in_place ? dying_operand(i) : -1;
    if (operand >= 0) {
      const int chunk = chunk_of_[static_cast<size_t>(operand)];
      chunk_of_[i] = chunk;
      chunks_[static_cast<size_t>(chunk)].last = use.last;
      in_place_.push_back({use.first, storages_.all[static_cast<size_t>(operand)].slot, use.slot});
      continue;
    }
    chunk_of_[i] = static_cast<int>(chunks_.size());
    chunks_.push_back({bytes_[i], use.first, use.last});
  }
}

// Finds a storage that the result may overwrite. The pointwise kernel that makes the result must be
// its last reader, and must read each element at the address where it stores, before the store. An
// epilogue overwrites only its call's result: the call still reads operands while parts of the
// result are complete.
int MemoryPlanner::dying_operand(size_t result) const {
  const StorageUse& use = storages_.all[result];
  const Step& step = *part_.steps[static_cast<size_t>(use.first)];
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
    const SizedChunk& chunk = chunks_[static_cast<size_t>(chunk_of_[static_cast<size_t>(operand)])];
    // A chunk that was reused before is live beyond this step.
    const bool dies = source.last == use.first && chunk.last == use.first;
    if (!dies || source.slot != buffer.slot) continue;
    if (is_taken(buffer.slot) || is_seen_through_views(*kernel, operand, buffer.slot)) continue;
    if (!same_items(*kernel, use.slot, buffer.slot)) continue;
    if (!reads_before_stores(*kernel, buffer.slot, use.slot)) continue;
    const std::optional<Expr> read = only_address(*kernel, buffer.slot);
    if (read && *read == *stored && always_fits(bytes_[result], chunk.bytes)) return operand;
  }
  return -1;
}

bool MemoryPlanner::is_taken(Slot operand) const {
  return std::ranges::count(in_place_, operand, &InPlace::operand) > 0;
}

bool MemoryPlanner::is_seen_through_views(const KernelStep& kernel, int storage, Slot slot) const {
  return std::ranges::any_of(kernel.buffers, [&](const lowering::BufferSlot& buffer) {
    return buffer.slot != kNoSlot && buffer.slot != slot &&
           storages_.of_slot[static_cast<size_t>(buffer.slot)] == storage;
  });
}

MemoryPlan MemoryPlanner::plan(const Bindings& bindings) const {
  for (const Expr size : signed_sizes_) {
    const int64_t value = evaluate(size, bindings);
    require(value >= 0, ErrorCode::out_of_range, "a size must not be negative:", value);
  }
  std::vector<int64_t> bytes;
  bytes.reserve(bytes_.size());
  for (const Expr needed : bytes_) bytes.push_back(rounded_block(evaluate(needed, bindings)));
  return plan_for(bytes);
}

std::optional<MemoryPlan> MemoryPlanner::plan(const SizeBox& box) const {
  std::map<const ExprNode*, int64_t> known;
  std::vector<int64_t> bytes;
  bytes.reserve(bytes_.size());
  for (const Expr needed : bytes_) {
    int64_t& most = known.try_emplace(needed.node(), -1).first->second;
    if (most < 0 || needed.is_constant()) most = box.bounds(needed).hi;
    if (most > kMostBlockBytes) return std::nullopt;
    bytes.push_back(rounded_block(std::max<int64_t>(most, 0)));
  }
  return plan_for(bytes);
}

// `bytes` by storage.
MemoryPlan MemoryPlanner::plan_for(std::span<const int64_t> bytes) const {
  MemoryPlan result;
  result.in_place = in_place_;
  for (const SizedChunk& chunk : chunks_) result.chunks.push_back({0, chunk.first, chunk.last, 0});
  const auto chunk_of = [&](size_t storage) -> Chunk& {
    return result.chunks[static_cast<size_t>(chunk_of_[storage])];
  };
  for (size_t i = 0; i < storages_.all.size(); ++i) {
    if (chunk_of_[i] < 0) continue;
    result.unplanned += bytes[i];
    // The first storage of a chunk is the largest.
    if (chunk_of(i).bytes == 0) chunk_of(i).bytes = bytes[i];
  }
  result.bytes = arrange(result.chunks);
  for (size_t i = 0; i < storages_.all.size(); ++i) {
    if (chunk_of_[i] < 0) continue;
    const StorageUse& use = storages_.all[i];
    const Chunk& chunk = chunk_of(i);
    result.placements.push_back(
        {use.slot, chunk.offset, std::min(bytes[i], chunk.bytes), use.first, use.last});
  }
  std::map<int, int64_t> changes;
  for (const Chunk& chunk : result.chunks) {
    changes[chunk.first] += chunk.bytes;
    changes[chunk.last + 1] -= chunk.bytes;
  }
  int64_t live = 0;
  for (const auto& [step, change] : changes) {
    live += change;
    result.peak = std::max(result.peak, live);
  }
  check_memory_plan(result);
  return result;
}

std::vector<int> MemoryPlanner::chunks_by_slot() const {
  std::vector<int> chunks(static_cast<size_t>(part_.slot_count), -1);
  for (size_t i = 0; i < storages_.all.size(); ++i) {
    chunks[static_cast<size_t>(storages_.all[i].slot)] = chunk_of_[i];
  }
  return chunks;
}

MemoryPlan plan_memory(const Plan& plan, const Bindings& bindings,
                       const MemoryPlanOptions& options) {
  return MemoryPlanner(plan, options).plan(bindings);
}

void check_memory_plan(const MemoryPlan& plan) {
  // Slots that die come off before those that are made at the next step; in-place pairs meet at
  // one.
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
    check(is_free && placement.offset % kBlockAlignment == 0 && end <= plan.bytes,
          "slots in use at one time must not share memory:", placement.slot, placement.offset);
    live.emplace(placement.offset, &placement);
  }
}

}  // namespace litz::memory
