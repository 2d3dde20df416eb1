// Graphs as Graphviz DOT text; nothing here renders.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

struct DrawOptions {
  bool operands = true;  ///< Spells attributes in the boxes.
  bool types = true;
  std::vector<uint32_t> marked;  ///< Ids of nodes to highlight, for example those a pass changed.
};

/// One digraph named after the graph. Boxes are coloured by operator with a stable hash.
std::string dot(const Graph& graph, const DrawOptions& options = {});

/// The graph and every graph it reaches, each a document of its own: (graph name, DOT text),
/// callers first.
std::vector<std::pair<std::string, std::string>> dot_documents(Graph& graph,
                                                               const DrawOptions& options = {});

}  // namespace litz::ir
