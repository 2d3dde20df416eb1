// Finds the edges of a launch list: the earlier launches that each must wait for, from the bytes
// that they touch.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/device.h"

namespace litz::runtime {

/// Bytes [begin, end) of one of several memories that do not overlap.
struct TouchedRange {
  int32_t memory = 0;
  int64_t begin = 0;
  int64_t end = 0;
  bool is_write = false;
};

class EdgeFinder {
 public:
  /// The nodes that a node with these ranges must follow, in ascending order.
  std::vector<NodeId> dependencies(std::span<const TouchedRange> ranges) const;
  /// Adds the node, after its dependencies were computed.
  void add(NodeId node, std::span<const TouchedRange> ranges);

 private:
  struct Touch {
    TouchedRange range;
    NodeId node;
  };

  // Touches that a later node may have to follow directly. Those that a write covers are dropped,
  // since a node that follows the write follows them.
  std::vector<Touch> touches_;
};

}  // namespace litz::runtime
