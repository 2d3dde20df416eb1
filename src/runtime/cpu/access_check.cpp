#include "runtime/cpu/access_check.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace litz::runtime {
namespace {

bool conflict(const ByteRange& a, const ByteRange& b) {
  // Empty ranges touch nothing, wherever they begin.
  return (a.is_write || b.is_write) && std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

// For each node, the set of nodes that must have finished before it, as bits.
class Ancestors {
 public:
  explicit Ancestors(std::span<const CheckedNode> nodes)
      : words_((nodes.size() + 63) / 64), bits_(nodes.size() * words_) {
    for (size_t node = 0; node < nodes.size(); ++node) {
      uint64_t* const own = &bits_[node * words_];
      for (const int32_t dependency : nodes[node].dependencies) {
        const auto index = static_cast<size_t>(dependency);
        check(index < node, "nodes depend on earlier ones:", node, dependency);
        for (size_t i = 0; i < words_; ++i) own[i] |= bits_[index * words_ + i];
        own[index / 64] |= uint64_t{1} << (index % 64);
      }
    }
  }

  bool contains(size_t node, size_t ancestor) const {
    return (bits_[node * words_ + ancestor / 64] >> (ancestor % 64) & 1) != 0;
  }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

void join(StreamOrder::Clock& clock, const StreamOrder::Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

uint64_t time_of(const StreamOrder::Clock& clock, int32_t stream) {
  const auto index = static_cast<size_t>(stream);
  return index < clock.size() ? clock[index] : 0;
}

}  // namespace

void check_node_order(std::span<const CheckedNode> nodes) {
  struct Touch {
    ByteRange range;
    size_t node;
  };

  std::vector<Touch> touches;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const ByteRange& range : nodes[i].ranges) touches.push_back({range, i});
  }
  std::ranges::sort(touches, {},
                    [](const Touch& touch) { return std::pair(touch.range.begin, touch.node); });
  const Ancestors ancestors(nodes);
  for (size_t i = 0; i < touches.size(); ++i) {
    for (size_t j = i + 1; j < touches.size() && touches[j].range.begin < touches[i].range.end;
         ++j) {
      const auto [first, second] = std::minmax(touches[i].node, touches[j].node);
      if (first == second || !conflict(touches[i].range, touches[j].range)) continue;
      check(ancestors.contains(second, first),
            "nodes that touch the same bytes are ordered by an edge:", nodes[first].name, "and",
            nodes[second].name, "at", touches[j].range.begin);
    }
  }
}

StreamOrder::Clock StreamOrder::clock_of(int32_t stream) const {
  const auto index = static_cast<size_t>(stream);
  Clock clock = index < clocks_.size() ? clocks_[index] : Clock();
  join(clock, host_);
  return clock;
}

void StreamOrder::launch(int32_t stream, std::vector<ByteRange> ranges) {
  Clock clock = clock_of(stream);
  for (const Launch& earlier : launches_) {
    if (earlier.stream == stream || time_of(clock, earlier.stream) >= earlier.time) continue;
    for (const ByteRange& theirs : earlier.ranges) {
      for (const ByteRange& ours : ranges) {
        check(!conflict(theirs, ours),
              "launches that touch the same bytes are ordered by an event: streams", earlier.stream,
              "and", stream, "at", std::max(theirs.begin, ours.begin));
      }
    }
  }
  const auto index = static_cast<size_t>(stream);
  if (clock.size() <= index) clock.resize(index + 1);
  const uint64_t time = ++clock[index];
  if (clocks_.size() <= index) clocks_.resize(index + 1);
  clocks_[index] = std::move(clock);
  launches_.push_back({stream, time, std::move(ranges)});
}

StreamOrder::Clock StreamOrder::record(int32_t stream) const { return clock_of(stream); }

void StreamOrder::wait(int32_t stream, const Clock& event) {
  const auto index = static_cast<size_t>(stream);
  if (clocks_.size() <= index) clocks_.resize(index + 1);
  join(clocks_[index], event);
}

void StreamOrder::synchronize(int32_t stream) {
  join(host_, clock_of(stream));
  std::erase_if(launches_,
                [&](const Launch& launch) { return launch.time <= time_of(host_, launch.stream); });
}

}  // namespace litz::runtime
