#include "runtime/cpu/call_tensors.h"

#include "support/check.h"

namespace litz::runtime {

void CallTensors::append(Tensor& target, const artifact::TensorSlot& slot, SizeTable& sizes) {
  if (slot.slot.storage == artifact::kNoStorage) return;
  slots_.emplace_back();
  add(target, slot, sizes, slots_.size() - 1);
}

void CallTensors::add(Tensor& target, const artifact::TensorSlot& slot, SizeTable& sizes,
                      size_t position) {
  if (slot.slot.storage == artifact::kNoStorage) return;
  slots_[position] = slot.slot;
  Entry& entry = entries_.emplace_back();
  entry.target = &target;
  entry.position = position;
  entry.dtype = slot.type.dtype;
  entry.size_numbers = add_all(sizes, slot.type.sizes);
  entry.stride_numbers = add_all(sizes, slot.type.strides);
  entry.sizes.resize(entry.size_numbers.size());
  entry.strides.resize(entry.stride_numbers.size());
  look_up(sizes, entry.size_numbers, entry.sizes);
  look_up(sizes, entry.stride_numbers, entry.strides);
}

void CallTensors::set_sizes(const SizeTable& table) {
  for (Entry& entry : entries_) {
    if (!has_any_changed(table, entry.size_numbers) &&
        !has_any_changed(table, entry.stride_numbers)) {
      continue;
    }
    look_up(table, entry.size_numbers, entry.sizes);
    look_up(table, entry.stride_numbers, entry.strides);
    entry.is_made = false;
  }
}

void CallTensors::attach(std::span<std::byte* const> addresses) {
  for (Entry& entry : entries_) {
    std::byte* const address = addresses[entry.position];
    if (entry.is_made && entry.made_on == address) continue;
    const auto bytes = static_cast<size_t>(storage_span(entry.sizes, entry.strides, 0) *
                                           static_cast<int64_t>(item_size(entry.dtype)));
    *entry.target =
        Tensor(entry.dtype, entry.sizes, entry.strides, 0, Storage::lend({address, bytes}));
    entry.made_on = address;
    entry.is_made = true;
  }
}

}  // namespace litz::runtime
