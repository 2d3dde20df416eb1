// Draws graphs: Graphviz DOT text, and SVG with a built-in layout, which needs no other program.
//
// Both show one box per argument and node and one line per operand. Groups (partitions, regions)
// are coloured and named in a legend. The size of an SVG is bounded: for a large graph it shows the
// first nodes, and one box with the number of the others.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// Nodes that are shown as one group.
struct NodeGroup {
  std::string name;
  std::vector<const Node*> nodes;  ///< Of any graphs; a node counts for its first group.
};

struct DrawOptions {
  bool operands = true;  ///< Spells attributes in the boxes.
  bool types = true;
  std::vector<uint32_t> marked;   ///< Ids of nodes to highlight, such as those that a pass changed.
  std::vector<NodeGroup> groups;  ///< The picture of a graph omits groups without nodes in it.
  size_t max_boxes = 500;         ///< For SVG: at most this many boxes, and one for all others.
};

/// One digraph named after the graph. Boxes are coloured by operator with a stable hash; groups are
/// clusters.
std::string dot(const Graph& graph, const DrawOptions& options = {});

/// One `<svg>` element, valid as a file and inside HTML. Hovering over a box shows the whole text
/// of its node.
std::string svg(const Graph& graph, const DrawOptions& options = {});

/// The graph and every graph that it reaches as separate documents: (graph name, DOT text), callers
/// first.
std::vector<std::pair<std::string, std::string>> dot_documents(Graph& graph,
                                                               const DrawOptions& options = {});

/// The same as one self-contained HTML page: a section with an SVG per graph.
std::string html_page(Graph& graph, const DrawOptions& options = {});

}  // namespace litz::ir
