// The contents of a graph's picture before layout: boxes with lines of text, edges, groups. The
// renderers of drawing.h share it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graph_tools/drawing.h"

namespace litz::ir {

struct PictureBox {
  std::string id;                  ///< Unique in the picture: letters and digits.
  std::vector<std::string> lines;  ///< The title first, then details; none empty.
  std::string whole;               ///< The text of the node; empty for arguments.
  std::string fill;                ///< "#rrggbb"
  bool marked = false;
  int group = -1;  ///< Index into Picture::groups.
};

struct PictureEdge {
  size_t from = 0;
  size_t to = 0;
  std::string label;     ///< "#1" for one of several results.
  bool ordered = false;  ///< An ordering edge without a value.
};

struct PictureGroup {
  std::string name;
  std::string fill;
  size_t nodes = 0;  ///< All nodes of this graph, drawn or not.
};

struct Picture {
  std::string name;
  size_t nodes = 0;               ///< All nodes of the graph, drawn or not.
  std::vector<PictureBox> boxes;  ///< In graph order, arguments first.
  std::vector<PictureEdge> edges;
  std::vector<PictureGroup> groups;
};

/// One `<svg>` element.
std::string svg(Picture picture);
/// One HTML page, a section per picture.
std::string html_page(std::string_view title, std::vector<Picture> pictures);

/// At most `max_boxes` boxes for arguments and nodes; one box represents all others. The return is
/// extra.
Picture make_picture(const Graph& graph, const DrawOptions& options, size_t max_boxes);

}  // namespace litz::ir
