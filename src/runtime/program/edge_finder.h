// Edges of a launch list: which earlier launches one must wait for, from the bytes that each touches.

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
  /// Adds the node after its dependencies were asked for.
  void add(NodeId node, std::span<const TouchedRange> ranges);

 private:
  struct Touch {
    TouchedRange range;
    NodeId node;
  };

  // Those that a later node may have to follow directly: what a write covers is dropped, since
  // whoever follows the write follows them.
  std::vector<Touch> touches_;
};

}  // namespace litz::runtime
