// Pictures of graphs in files.

#pragma once

#include <string>

#include "graph_tools/drawing.h"

namespace litz::tools {

/// The graph and those that it calls; the ending of the name says in which form: one .html or .dot
/// for all, or an .svg for each, of which those of child graphs are named FILE.CHILD.svg. Throws
/// Error for other endings and for files that cannot be written.
void write_drawing(const std::string& path, ir::Graph& graph, const ir::DrawOptions& options = {});

}  // namespace litz::tools
