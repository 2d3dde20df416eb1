// Which bytes are live while the nodes of a graph run in some order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

/// The memory that the nodes of a graph need, by position in the order that the graph had when this
/// was made. Inputs do not count. The operands of a collective live until its wait, and a wait's
/// result is in the memory of its collective. Results of the graph live to the end.
struct MemoryUse {
  explicit MemoryUse(const ir::Graph& graph);

  std::vector<double> bytes;                ///< By storage; 0 for inputs.
  std::vector<bool> is_returned;            ///< By storage.
  std::vector<std::vector<uint32_t>> made;  ///< By node: storages that begin with it.
  std::vector<std::vector<uint32_t>> used;  ///< By node: storages that it needs, those included.
};

/// Runs nodes in any order that respects their operands.
class LiveMemory {
 public:
  explicit LiveMemory(const MemoryUse& use);

  void run(size_t node);

  double live() const { return live_; }

  double peak() const { return peak_; }

  /// What running the node adds before anything is freed.
  double allocated(size_t node) const;
  /// What the node would free, since nothing else that is left needs it.
  double freed(size_t node) const;

 private:
  const MemoryUse& use_;
  std::vector<size_t> left_;  ///< By storage: nodes that are still to use it.
  double live_ = 0;
  double peak_ = 0;
};

/// The most bytes that are live at a time, in the order of the graph.
double peak_bytes(const ir::Graph& graph);

}  // namespace litz::passes
