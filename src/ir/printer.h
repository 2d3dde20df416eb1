// Prints the text form of graph IR, which the parser reads back exactly. Grammar: docs/ir.md.

#pragma once

#include <string>

#include "ir/graph.h"

namespace litz::ir {

struct PrintOptions {
  bool locations = true;    ///< loc("f.py":12, "encoder.layer.0")
  bool annotations = true;  ///< #{region = "1"}
  bool types = true;        ///< Result types of nodes; otherwise a reader infers them.
};

/// The symbols that occur, then every graph in order of creation.
std::string to_string(const Module& module, const PrintOptions& options = {});
/// One graph with the symbols that occur in it. Child graphs are only named.
std::string to_string(const Graph& graph, const PrintOptions& options = {});
/// One line for messages: `%m = aten.mm(%x, %w) : f32[4, 8]`. Takes time linear in the graph.
std::string to_string(const Node& node);
/// As above, with the Python source line where it is known.
std::string node_context(const Node& node);

}  // namespace litz::ir
