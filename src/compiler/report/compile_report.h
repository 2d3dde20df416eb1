// A description of a compiled program as plain data: passes, kernels and the operators in them,
// library calls, fusions made and missed, memory, and times if measured.
//
// Sizes are those of one call. Texts are for people, numbers for programs and tests.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace litz::compiler {

struct ReportedPass {
  std::string name;
  bool changed = false;
  double seconds = 0;
  size_t nodes = 0;       ///< In all graphs, after the pass.
  uint64_t rewrites = 0;  ///< Made by an optimising pass.
};

/// A node of the lowered graph.
struct ReportedOperator {
  std::string text;         ///< "%7 = aten.gelu (layer.py:41)"
  std::string module_path;  ///< "encoder.layer.0"; empty if unknown.
};

/// A loop nest of a kernel before scheduling.
struct ReportedLoop {
  int depth = 0;        ///< The number of loops around it.
  std::string kind;     ///< "for", "reduce max", "sort"
  std::string extents;  ///< "s77 x 16"
};

/// A top-level loop of compiled code.
struct ReportedPhase {
  std::string extents;     ///< As scheduled: merged loops are one.
  int64_t iterations = 0;  ///< The range that threads divide; -1 if sizes are unknown.
  int64_t grain = 1;       ///< Ranges begin at multiples of it.
  double nanoseconds = 0;  ///< The scheduler's estimate per iteration; -1 if unknown.
  bool is_tiled = false;   ///< Blocks are transposed in registers.
  std::vector<int> lanes;  ///< The widths of vector loops inside, in order; empty: scalar code.
};

enum class StepKind : uint8_t { kernel, library, control };

std::string_view name(StepKind kind);

/// What one step of a plan launches. Views and assertions launch nothing and are omitted.
struct ReportedStep {
  StepKind kind = StepKind::kernel;
  int plan = 0;
  int step = 0;      ///< Its index in the plan.
  std::string name;  ///< The kernel's or function's name.
  std::vector<ReportedOperator> operators;
  int64_t bytes_read = -1;  ///< The memory that its operands span; -1 if sizes are unknown.
  int64_t bytes_written = -1;
  double seconds = 0;  ///< The mean over calls; 0 if not measured.

  // For kernels:
  std::vector<ReportedLoop> loops;
  std::vector<ReportedPhase> phases;  ///< Empty when it is interpreted.
  int64_t code_bytes = 0;             ///< The size of the instructions.
  bool was_cached = false;
  std::string reason_interpreted;  ///< Empty when it is compiled.
  std::string shares_code_with;    ///< "gelu of step 19": another kernel, the first with this code.
};

struct ReportedMiss {
  int plan = 0;
  std::string producer;  ///< "%3 = aten.linear (mlp.py:9)"
  std::string consumer;
  std::string reason;  ///< fusion::name: "recompute_cost"
};

/// A temporary in the arena.
struct ReportedRange {
  std::string maker;  ///< The step that produces it.
  int64_t offset = 0;
  int64_t bytes = 0;
  int first = 0;  ///< The first and last step that use it.
  int last = 0;
  bool is_in_place = false;  ///< It reuses the memory of an operand that ended there.
};

struct ReportedMemory {
  std::string reason_not_planned;  ///< Empty: launches at fixed addresses in one arena.
  /// The sizes that the plan covers, "121 <= s0 <= 128"; sizes without influence are omitted.
  std::vector<std::string> sizes;
  int64_t arena_bytes = 0;
  int64_t peak_bytes = 0;    ///< The most in use at one step: a lower bound for any arrangement.
  int64_t sum_of_bytes = 0;  ///< The size without reuse.
  int64_t in_place = 0;      ///< Results that reuse the memory of an operand.
  int64_t weight_bytes = 0;
  int64_t packed_bytes = 0;  ///< Constants of library calls packed so far.
  std::vector<ReportedRange> ranges;
};

/// A part of the program that was compiled separately.
struct ReportedRegion {
  std::string name;  ///< The name of its graph.
  std::string key;   ///< "region 1 {max_autotune: true}"
  int64_t nodes = 0;
  int64_t inputs = 0;     ///< Inputs that calls pass,
  int64_t constants = 0;  ///< and weights that it contains.
  int64_t outputs = 0;
  int64_t kernels = 0;
  int64_t interpreted = 0;  ///< How many kernels are interpreted.
  int64_t library_calls = 0;
  bool is_plain = false;             ///< It could not be compiled and runs operator by operator.
  std::vector<std::string> sources;  ///< "model.py:12", each once, in order.
};

struct CompileReport {
  std::string target;  ///< The processor that code is generated for.
  std::string features;
  std::vector<ReportedPass> passes;
  int kernels_before = 0;  ///< The number before fusion.
  int kernels_after = 0;
  int views_before = 0;
  int views_after = 0;
  std::vector<ReportedStep> steps;
  std::vector<ReportedMiss> missed;
  std::vector<ReportedRegion> regions;
  ReportedMemory memory;
  int64_t measured_calls = 0;
  double seconds_per_call = 0;  ///< Includes checks, binding and outputs, which are not steps.
};

/// A sentence that explains the fusion::Reason with this name; empty for an unknown name.
std::string_view meaning_of_reason(std::string_view reason);

struct ReportTextOptions {
  size_t width = 100;         ///< Longer texts are cut.
  size_t most_misses = 40;    ///< Limits missed fusions per reason.
  size_t most_operators = 8;  ///< Limits operators per kernel.
};

/// Tables for people.
std::string to_text(const CompileReport& report, const ReportTextOptions& options = {});
/// Only the regions: their contents and their source lines.
std::string regions_text(const CompileReport& report, size_t width = 100);
/// The whole report as one JSON object.
std::string to_json(const CompileReport& report);
/// The memory plan as an SVG picture: a rectangle per temporary, steps to the right, addresses up.
std::string memory_drawing(const CompileReport& report);

}  // namespace litz::compiler
