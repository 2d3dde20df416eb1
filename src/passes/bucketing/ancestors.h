// Which of some nodes a node depends on, by operands and hidden dependences.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

/// Dependences other than operands that must survive when collectives move: all but the order of
/// collectives among themselves, which the caller decides.
std::vector<std::pair<ir::Node*, ir::Node*>> fixed_dependences(const ir::Graph& graph);

/// For nodes of one graph; later edits are not seen. Time O((V + E) * n / 64) for n nodes, memory
/// O(V + n^2 / 8) bytes and 64 bytes a node.
class Ancestors {
 public:
  Ancestors(const ir::Graph& graph, std::span<ir::Node* const> nodes);

  /// True if the node at position `node` depends on that at position `on`, at least through one
  /// other node or an operand.
  bool depends(size_t node, size_t on) const {
    return (rows_[node * words_ + on / 64] >> (on % 64) & 1) != 0;
  }

 private:
  size_t words_ = 0;
  std::vector<uint64_t> rows_;
};

}  // namespace litz::passes
