// What was made of a program, as plain data: passes, kernels with what they stand for, library
// calls, fusions that were made and missed, memory, and times where they were measured.
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
  size_t nodes = 0;       ///< Over all graphs, after the pass.
  uint64_t rewrites = 0;  ///< Of an optimising pass.
};

/// A node of the graph that was lowered.
struct ReportedOperator {
  std::string text;         ///< "%7 = aten.gelu (layer.py:41)"
  std::string module_path;  ///< "encoder.layer.0"; empty where it is not known.
};

/// A loop nest of a kernel before scheduling.
struct ReportedLoop {
  int depth = 0;        ///< Of loops around it.
  std::string kind;     ///< "for", "reduce max", "sort"
  std::string extents;  ///< "s77 x 16"
};

/// A top-level loop of compiled code.
struct ReportedPhase {
  std::string extents;     ///< As scheduled: merged loops are one.
  int64_t iterations = 0;  ///< What threads divide; -1 where sizes are not known.
  int64_t grain = 1;       ///< Ranges begin at multiples of it.
  double nanoseconds = 0;  ///< Of an iteration, as the scheduler expects; -1 likewise.
  bool is_tiled = false;   ///< Blocks are transposed in registers.
  std::vector<int> lanes;  ///< Of vector loops inside, in order; empty: scalar code.
};

enum class StepKind : uint8_t { kernel, library, control };

std::string_view name(StepKind kind);

/// What one step of a plan launches; views and assertions launch nothing and are left out.
struct ReportedStep {
  StepKind kind = StepKind::kernel;
  int plan = 0;
  int step = 0;      ///< In the plan.
  std::string name;  ///< Of the kernel or function.
  std::vector<ReportedOperator> operators;
  int64_t bytes_read = -1;  ///< Of memory that its operands span; -1 where sizes are not known.
  int64_t bytes_written = -1;
  double seconds = 0;  ///< Of an average call; 0 where nothing was measured.

  // Of kernels.
  std::vector<ReportedLoop> loops;
  std::vector<ReportedPhase> phases;  ///< None when it is interpreted.
  int64_t code_bytes = 0;             ///< Of instructions.
  bool was_cached = false;
  std::string reason_interpreted;  ///< Empty when it is compiled.
  std::string shares_code_with;    ///< "gelu of step 19": the first with this code, if another.
};

struct ReportedMiss {
  int plan = 0;
  std::string producer;  ///< "%3 = aten.linear (mlp.py:9)"
  std::string consumer;
  std::string reason;  ///< fusion::name: "recompute_cost"
};

/// A temporary in the arena.
struct ReportedRange {
  std::string maker;  ///< Of which step.
  int64_t offset = 0;
  int64_t bytes = 0;
  int first = 0;  ///< Steps that use it, inclusive.
  int last = 0;
  bool is_in_place = false;  ///< It took the memory of an operand that ended there.
};

struct ReportedMemory {
  std::string reason_not_planned;  ///< Empty: launches at fixed addresses in one arena.
  /// The sizes that the plan is for, "121 <= s0 <= 128"; what it does not depend on is left out.
  std::vector<std::string> sizes;
  int64_t arena_bytes = 0;
  int64_t peak_bytes = 0;    ///< The most in use at one step: no arrangement needs less.
  int64_t sum_of_bytes = 0;  ///< What it would take without reuse.
  int64_t in_place = 0;      ///< Results that took the memory of an operand.
  int64_t weight_bytes = 0;
  int64_t packed_bytes = 0;  ///< Constants of library calls that were rearranged, so far.
  std::vector<ReportedRange> ranges;
};

/// A part of the program that was compiled on its own.
struct ReportedRegion {
  std::string name;  ///< Of its graph.
  std::string key;   ///< "region 1 {max_autotune: true}"
  int64_t nodes = 0;
  int64_t inputs = 0;     ///< What its calls are given,
  int64_t constants = 0;  ///< and weights that it holds.
  int64_t outputs = 0;
  int64_t kernels = 0;
  int64_t interpreted = 0;  ///< Of the kernels.
  int64_t library_calls = 0;
  bool is_plain = false;             ///< It could not be compiled, and runs operator by operator.
  std::vector<std::string> sources;  ///< "model.py:12", each once, in order.
};

struct CompileReport {
  std::string target;  ///< The processor that code is made for.
  std::string features;
  std::vector<ReportedPass> passes;
  int kernels_before = 0;  ///< Before fusion.
  int kernels_after = 0;
  int views_before = 0;
  int views_after = 0;
  std::vector<ReportedStep> steps;
  std::vector<ReportedMiss> missed;
  std::vector<ReportedRegion> regions;
  ReportedMemory memory;
  int64_t measured_calls = 0;
  double seconds_per_call = 0;  ///< With what is no step: checks, binding, outputs.
};

/// What the name of a fusion::Reason means, as a sentence; empty for an unknown name.
std::string_view meaning_of_reason(std::string_view reason);

struct ReportTextOptions {
  size_t width = 100;         ///< Longer texts are cut.
  size_t most_misses = 40;    ///< Of fusions, per reason.
  size_t most_operators = 8;  ///< Of a kernel.
};

/// Tables for people.
std::string to_text(const CompileReport& report, const ReportTextOptions& options = {});
/// The regions alone: what they are made of and where they stand in the source.
std::string regions_text(const CompileReport& report, size_t width = 100);
/// One JSON object with all of it.
std::string to_json(const CompileReport& report);
/// The memory plan as an SVG picture: a rectangle a temporary, steps to the right, addresses up.
std::string memory_drawing(const CompileReport& report);

}  // namespace litz::compiler
