// The report as tables for people: aligned, no wider than asked for.

#include "support/text.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "compiler/report/compile_report.h"

namespace litz::compiler {
namespace {

/// "long tex..." in at most `width` bytes; does not split characters.
std::string cut(std::string text, size_t width) {
  constexpr std::string_view kDots = "...";
  if (text.size() <= width) return text;
  size_t end = width > kDots.size() ? width - kDots.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + std::string(kDots);
}

/// Rows of cells: numbers right-aligned, names left-aligned. Names are cut in rows that are too
/// wide.
class Table {
 public:
  /// `alignment` has one letter per column: 'l' or 'r'.
  Table(std::string alignment, std::vector<std::string> titles) : alignment_(std::move(alignment)) {
    rows_.push_back({std::move(titles), {}});
  }

  void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), {}}); }

  /// Adds a line below the last row.
  void note(std::string text) { rows_.back().notes.push_back(std::move(text)); }

  std::string text(size_t width) const {
    std::vector<size_t> widths(alignment_.size());
    for (const Row& row : rows_) {
      for (size_t i = 0; i < widths.size(); ++i)
        widths[i] = std::max(widths[i], row.cells[i].size());
    }
    size_t total = 0;
    for (const size_t w : widths) total += w + kGap;
    const size_t widest = static_cast<size_t>(std::ranges::max_element(widths) - widths.begin());
    if (total > width) {
      widths[widest] =
          std::max(kLeastWidth, widths[widest] - std::min(widths[widest], total - width));
    }
    std::string out;
    for (const Row& row : rows_) {
      std::string line;
      for (size_t i = 0; i < widths.size(); ++i) {
        const std::string cell = cut(row.cells[i], widths[i]);
        const std::string space(widths[i] - cell.size(), ' ');
        line += std::string(kGap, ' ') + (alignment_[i] == 'r' ? space + cell : cell + space);
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      for (const std::string& note : row.notes) out += cut("        " + note, width) + "\n";
    }
    return out;
  }

 private:
  static constexpr size_t kGap = 2;
  static constexpr size_t kLeastWidth = 16;

  struct Row {
    std::vector<std::string> cells;
    std::vector<std::string> notes;
  };

  std::string alignment_;
  std::vector<Row> rows_;
};

std::string percent(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
  return text;
}

std::string bytes_text(int64_t bytes) {
  return bytes < 0 ? "?" : human_bytes(static_cast<uint64_t>(bytes));
}

std::string passes_text(const CompileReport& report, size_t width) {
  Table table("lrrrl", {"pass", "time", "nodes", "rewrites", ""});
  for (const ReportedPass& pass : report.passes) {
    table.add({pass.name, human_seconds(pass.seconds), std::to_string(pass.nodes),
               std::to_string(pass.rewrites), pass.changed ? "" : "unchanged"});
  }
  return "passes\n" + table.text(width);
}

/// "for 8 x 16 { reduce max 16, reduce sum 16 }"
std::string loops_text(const std::vector<ReportedLoop>& loops) {
  std::string text;
  int depth = 0;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].depth > depth) {
      text += " { ";
    } else if (i > 0) {
      for (int d = loops[i].depth; d < depth; ++d) text += " }";
      text += ", ";
    }
    depth = loops[i].depth;
    text += loops[i].kind + " " + loops[i].extents;
  }
  for (int d = 0; d < depth; ++d) text += " }";
  return text;
}

std::string phase_text(const ReportedPhase& phase) {
  std::string text = phase.extents.empty() ? "once" : "over " + phase.extents;
  if (phase.lanes.empty()) {
    text += ", scalar";
  } else {
    std::vector<std::string> lanes;
    for (const int count : phase.lanes) lanes.push_back(std::to_string(count));
    std::vector<std::string> distinct = lanes;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    text += ", " + join(distinct, ", ") + " lanes";
    if (lanes.size() > 1) text += " in " + counted(lanes.size(), "loop");
  }
  if (phase.is_tiled) text += ", transposed in blocks";
  if (phase.iterations >= 0) text += ", " + std::to_string(phase.iterations) + " iterations";
  return text;
}

void note_kernel(const ReportedStep& step, Table& table) {
  if (!step.loops.empty()) table.note("loops " + loops_text(step.loops));
  if (!step.reason_interpreted.empty()) {
    table.note("interpreted: " + step.reason_interpreted);
    return;
  }
  for (const ReportedPhase& phase : step.phases) table.note("runs  " + phase_text(phase));
  std::string code = "code  " + bytes_text(step.code_bytes);
  if (step.was_cached) code += ", from the cache";
  if (!step.shares_code_with.empty()) code += ", shared with " + step.shares_code_with;
  table.note(code);
}

