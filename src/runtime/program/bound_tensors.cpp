#include "runtime/program/bound_tensors.h"

#include <algorithm>

#include "support/check.h"

namespace litz::runtime {

void BoundTensors::add(Tensor& target, const artifact::TensorSlot& slot, SizeTable& sizes,
                       size_t position) {
  if (addresses_.size() <= position) addresses_.resize(position + 1);
  if (slot.slot.storage == artifact::kNoStorage) return;
  Entry& entry = entries_.emplace_back();
  entry.target = &target;
  entry.storage = static_cast<size_t>(slot.slot.storage);
  entry.position = position;
  entry.dtype = slot.type.dtype;
  entry.offset_number = sizes.add(slot.slot.offset);
  entry.size_numbers = add_all(sizes, slot.type.sizes);
  entry.stride_numbers = add_all(sizes, slot.type.strides);
  const auto varies = [](Expr expr) { return !expr.is_constant(); };
  entry.is_sized = varies(slot.slot.offset) || std::ranges::any_of(slot.type.sizes, varies) ||
                   std::ranges::any_of(slot.type.strides, varies);
  entry.offset = sizes[entry.offset_number];
  entry.sizes.resize(entry.size_numbers.size());
  entry.strides.resize(entry.stride_numbers.size());
  look_up(sizes, entry.size_numbers, entry.sizes);
  look_up(sizes, entry.stride_numbers, entry.strides);
}

void BoundTensors::set_sizes(const SizeTable& table) {
  for (Entry& entry : entries_) {
    if (!entry.is_sized) continue;
    const bool is_new = table.has_changed(entry.offset_number) ||
                        has_any_changed(table, entry.size_numbers) ||
                        has_any_changed(table, entry.stride_numbers);
    if (!is_new) continue;
    entry.offset = table[entry.offset_number];
    look_up(table, entry.size_numbers, entry.sizes);
    look_up(table, entry.stride_numbers, entry.strides);
    entry.made_on = nullptr;
  }
}

void BoundTensors::make(const Entry& entry, const MemoryPlace& place) {
  const int64_t offset = place.base - place.memory->data() + entry.offset;
  const auto item = static_cast<int64_t>(item_size(entry.dtype));
  check(offset % item == 0, "a tensor starts at a multiple of its element's size:", offset, item);
  *entry.target = Tensor(entry.dtype, entry.sizes, entry.strides, offset / item, place.memory);
}

void BoundTensors::attach_lasting(std::span<const MemoryPlace> places) {
  passing_.clear();
  for (Entry& entry : entries_) {
    const MemoryPlace& place = places[entry.storage];
    if (!place.is_lasting) {
      passing_.push_back(&entry);
    } else if (entry.made_on != place.base) {
      make(entry, place);
      entry.made_on = place.base;
      addresses_[entry.position] = place.base + entry.offset;
    }
  }
}

void BoundTensors::find_addresses(std::span<const MemoryPlace> places) {
  for (const Entry* const entry : passing_) {
    addresses_[entry->position] = places[entry->storage].base + entry->offset;
  }
}

void BoundTensors::attach(std::span<const MemoryPlace> places) {
  for (const Entry* const entry : passing_) make(*entry, places[entry->storage]);
}

void BoundTensors::detach() {
  for (const Entry* const entry : passing_) *entry->target = Tensor();
}

}  // namespace litz::runtime
