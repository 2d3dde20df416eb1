// DOT text of graphs, and of all reached graphs. See drawing.h.

#include "graph_tools/drawing.h"

#include "graph_tools/graph_picture.h"
#include "ir/child_graphs.h"
#include "support/markup.h"

namespace litz::ir {
namespace {

// Escapes braces, bars, angle brackets and blanks, which have a meaning in record labels.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (std::string_view("{}<>|\"\\ ").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Escapes for plain double quotes.
std::string quoted_label(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string box_text(const PictureBox& box) {
  std::string label;
  for (const std::string& line : box.lines) label += (label.empty() ? "" : "|") + escaped(line);
  std::string text = box.id + " [label=\"{" + label + "}\", fillcolor=\"" + box.fill + "\"";
  return text + (box.marked ? ", penwidth=4, color=\"Red\"];\n" : "];\n");
}

// Graphviz draws a frame around a cluster, with its name.
std::string cluster_text(const Picture& picture, size_t group) {
  std::string text = "  subgraph cluster_" + std::to_string(group) +
                     " {\n    label=" + quoted_label(picture.groups[group].name) +
                     ";\n    color=\"" + picture.groups[group].fill + "\";\n   ";
  for (const PictureBox& box : picture.boxes) {
    if (box.group == static_cast<int>(group)) text += " " + box.id + ";";
  }
  return text + "\n  }\n";
}

std::vector<Graph*> callers_first(Graph& graph) {
  std::vector<Graph*> graphs = post_order(graph);
  return {graphs.rbegin(), graphs.rend()};
}

}  // namespace

std::string dot(const Graph& graph, const DrawOptions& options) {
  const Picture picture = make_picture(graph, options, SIZE_MAX);
  std::string text =
      "digraph " + quoted_label(picture.name) + " {\n  node [shape=record, style=filled];\n";
  for (const PictureBox& box : picture.boxes) text += "  " + box_text(box);
  for (size_t i = 0; i < picture.groups.size(); ++i) text += cluster_text(picture, i);
  for (const PictureEdge& edge : picture.edges) {
    text += "  " + picture.boxes[edge.from].id + " -> " + picture.boxes[edge.to].id;
    if (edge.ordered) text += " [style=dashed]";
    if (!edge.label.empty()) text += " [label=\"" + edge.label + "\"]";
    text += ";\n";
  }
  return text + "}\n";
}

std::vector<std::pair<std::string, std::string>> dot_documents(Graph& graph,
                                                               const DrawOptions& options) {
  std::vector<std::pair<std::string, std::string>> documents;
  for (const Graph* each : callers_first(graph)) {
    documents.emplace_back(each->name(), dot(*each, options));
  }
  return documents;
}

std::string html_page(std::string_view title, std::vector<Picture> pictures) {
  std::string text = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" +
                     escaped_markup(title) +
                     "</title></head>\n<body style=\"font-family: sans-serif\">\n";
  for (const Picture& picture : pictures) {
    if (pictures.size() == 1) break;
    const std::string link = escaped_markup(picture.name);
    text += "<a href=\"#" + link + "\">" + link + "</a>\n";
  }
  for (Picture& picture : pictures) {
    const std::string name = escaped_markup(picture.name);
    text += "<section id=\"" + name + "\">\n<h2>" + name + ", " + std::to_string(picture.nodes) +
            " nodes</h2>\n";
    text += svg(std::move(picture)) + "</section>\n";
  }
  return text + "</body></html>\n";
}

std::string html_page(Graph& graph, const DrawOptions& options) {
  std::vector<Picture> pictures;
  for (const Graph* each : callers_first(graph)) {
    pictures.push_back(make_picture(*each, options, options.max_boxes));
  }
  return html_page(graph.name(), std::move(pictures));
}

}  // namespace litz::ir
