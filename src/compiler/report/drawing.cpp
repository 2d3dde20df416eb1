// The memory plan as a picture in pixels. A temporary's width is its lifetime and its height its
// size, so free space and waste are visible.

#include <algorithm>
#include <cstdio>

#include "compiler/report/compile_report.h"
#include "support/markup.h"
#include "support/text.h"

namespace litz::compiler {
namespace {

constexpr double kWidth = 1200;
constexpr double kHeight = 700;
constexpr double kMargin = 40;

template <typename... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

}  // namespace

std::string memory_drawing(const CompileReport& report) {
  const ReportedMemory& memory = report.memory;
  int steps = 1;
  for (const ReportedRange& range : memory.ranges) steps = std::max(steps, range.last + 1);
  const double per_step = (kWidth - 2 * kMargin) / steps;
  const double per_byte =
      (kHeight - 2 * kMargin) / static_cast<double>(std::max<int64_t>(1, memory.arena_bytes));
  std::string out = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n",
      kWidth, kHeight);
  out +=
      formatted("<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"#f4f4f4\"/>\n",
                kMargin, kMargin, kWidth - 2 * kMargin, kHeight - 2 * kMargin);
  const std::string caption = memory.reason_not_planned.empty()
                                  ? "arena of " +
                                        human_bytes(static_cast<uint64_t>(memory.arena_bytes)) +
                                        ", " + std::to_string(steps) + " steps from left to right"
                                  : "no arena: " + memory.reason_not_planned;
  out += formatted("<text x=\"%.0f\" y=\"%.0f\">", kMargin, kMargin - 12) +
         escaped_markup(caption) + "</text>\n";
  for (const ReportedRange& range : memory.ranges) {
    const double top =
        kHeight - kMargin - static_cast<double>(range.offset + range.bytes) * per_byte;
    out +=
        formatted("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ",
                  kMargin + range.first * per_step, top, (range.last - range.first + 1) * per_step,
                  static_cast<double>(range.bytes) * per_byte);
    out += range.is_in_place ? "fill=\"#e8a33d\"" : "fill=\"#5b8db8\"";
    out += " stroke=\"white\" stroke-width=\"0.5\"><title>" + escaped_markup(range.maker) + ", " +
           human_bytes(static_cast<uint64_t>(range.bytes)) + " at " + std::to_string(range.offset) +
           ", steps " + std::to_string(range.first) + " to " + std::to_string(range.last) +
           "</title></rect>\n";
  }
  return out + "</svg>\n";
}

}  // namespace litz::compiler
