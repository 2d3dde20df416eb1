#include "runtime/cpu/bound_tensors.h"

#include "support/check.h"

namespace litz::runtime {

void BoundTensors::add(Tensor& target, const artifact::TensorSlot& slot, const Bindings& symbols) {
  if (slot.slot.storage == artifact::kNoStorage) return;
  entries_.push_back({.target = &target,
                      .storage = static_cast<size_t>(slot.slot.storage),
                      .offset = evaluate(slot.slot.offset, symbols),
                      .dtype = slot.type.dtype,
                      .sizes = evaluate(slot.type.sizes, symbols),
                      .strides = evaluate(slot.type.strides, symbols)});
}

void BoundTensors::make(const Entry& entry, const MemoryPlace& place) {
  const int64_t offset = place.base - place.memory->data() + entry.offset;
  const auto item = static_cast<int64_t>(item_size(entry.dtype));
  check(offset % item == 0, "a tensor starts at a multiple of its element's size:", offset, item);
  *entry.target = Tensor(entry.dtype, entry.sizes, entry.strides, offset / item, place.memory);
}

void BoundTensors::attach_lasting(std::span<const MemoryPlace> places) {
  for (const Entry& entry : entries_) {
    if (places[entry.storage].is_lasting) {
      make(entry, places[entry.storage]);
    } else {
      passing_.push_back(&entry);
    }
  }
}

void BoundTensors::attach(std::span<const MemoryPlace> places) {
  for (const Entry* const entry : passing_) make(*entry, places[entry->storage]);
}

void BoundTensors::detach() {
  for (const Entry* const entry : passing_) *entry->target = Tensor();
}

}  // namespace litz::runtime