void note_operators(const ReportedStep& step, size_t most, Table& table) {
  for (size_t i = 0; i < step.operators.size(); ++i) {
    if (i == most && step.operators.size() > most + 1) {
      table.note("and " + std::to_string(step.operators.size() - most) + " more");
      return;
    }
    const ReportedOperator& op = step.operators[i];
    table.note(op.text + (op.module_path.empty() ? "" : "  in " + op.module_path));
  }
}

std::string steps_text(const CompileReport& report, const ReportTextOptions& options) {
  size_t kernels = 0;
  size_t interpreted = 0;
  size_t calls = 0;
  double seconds = 0;
  for (const ReportedStep& step : report.steps) {
    kernels += step.kind == StepKind::kernel ? 1 : 0;
    interpreted += step.reason_interpreted.empty() ? 0 : 1;
    calls += step.kind == StepKind::library ? 1 : 0;
    seconds += step.plan == 0 ? step.seconds : 0;
  }
  std::string text = counted(kernels, "kernel") + " (" + std::to_string(interpreted) +
                     " interpreted), " + counted(calls, "library call") + "\n";
  const bool is_timed = report.measured_calls > 0;
  std::vector<std::string> titles{"step", "kind", "name", "reads", "writes"};
  if (is_timed) titles.insert(titles.end(), {"time", "share", "GB/s"});
  Table table(is_timed ? "rllrrrrr" : "rllrr", std::move(titles));
  for (const ReportedStep& step : report.steps) {
    std::string number = std::to_string(step.step);
    if (step.plan > 0) number = std::to_string(step.plan) + "." + number;
    std::vector<std::string> cells{number, std::string(name(step.kind)), step.name,
                                   bytes_text(step.bytes_read), bytes_text(step.bytes_written)};
    if (is_timed) {
      char rate[32] = "";
      if (step.seconds > 0 && step.bytes_read >= 0) {
        const auto bytes = static_cast<double>(step.bytes_read + step.bytes_written);
        std::snprintf(rate, sizeof rate, "%.1f", bytes / step.seconds * 1e-9);
      }
      cells.insert(cells.end(),
                   {human_seconds(step.seconds), percent(step.seconds, seconds), rate});
    }
    table.add(std::move(cells));
    if (step.kind == StepKind::kernel) note_kernel(step, table);
    note_operators(step, options.most_operators, table);
  }
  return text + table.text(options.width);
}

struct Share {
  double seconds = 0;
  size_t count = 0;
};

/// Groups kernels whose names differ only in their number.
std::string kind_of(const ReportedStep& step) {
  std::string key = step.name;
  const size_t number = key.find_last_not_of("0123456789");
  if (number != std::string::npos && number + 1 < key.size() && key[number] == '_') {
    key.resize(number);
  }
  return std::string(name(step.kind)) + " " + key;
}

/// The module path without layer numbers: "encoder.layer.3.attention.query" becomes
/// "encoder.layer.*.attention.query".
std::string module_of(const ReportedStep& step) {
  const std::string path = step.operators.empty() ? "" : step.operators[0].module_path;
  if (path.empty()) return "(no module)";
  std::vector<std::string> parts;
  for (const std::string_view part : split(path, '.')) {
    const bool is_number = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    parts.emplace_back(is_number ? "*" : part);
  }
  return join(parts, ".");
}

