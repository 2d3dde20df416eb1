#include "runtime/program/arena_pool.h"

#include <algorithm>
#include <bit>

namespace litz::runtime {
namespace {

// Reserved addresses are free, and other sizes of a program seldom need more than this.
constexpr size_t kLeastReserved = size_t{64} << 20;
constexpr size_t kGrowth = 4;

}  // namespace

size_t arena_size(size_t bytes) {
  constexpr size_t kLeast = 4096;
  if (bytes <= kLeast) return kLeast;
  const size_t step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

std::shared_ptr<ArenaPool::Arena> ArenaPool::take(size_t bytes) {
  std::shared_ptr<Arena> best;
  const auto is_better = [&](const Arena& arena) {
    if (arena.is_taken || arena.range->reserved() < arena_size(bytes)) return false;
    if (best == nullptr) return true;
    const bool fits = arena.memory->size() >= bytes;
    const bool best_fits = best->memory->size() >= bytes;
    if (fits != best_fits) return fits;
    // Prefer the smallest that is large enough, else the largest, which grows least.
    return fits == (arena.memory->size() < best->memory->size());
  };
  for (const std::shared_ptr<Arena>& arena : arenas_) {
    if (is_better(*arena)) best = arena;
  }
  if (best == nullptr) {
    std::erase_if(arenas_, [](const std::shared_ptr<Arena>& arena) {
      if (!arena->is_taken) arena->is_dropped = true;
      return arena->is_dropped;
    });
    best = std::make_shared<Arena>();
    best->range = device_.reserve(std::max(kLeastReserved, kGrowth * arena_size(bytes)));
    grow(*best, bytes);
    arenas_.push_back(best);
  } else if (best->memory->size() < bytes) {
    grow(*best, bytes);
  }
  best->is_taken = true;
  return best;
}

void ArenaPool::grow(Arena& arena, size_t bytes) const {
  const size_t size = arena_size(bytes);
  arena.range->commit(size);
  arena.memory = Storage::lend({arena.range->base(), size}, device_.device(), arena.range);
}

size_t ArenaPool::bytes() const {
  size_t bytes = 0;
  for (const std::shared_ptr<Arena>& arena : arenas_) bytes += arena->memory->size();
  return bytes;
}

}  // namespace litz::runtime
