// Pictures of graphs in files.

#pragma once

#include <string>

#include "graph_tools/drawing.h"

namespace litz::tools {

/// Draws the graph and those that it calls. The file's extension chooses the format: one .html or
/// .dot for all, or one .svg per graph, with child graphs in FILE.CHILD.svg. Throws Error for other
/// extensions and for files that cannot be written.
void write_drawing(const std::string& path, ir::Graph& graph, const ir::DrawOptions& options = {});

}  // namespace litz::tools
