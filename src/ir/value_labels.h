// The spelling of values in text: `%name`, `%7` if unnamed, `%q#1` for a result of a group.
//
// A node with several results is a group if at most the first has a name: `%q:2 = ...`. Unnamed
// values are numbered in graph order, so equal graphs print alike.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// True when the results print as `%q:2` rather than `%a, %b`.
bool is_group(const Node& node);

/// The labels of one graph; editing the graph makes them stale.
class ValueLabels {
 public:
  explicit ValueLabels(const Graph& graph);

  /// The label as an operand: "%x", "%q#1".
  std::string use(Value value) const;
  /// The text left of `=`: "%x", "%q:2", "%a, %b"; empty for a node without a label.
  std::string definition(const Node& node) const;
  /// The label of a node in ordering edges: "%x", "%q".
  std::string node(const Node& node) const;

 private:
  std::string single(Value value) const;

  std::vector<uint32_t> input_numbers_;
  std::vector<uint32_t> node_numbers_;  ///< By node id: number of the first unnamed result.
  std::vector<bool> group_;             ///< By node id: is_group.
  std::vector<bool> labelled_;          ///< By node id: only an ordering edge names it.
};

}  // namespace litz::ir
