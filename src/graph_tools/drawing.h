// Graphs as pictures: Graphviz DOT text, and SVG that is laid out here and needs no other program.
//
// Both show one box per argument and node and one line per operand. Groups (partitions, regions)
// are coloured and named in a legend. An SVG is bounded: of a large graph it shows the first nodes
// and counts the others in one box.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// Nodes that are shown as belonging together.
struct NodeGroup {
  std::string name;
  std::vector<const Node*> nodes;  ///< Of one or several graphs; a node counts for its first group.
};

struct DrawOptions {
  bool operands = true;  ///< Spells attributes in the boxes.
  bool types = true;
  std::vector<uint32_t> marked;  ///< Ids of nodes to highlight, for example those a pass changed.
  std::vector<NodeGroup>
      groups;              ///< Groups without nodes in a graph do not show up in its picture.
  size_t max_boxes = 500;  ///< SVG only: at most so many boxes, and one for all others.
};

/// One digraph named after the graph. Boxes are coloured by operator with a stable hash; groups are
/// clusters.
std::string dot(const Graph& graph, const DrawOptions& options = {});

/// One `<svg>` element, complete as a file and fit to stand inside HTML. Hovering over a box shows
/// the whole text of its node.
std::string svg(const Graph& graph, const DrawOptions& options = {});

/// The graph and every graph it reaches, each a document of its own: (graph name, DOT text),
/// callers first.
std::vector<std::pair<std::string, std::string>> dot_documents(Graph& graph,
                                                               const DrawOptions& options = {});

/// The same as one HTML page without outside parts: a section with an SVG per graph.
std::string html_page(Graph& graph, const DrawOptions& options = {});

}  // namespace litz::ir