/// Sorts by time, largest first; the last row is time outside of the main plan's steps.
std::string shares_table(const CompileReport& report, const char* title,
                         std::string (*key_of)(const ReportedStep&), size_t width) {
  std::map<std::string, Share> shares;
  double steps = 0;
  for (const ReportedStep& step : report.steps) {
    if (step.plan != 0) continue;
    Share& share = shares[key_of(step)];
    share.seconds += step.seconds;
    ++share.count;
    steps += step.seconds;
  }
  std::vector<std::pair<std::string, Share>> sorted(shares.begin(), shares.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  Table table("lrrr", {title, "count", "time", "share"});
  const double all = report.seconds_per_call;
  for (const auto& [what, share] : sorted) {
    table.add({what, std::to_string(share.count), human_seconds(share.seconds),
               percent(share.seconds, all)});
  }
  const double rest = std::max(0.0, all - steps);
  table.add({"everything else", "", human_seconds(rest), percent(rest, all)});
  return table.text(width);
}

std::string shares_text(const CompileReport& report, const ReportTextOptions& options) {
  return "time: " + human_seconds(report.seconds_per_call) + " a call, of " +
         counted(static_cast<size_t>(report.measured_calls), "call") + "\n" +
         shares_table(report, "what", kind_of, options.width) + "\n" +
         shares_table(report, "module", module_of, options.width);
}

std::string fusion_text(const CompileReport& report, const ReportTextOptions& options) {
  std::string text = "fusion: before " +
                     counted(static_cast<size_t>(report.kernels_before), "kernel") + " and " +
                     counted(static_cast<size_t>(report.views_before), "view") + ", after " +
                     counted(static_cast<size_t>(report.kernels_after), "kernel") + " and " +
                     counted(static_cast<size_t>(report.views_after), "view") + "\n";
  std::map<std::string, std::vector<const ReportedMiss*>> by_reason;
  for (const ReportedMiss& miss : report.missed) by_reason[miss.reason].push_back(&miss);
  for (const auto& [reason, misses] : by_reason) {
    text += cut("  not fused, " + reason + " (" + std::to_string(misses.size()) +
                    "): " + std::string(meaning_of_reason(reason)),
                options.width) +
            "\n";
    for (size_t i = 0; i < misses.size(); ++i) {
      if (i == options.most_misses && misses.size() > i + 1) {
        text += "      and " + std::to_string(misses.size() - i) + " more\n";
        break;
      }
      text +=
          cut("      " + misses[i]->producer + " | " + misses[i]->consumer, options.width) + "\n";
    }
  }
  return text;
}

std::string memory_text(const ReportedMemory& memory) {
  std::string text = "memory\n  weights         " + bytes_text(memory.weight_bytes) + "\n";
  if (memory.packed_bytes > 0) {
    text += "  packed weights  " + bytes_text(memory.packed_bytes) + "\n";
  }
  if (!memory.reason_not_planned.empty()) {
    return text + "  temporaries     taken step by step: " + memory.reason_not_planned + "\n";
  }
  return text + "  arena           " + bytes_text(memory.arena_bytes) + " for " +
         counted(memory.ranges.size(), "temporary value") + " of " +
         bytes_text(memory.sum_of_bytes) +
         (memory.sizes.empty() ? "" : "\n  planned for     " + join(memory.sizes, ", ")) +
         "\n  in use at once  at most " + bytes_text(memory.peak_bytes) + "\n  in place        " +
         counted(static_cast<size_t>(memory.in_place), "result") + "\n";
}

}  // namespace

std::string_view meaning_of_reason(std::string_view reason) {
  static constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
      {"not_pointwise", "the producer is no single pointwise loop nest"},
      {"read_elsewhere", "the value is stored anyway, for an output or a step that is no kernel"},
      {"recompute_cost", "computing it again costs more than storing and loading it"},
      {"expensive", "elementary functions would be computed several times"},
      {"index_check", "it can fail, and would fail at other elements"},
      {"layout", "the consumer reads it as another dtype or across gaps"},
      {"address", "what is read is not known to lie in what was written"},
      {"loops_differ", "the nests have no outer loop in common"},
      {"other_iterations", "the consumer needs what other iterations write"},
      {"steps_between", "another step has to run between the two"},
      {"too_large", "the kernel would be too large"},
      {"little_shared", "they share too few bytes"},
      {"coalescing", "no choice of lanes lets all of it access neighbours in memory"},
  };
  for (const auto& [name, meaning] : kMeanings) {
    if (name == reason) return meaning;
  }
  return "";
}

std::string regions_text(const CompileReport& report, size_t width) {
  if (report.regions.empty()) return "no regions: no annotation marks a node\n";
  Table table("lrrrrrr", {"region", "nodes", "inputs", "weights", "outputs", "kernels", "calls"});
  for (const ReportedRegion& region : report.regions) {
    std::string kernels = std::to_string(region.kernels);
    if (region.interpreted > 0)
      kernels += " (" + std::to_string(region.interpreted) + " interpreted)";
    table.add({region.name, std::to_string(region.nodes), std::to_string(region.inputs),
               std::to_string(region.constants), std::to_string(region.outputs), kernels,
               std::to_string(region.library_calls)});
    table.note("options " + region.key);
    if (region.is_plain) table.note("not compiled: runs operator by operator");
    if (!region.sources.empty()) table.note("from    " + join(region.sources, ", "));
  }
  return counted(report.regions.size(), "region") + "\n" + table.text(width);
}

std::string to_text(const CompileReport& report, const ReportTextOptions& options) {
  std::string text = "code for " + report.target + ", " + report.features + "\n\n";
  if (!report.passes.empty()) text += passes_text(report, options.width) + "\n";
  text += steps_text(report, options) + "\n";
  if (!report.regions.empty()) text += regions_text(report, options.width) + "\n";
  if (report.measured_calls > 0) text += shares_text(report, options) + "\n";
  text += fusion_text(report, options) + "\n";
  return text + memory_text(report.memory);
}

}  // namespace litz::compiler
