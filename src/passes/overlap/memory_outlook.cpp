#include "passes/overlap/memory_outlook.h"

#include <algorithm>

namespace litz::passes {

MemoryOutlook::MemoryOutlook(std::span<const double> bytes) {
  while (width_ < bytes.size()) width_ *= 2;
  most_.assign(2 * width_, 0);
  added_.assign(2 * width_, 0);
  std::ranges::copy(bytes, most_.begin() + static_cast<std::ptrdiff_t>(width_));
  for (size_t node = width_ - 1; node > 0; --node) {
    most_[node] = std::max(most_[2 * node], most_[2 * node + 1]);
  }
}

double MemoryOutlook::most(size_t begin, size_t end) const {
  return begin < end ? most_in(1, 0, width_, begin, end) : 0;
}

void MemoryOutlook::add(size_t begin, size_t end, double bytes) {
  add_in(1, 0, width_, begin, end, bytes);
}

double MemoryOutlook::most_in(size_t node, size_t low, size_t high, size_t begin,
                              size_t end) const {
  if (begin >= high || end <= low) return 0;
  if (begin <= low && high <= end) return most_[node];
  const size_t half = (low + high) / 2;
  return added_[node] + std::max(most_in(2 * node, low, half, begin, end),
                                 most_in(2 * node + 1, half, high, begin, end));
}

void MemoryOutlook::add_in(size_t node, size_t low, size_t high, size_t begin, size_t end,
                           double bytes) {
  if (begin >= high || end <= low) return;
  if (begin <= low && high <= end) {
    most_[node] += bytes;
    added_[node] += bytes;
    return;
  }
  const size_t half = (low + high) / 2;
  add_in(2 * node, low, half, begin, end, bytes);
  add_in(2 * node + 1, half, high, begin, end, bytes);
  most_[node] = added_[node] + std::max(most_[2 * node], most_[2 * node + 1]);
}

}  // namespace litz::passes
