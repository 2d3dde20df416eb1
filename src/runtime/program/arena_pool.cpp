#include "runtime/program/arena_pool.h"

#include <algorithm>
#include <bit>

namespace litz::runtime {

size_t arena_size(size_t bytes) {
  constexpr size_t kLeast = 4096;
  if (bytes <= kLeast) return kLeast;
  const size_t step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

std::shared_ptr<ArenaPool::Arena> ArenaPool::take(size_t bytes) {
  std::shared_ptr<Arena> best;
  for (const std::shared_ptr<Arena>& arena : arenas_) {
    if (arena->is_taken || arena->memory->size() < bytes) continue;
    if (best == nullptr || arena->memory->size() < best->memory->size()) best = arena;
  }
  if (best == nullptr) {
    std::erase_if(arenas_, [](const std::shared_ptr<Arena>& arena) {
      if (!arena->is_taken) arena->is_dropped = true;
      return arena->is_dropped;
    });
    best = std::make_shared<Arena>();
    best->memory = device_.allocate(arena_size(bytes));
    arenas_.push_back(best);
  }
  best->is_taken = true;
  return best;
}

size_t ArenaPool::bytes() const {
  size_t bytes = 0;
  for (const std::shared_ptr<Arena>& arena : arenas_) bytes += arena->memory->size();
  return bytes;
}

}  // namespace litz::runtime
