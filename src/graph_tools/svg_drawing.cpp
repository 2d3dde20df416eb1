// Draws graphs as SVG. See drawing.h; layered_layout.h computes positions.

#include <algorithm>
#include <cstdio>

#include "graph_tools/drawing.h"
#include "graph_tools/graph_picture.h"
#include "graph_tools/layered_layout.h"
#include "support/markup.h"

namespace litz::ir {
namespace {

constexpr double kMargin = 16;
constexpr double kFontSize = 11;
constexpr double kCharacterWidth =
    7;  // Monospaced fonts are 0.6 of their size wide, some slightly wider.
constexpr double kLineHeight = 14;
constexpr double kPadding = 6;
constexpr size_t kLineWidth = 44;  // In characters; hovering shows the whole text.
constexpr double kLegendColumn = 260;
constexpr size_t kLegendColumns = 4;
constexpr size_t kLegendEntries = 40;

template <typename... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string shortened(const std::string& text, size_t width) {
  if (text.size() <= width) return text;
  while (width > 0 && continues_character(text[width])) --width;
  return text.substr(0, width) + "...";
}

double text_width(const std::string& text) {
  const auto characters =
      std::ranges::count_if(text, [](char c) { return !continues_character(c); });
  return static_cast<double>(characters) * kCharacterWidth;
}

class SvgRenderer {
 public:
  explicit SvgRenderer(Picture picture) : picture_(std::move(picture)) {}

  std::string render() {
    for (PictureBox& box : picture_.boxes) {
      for (std::string& line : box.lines) line = shortened(line, kLineWidth);
      extents_.push_back(extent(box));
    }
    std::vector<BoxPair> pairs;
    pairs.reserve(picture_.edges.size());
    for (const PictureEdge& edge : picture_.edges) pairs.push_back({edge.from, edge.to});
    layout_ = layered_layout(extents_, pairs);
    top_ = kMargin + legend_height();
    const double width = std::max(layout_.size.width, legend_width()) + 2 * kMargin;
    const double height = layout_.size.height + top_ + kMargin;
    text_ = formatted(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\" font-size=\"%.0f\">\n",
        width, height, width, height, kFontSize);
    text_ += "<title>" + escaped_markup(picture_.name) +
             "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    legend();
    for (size_t i = 0; i < picture_.edges.size(); ++i) line(i);
    for (size_t i = 0; i < picture_.boxes.size(); ++i) box(i);
    return text_ + "</svg>\n";
  }

 private:
  static Extent extent(const PictureBox& box) {
    double width = 0;
    for (const std::string& line : box.lines) width = std::max(width, text_width(line));
    return {width + 2 * kPadding,
            static_cast<double>(box.lines.size()) * kLineHeight + 2 * kPadding};
  }

  size_t legend_entries() const { return std::min(picture_.groups.size(), kLegendEntries); }

  double legend_width() const {
    const size_t columns = std::min(legend_entries(), kLegendColumns);
    return static_cast<double>(columns) * kLegendColumn;
  }

  double legend_height() const {
    if (picture_.groups.empty()) return 0;
    const bool more = picture_.groups.size() > kLegendEntries;
    const size_t rows = (legend_entries() + kLegendColumns - 1) / kLegendColumns + (more ? 1 : 0);
    return (static_cast<double>(rows) + 1) * (kLineHeight + 4);
  }

  void legend() {
    const double row_height = kLineHeight + 4;
    const size_t entries = legend_entries();
    for (size_t i = 0; i < entries; ++i) {
      const PictureGroup& group = picture_.groups[i];
      const double x = kMargin + static_cast<double>(i % kLegendColumns) * kLegendColumn;
      const size_t row = i / kLegendColumns;
      const double y = kMargin + static_cast<double>(row) * row_height;
      text_ += formatted(
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\" "
          "stroke=\"#555\"/>",
          x, y, group.fill.c_str());
      text_ += formatted("<text x=\"%.1f\" y=\"%.1f\">", x + 18, y + 10) +
               escaped_markup(shortened(group.name, 22)) + ", " + std::to_string(group.nodes) +
               (group.nodes == 1 ? " node" : " nodes") + "<title>" + escaped_markup(group.name) +
               "</title></text>\n";
    }
    if (entries == picture_.groups.size()) return;
    const size_t row = entries / kLegendColumns;
    const double y = kMargin + static_cast<double>(row) * row_height;
    text_ += formatted("<text x=\"%.1f\" y=\"%.1f\">", kMargin, y + 10) + "and " +
             std::to_string(picture_.groups.size() - entries) + " more groups</text>\n";
  }

  void line(size_t index) {
    const PictureEdge& edge = picture_.edges[index];
    const std::vector<Point>& points = layout_.routes[index];
    const Point first = moved(points.front());
    std::string path = formatted("M%.1f %.1f", first.x, first.y);
    for (size_t i = 1; i < points.size(); ++i) {
      const Point from = moved(points[i - 1]);
      const Point to = moved(points[i]);
      const double middle = (from.y + to.y) / 2;
      path += from.x == to.x ? formatted("V%.1f", to.y)
                             : formatted("C%.1f %.1f %.1f %.1f %.1f %.1f", from.x, middle, to.x,
                                         middle, to.x, to.y);
    }
    const Point end = moved(points.back());
    text_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"#666\"" +
             (edge.ordered ? " stroke-dasharray=\"5 3\"" : "") + "/>" +
             formatted("<path d=\"M%.1f %.1fl-3 -7h6z\" fill=\"#666\"/>\n", end.x, end.y);
    if (!edge.label.empty()) {
      text_ += formatted("<text x=\"%.1f\" y=\"%.1f\" fill=\"#666\">", end.x + 5, end.y - 4) +
               escaped_markup(edge.label) + "</text>\n";
    }
  }

  void box(size_t index) {
    const PictureBox& box = picture_.boxes[index];
    const Point corner = moved(layout_.corners[index]);
    text_ += "<g>";
    if (!box.whole.empty()) text_ += "<title>" + escaped_markup(box.whole) + "</title>";
    text_ += formatted("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" ",
                       corner.x, corner.y, extents_[index].width, extents_[index].height) +
             "fill=\"" + box.fill + "\" " +
             (box.marked ? "stroke=\"red\" stroke-width=\"3\"/>" : "stroke=\"#555\"/>");
    double y = corner.y + kPadding + kLineHeight - 4;
    for (const std::string& line : box.lines) {
      // Titles are emphasised over details.
      const bool is_title = &line - box.lines.data() < 2;
      text_ += formatted("<text x=\"%.1f\" y=\"%.1f\"%s>", corner.x + kPadding, y,
                         is_title ? " font-weight=\"bold\"" : " fill=\"#333\"") +
               escaped_markup(line) + "</text>";
      y += kLineHeight;
    }
    text_ += "</g>\n";
  }

  Point moved(Point point) const { return {point.x + kMargin, point.y + top_}; }

  Picture picture_;
  std::vector<Extent> extents_;
  BoxLayout layout_;
  double top_ = kMargin;
  std::string text_;
};

}  // namespace

std::string svg(Picture picture) { return SvgRenderer(std::move(picture)).render(); }

std::string svg(const Graph& graph, const DrawOptions& options) {
  return svg(make_picture(graph, options, options.max_boxes));
}

}  // namespace litz::ir
