#include "passes/overlap/timeline_picture.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "ir/collectives.h"
#include "support/markup.h"

namespace litz::passes {
namespace {

// Of the picture, in pixels.
constexpr double kWidth = 1200;
constexpr double kLabel = 120;
constexpr double kRow = 22;
constexpr double kBar = 16;
constexpr double kTitle = 26;
// A row per line shows so many bars; shorter ones would be too narrow to see anyway.
constexpr size_t kMostBars = 4000;

/// The rows of a time line: computation, then groups by name.
std::map<std::string, std::vector<const TimelineEvent*>> rows_of(const Timeline& line) {
  std::map<std::string, std::vector<const TimelineEvent*>> rows;
  rows[""];
  for (const TimelineEvent& event : line.events) {
    const std::string row =
        event.is_collective ? "group " + ir::collective_group(*event.node) : std::string();
    rows[row].push_back(&event);
  }
  return rows;
}

std::string label(const std::string& row) { return row.empty() ? "computation" : row; }

/// How much of each column events take.
std::vector<double> shares(const std::vector<const TimelineEvent*>& events, double total_us,
                           size_t columns) {
  std::vector<double> shares(columns);
  const double width = total_us / static_cast<double>(columns);
  for (const TimelineEvent* event : events) {
    const auto first = static_cast<size_t>(event->begin / width);
    for (size_t i = first; i < columns && static_cast<double>(i) * width < event->end; ++i) {
      const double begin = std::max(event->begin, static_cast<double>(i) * width);
      const double end = std::min(event->end, static_cast<double>(i + 1) * width);
      shares[i] += std::max(0.0, end - begin) / width;
    }
  }
  return shares;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string rectangle(double x, double y, double width, const char* colour,
                      const std::string& title) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
         number(std::max(width, 0.5)) + "\" height=\"" + number(kBar) + "\" fill=\"" + colour +
         "\"><title>" + title + "</title></rect>\n";
}

std::string text_at(double x, double y, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\">" + escaped_markup(text) +
         "</text>\n";
}

std::string bar(const TimelineEvent& event, double y, double scale) {
  std::string name;
  if (event.node->output_count() > 0) name = std::string(event.node->output().name());
  std::string title = escaped_markup("%" + name + " = " + std::string(event.node->op().name())) +
                      ", " + number(event.begin) + " to " + number(event.end) + " us";
  if (event.is_collective) title += ", exposed " + number(event.exposed) + " us";
  const char* colour = "#4878a8";
  if (event.is_collective) colour = event.exposed > 0 ? "#d1605e" : "#85b26a";
  return rectangle(kLabel + event.begin * scale, y, (event.end - event.begin) * scale, colour,
                   title);
}

}  // namespace

std::string timeline_text(const Timeline& line, double total_us, size_t columns) {
  const auto rows = rows_of(line);
  size_t width = 0;
  for (const auto& [row, events] : rows) width = std::max(width, label(row).size());
  const std::vector<double> busy = shares(rows.at(""), total_us, columns);
  std::string text;
  for (const auto& [row, events] : rows) {
    const std::vector<double> own =
        total_us > 0 ? shares(events, total_us, columns) : std::vector<double>(columns);
    text += label(row) + std::string(width - label(row).size(), ' ') + " |";
    for (size_t i = 0; i < columns; ++i) {
      const bool is_idle = own[i] < 0.5;
      const char running = row.empty() ? '=' : (busy[i] >= 0.5 ? '-' : '#');
      text += is_idle ? ' ' : running;
    }
    text += "|\n";
  }
  return text;
}

std::string timeline_svg(const std::vector<std::pair<std::string, const Timeline*>>& lines) {
  double total = 0;
  for (const auto& [name, line] : lines) total = std::max(total, line->total_us);
  const double scale = total > 0 ? (kWidth - kLabel) / total : 0;
  std::string body;
  double y = 0;
  for (const auto& [name, line] : lines) {
    body += text_at(
        0, y + kTitle - 8,
        name + ": " + number(line->total_us) + " us, " + number(line->exposed_us) + " us exposed");
    y += kTitle;
    for (const auto& [row, events] : rows_of(*line)) {
      body += text_at(0, y + kBar - 4, label(row));
      const double narrowest = events.size() > kMostBars ? 0.25 : 0;
      for (const TimelineEvent* event : events) {
        if ((event->end - event->begin) * scale >= narrowest) body += bar(*event, y, scale);
      }
      y += kRow;
    }
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kWidth) + "\" height=\"" +
         number(y) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" + body + "</svg>\n";
}

}  // namespace litz::passes
