#include "kernels/library_context.h"

#include <functional>

namespace litz::kernels {

std::shared_ptr<Storage> LibraryContext::take_scratch(size_t bytes) {
  std::shared_ptr<Storage> taken;
  {
    const std::lock_guard lock(mutex_);
    // Take the smallest block that is large enough, else replace the largest: the number of blocks
    // stays that of concurrent users.
    size_t best = scratch_.size();
    for (size_t i = 0; i < scratch_.size(); ++i) {
      if (best == scratch_.size()) {
        best = i;
        continue;
      }
      const size_t size = scratch_[i]->size();
      const size_t chosen = scratch_[best]->size();
      const bool is_better = chosen >= bytes ? size >= bytes && size < chosen : size > chosen;
      if (is_better) best = i;
    }
    if (best < scratch_.size()) {
      taken = std::move(scratch_[best]);
      scratch_[best] = std::move(scratch_.back());
      scratch_.pop_back();
    }
  }
  if (taken != nullptr && taken->size() >= bytes) return taken;
  taken.reset();  // Before the larger one is made, to keep the peak low.
  return Storage::allocate_uninitialized(bytes);
}

void LibraryContext::give_back(std::shared_ptr<Storage> scratch) {
  const std::lock_guard lock(mutex_);
  scratch_.push_back(std::move(scratch));
}

const std::byte* LibraryContext::packed(const PackedKey& key, size_t bytes, const Pack& pack) {
  const std::lock_guard packing(pack_mutex_);
  {
    const std::lock_guard lock(mutex_);
    const auto found = packed_.find(key);
    if (found != packed_.end() && found->second->size() >= bytes) return found->second->data();
  }
  std::shared_ptr<Storage> storage = Storage::allocate_uninitialized(bytes);
  pack(storage->mutable_data());
  const std::byte* const made = storage->data();
  adopt(key, std::move(storage));
  return made;
}

void LibraryContext::adopt(const PackedKey& key, std::shared_ptr<Storage> bytes) {
  const std::lock_guard lock(mutex_);
  if (!packed_.contains(key)) order_.push_back(key);
  packed_[key] = std::move(bytes);
}

std::vector<std::pair<LibraryContext::PackedKey, std::shared_ptr<Storage>>>
LibraryContext::packed_constants() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<PackedKey, std::shared_ptr<Storage>>> all;
  for (const PackedKey& key : order_) all.emplace_back(key, packed_.at(key));
  return all;
}

void LibraryContext::release(std::span<const std::byte> original) const {
  for (const Tensor& constant : constants_) {
    if (!constant.defined()) continue;
    const Storage& storage = *constant.storage();
    const std::less_equal<> is_in_order;  // Also orders addresses in different arrays.
    if (!is_in_order(storage.data(), original.data()) ||
        !is_in_order(original.data() + original.size(), storage.data() + storage.size())) {
      continue;
    }
    storage.release_pages(static_cast<size_t>(original.data() - storage.data()), original.size());
    return;
  }
}

size_t LibraryContext::packed_bytes() const {
  const std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (const auto& [key, storage] : packed_) bytes += storage->size();
  return bytes;
}

}  // namespace litz::kernels
