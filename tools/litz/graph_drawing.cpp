#include "litz/graph_drawing.h"

#include "ir/child_graphs.h"
#include "litz/pass_options.h"
#include "support/check.h"

namespace litz::tools {
namespace {

/// "net.svg", "body" -> "net.body.svg"
std::string path_of_child(const std::string& path, const std::string& graph) {
  const size_t dot = path.rfind('.');
  return path.substr(0, dot) + "." + graph + path.substr(dot);
}

}  // namespace

void write_drawing(const std::string& path, ir::Graph& graph, const ir::DrawOptions& options) {
  if (path.ends_with(".html")) return write_text(path, ir::html_page(graph, options));
  if (path.ends_with(".dot")) {
    std::string text;
    for (const auto& [name, document] : ir::dot_documents(graph, options)) text += document;
    return write_text(path, text);
  }
  require(path.ends_with(".svg"), "--draw takes FILE.svg, FILE.html or FILE.dot, not", path);
  for (ir::Graph* each : ir::post_order(graph)) {
    write_text(each == &graph ? path : path_of_child(path, each->name()), ir::svg(*each, options));
  }
}

}  // namespace litz::tools
