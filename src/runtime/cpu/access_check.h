// Race checks over declared accesses, for tests. The host runs everything in order; these checks
// find there what would be wrong on a device with real concurrency.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace litz::runtime {

/// Addresses [begin, end) that a node touches.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool is_write = false;
};

struct CheckedNode {
  std::string name;
  std::vector<int32_t> dependencies;  ///< Earlier nodes of the list.
  std::vector<ByteRange> ranges;
};

/// Throws InternalError when two nodes touch the same bytes, one of them writing, and no path leads
/// from one to the other.
void check_node_order(std::span<const CheckedNode> nodes);

/// Follows launches on streams by vector clocks. Entry t of a stream's clock is the last launch of
/// stream t that has certainly finished before the stream's next launch.
class StreamOrder {
 public:
  using Clock = std::vector<uint64_t>;

  /// Throws InternalError, and forgets the launch, when it touches bytes of an unordered one.
  void launch(int32_t stream, std::vector<ByteRange> ranges);

  /// The clock that an event carries.
  Clock record(int32_t stream) const;
  void wait(int32_t stream, const Clock& event);
  /// The host waits: all later launches follow those of the stream.
  void synchronize(int32_t stream);

 private:
  struct Launch {
    int32_t stream;
    uint64_t time;
    std::vector<ByteRange> ranges;
  };

  Clock clock_of(int32_t stream) const;

  std::vector<Clock> clocks_;
  Clock host_;
  std::vector<Launch> launches_;  // Later launches may be unordered with these.
};

}  // namespace litz::runtime
