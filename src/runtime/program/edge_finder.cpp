#include "runtime/program/edge_finder.h"

#include <algorithm>

namespace litz::runtime {

std::vector<NodeId> EdgeFinder::dependencies(std::span<const TouchedRange> ranges) const {
  std::vector<NodeId> found;
  for (const Touch& touch : touches_) {
    const TouchedRange& theirs = touch.range;
    const bool conflicts = std::ranges::any_of(ranges, [&](const TouchedRange& ours) {
      return ours.memory == theirs.memory && (ours.is_write || theirs.is_write) &&
             ours.begin < theirs.end && theirs.begin < ours.end;
    });
    if (conflicts) found.push_back(touch.node);
  }
  std::ranges::sort(found, {}, &NodeId::index);
  // Clang 14 cannot compile libstdc++'s std::ranges::unique.
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void EdgeFinder::add(NodeId node, std::span<const TouchedRange> ranges) {
  std::erase_if(touches_, [&](const Touch& touch) {
    return std::ranges::any_of(ranges, [&](const TouchedRange& ours) {
      return ours.is_write && ours.memory == touch.range.memory &&
             ours.begin <= touch.range.begin && touch.range.end <= ours.end;
    });
  });
  for (const TouchedRange& range : ranges) {
    if (range.begin < range.end) touches_.push_back({range, node});
  }
}

}  // namespace litz::runtime
