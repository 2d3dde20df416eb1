// Memory that is allocated in order and freed all at once.

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace litz {

/// Owns blocks of memory. Objects in it are not destroyed, so they must not need it. Addresses are
/// stable. Not thread-safe.
class Arena {
 public:
  /// Returns uninitialised memory.
  void* allocate(size_t bytes, size_t alignment) {
    const size_t at = (used_ + alignment - 1) / alignment * alignment;
    if (blocks_.empty() || at > capacity_ || bytes > capacity_ - at) {
      return allocate_in_new_block(bytes);
    }
    used_ = at + bytes;
    return blocks_.back().get() + at;
  }

  /// Returns an array of default-constructed elements.
  template <typename T>
  std::span<T> make_array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never runs destructors");
    static_assert(alignof(T) <= alignof(std::max_align_t));
    if (count == 0) return {};
    T* const first = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    for (size_t i = 0; i < count; ++i) new (first + i) T();
    return {first, count};
  }

 private:
  static constexpr size_t kBlock = 64 * 1024;

  void* allocate_in_new_block(size_t bytes) {
    // Blocks double up to 4 MiB: few allocations for large trees, little waste for small ones.
    const size_t grown = std::min<size_t>(kBlock << std::min<size_t>(blocks_.size(), 6), 4 << 20);
    capacity_ = std::max(grown, bytes);
    blocks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[capacity_]));
    used_ = bytes;
    return blocks_.back().get();
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t used_ = 0;
  size_t capacity_ = 0;
};

}  // namespace litz
