#include "runtime/trees/report.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace litz::runtime::trees {

std::string_view name(SkipReason reason) {
  switch (reason) {
    case SkipReason::mutated_inputs:
      return "mutated inputs";
    case SkipReason::stated:
      return "stated";
    case SkipReason::other_device:
      return "other device";
    case SkipReason::unlisted_size:
      return "unlisted size";
    case SkipReason::rerecord_limit:
      return "exceeding max re-recording limit";
    case SkipReason::recording_failed:
      return "recording failed";
  }
  return "unknown";
}

std::string describe(const Skip& skip, const Function& function) {
  std::ostringstream text;
  text << "function " << skip.function.value;
  if (!function.name.empty()) text << ' ' << function.name;
  if (skip.node >= 0) text << " after recording " << skip.node;
  text << " was not recorded: ";
  if (skip.reason != SkipReason::stated) text << name(skip.reason);
  if (skip.reason != SkipReason::stated && !skip.detail.empty()) text << ' ';
  text << skip.detail;
  return std::move(text).str();
}

std::string to_string(const ContextReport& report) {
  std::ostringstream out;
  const Counts& counts = report.counts;
  out << counts.calls << " calls: " << counts.replays << " replays, " << counts.recordings
      << " recordings, " << counts.warm_ups << " warm-ups, " << counts.at_once << " at once\n"
      << report.recordings << " recordings now, " << counts.evictions << " evicted; pool "
      << report.live_bytes << " bytes live of " << report.committed_bytes
      << ", temporaries of programs " << report.temporary_bytes << " bytes\n"
      << counts.copies << " inputs copied (" << counts.copied_bytes << " bytes), " << counts.patches
      << " addresses patched, " << counts.moves << " recordings moved, " << counts.clones
      << " outputs cloned, " << counts.traps << " trapped\n";
  for (const FunctionReport& function : report.functions) {
    out << "  " << (function.name.empty() ? "function" : function.name) << ": " << function.calls
        << " calls, ";
    if (function.parts.empty()) {
      out << function.replays << " replays, " << function.recordings << " recordings of "
          << function.nodes << " nodes, " << function.sizes << " sizes\n";
    } else {
      const auto recorded = std::ranges::count_if(
          function.parts, [](const ProgramPart& part) { return part.reason.empty(); });
      out << recorded << " of " << function.parts.size() << " parts recorded\n";
    }
    for (const ProgramPart& part : function.parts) {
      out << "    " << part.label << ": ";
      if (part.reason.empty()) {
        out << part.launches << " launches\n";
      } else {
        out << "not recorded: " << part.reason << '\n';
      }
    }
    for (const Skip& skip : function.skips) {
      out << "    not recorded: " << name(skip.reason);
      if (!skip.detail.empty()) out << ": " << skip.detail;
      out << " (" << skip.calls << " calls)\n";
    }
  }
  return std::move(out).str();
}

}  // namespace litz::runtime::trees
