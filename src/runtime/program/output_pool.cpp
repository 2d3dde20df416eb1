#include "runtime/program/output_pool.h"

#include <algorithm>
#include <atomic>

namespace litz::runtime {
namespace {

// malloc itself reuses smaller blocks quickly.
constexpr size_t kLeastBytes = 64 << 10;

}  // namespace

std::shared_ptr<Storage> OutputPool::take(size_t bytes, StreamId stream) {
  if (bytes < kLeastBytes || !device_.caps().is_immediate)
    return device_.allocate_on(stream, bytes);
  const std::lock_guard lock(mutex_);
  const auto free = std::ranges::find_if(blocks_, [&](const std::shared_ptr<Storage>& block) {
    // The pool is the only owner, so no other thread can share it now.
    return block.use_count() == 1 && block->size() >= bytes && block->size() - bytes <= bytes / 4;
  });
  std::shared_ptr<Storage> taken;
  if (free != blocks_.end()) {
    // Order the last owner's accesses before the next owner's.
    std::atomic_thread_fence(std::memory_order_acquire);
    taken = std::move(*free);
    blocks_.erase(free);
  } else {
    taken = device_.allocate(bytes);
    if (blocks_.size() == most_) blocks_.erase(blocks_.begin());
  }
  blocks_.push_back(taken);
  return taken;
}

}  // namespace litz::runtime
