// Finds what makes a program wrong: the first pass and rewrite, the first fused kernel, or the
// first kernel whose code computes something other than its loops.
//
//   interpreted as imported          the reference, or a file of expected results
//   interpreted after k passes       the least k that is wrong, then the least number of rewrites
//   interpreted after fusion         the first fused kernel that stores something wrong
//   kernel by kernel, compiled       the first whose code differs, on the same inputs
//   whole program, as it runs        memory plan and launch list, if everything before is right
//
// Everything is repeatable, so a wrong result at k passes stays wrong, and halving finds k.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/executable.h"
#include "compiler/kernels/kernel_set.h"
#include "ir/program.h"
#include "lowering/plan.h"
#include "passes/graph_passes.h"
#include "support/thread_pool.h"

namespace litz::compiler {

/// The program under suspicion and the way to compile it; tests plant mistakes here.
struct BisectSubject {
  /// Imports the program, a new copy on every call.
  std::function<ir::Program()> import;
  std::vector<Leaf> inputs;
  /// The expected tensors among the user's results; empty: those interpreted without passes.
  std::vector<Tensor> expected;
  double rtol = 1e-4;
  double atol = 1e-5;

  /// Passes that every run needs: only their failures can be found.
  std::vector<passes::Pass> required;
  std::vector<passes::Pass> optional;
  machine::Machine machine;  ///< The machine that passes optimise for.
  std::function<void(lowering::LoweredProgram&)> fuse;
  std::function<KernelSet(std::span<const loops::Kernel* const>)> compile;
  /// The user's results of the program as it usually runs.
  std::function<std::vector<Leaf>()> run_whole;

  uint64_t seed = 0;                                  ///< Seeds the random numbers of every run.
  ThreadPool* pool = nullptr;                         ///< Runs library calls.
  std::function<void(std::string_view)> on_progress;  ///< Called with a line for each attempt.
};

/// All passes, fusion and compilation, as Executable does them.
BisectSubject usual_subject(std::function<ir::Program()> import, std::vector<Leaf> inputs,
                            const Options& options, ThreadPool* pool);

enum class Culprit : uint8_t {
  none,       ///< Everything is right.
  reference,  ///< The expected results differ from the program's results without passes.
  pass,
  fusion,
  kernel,
  launches  ///< Memory plan or launch list, or many small errors that add up.
};

std::string_view name(Culprit culprit);

struct BisectResult {
  Culprit culprit = Culprit::none;
  std::string message;  ///< How results differ, or the error.

  // For a wrong pass:
  std::string pass;
  size_t pass_number = 0;                 ///< Counts from 1, in order.
  std::optional<uint64_t> rewrite;        ///< Counts from 1 in the pass; nothing: not counted.
  uint64_t rewrites = 0;                  ///< The number that the pass makes without a limit.
  std::optional<uint64_t> edit_limit;     ///< The program is still right with this --edit-limit.
  std::vector<std::string> lines_before;  ///< What the rewrite removed: nodes with source lines.
  std::vector<std::string> lines_after;   ///< What it inserted.

  // For a wrong fusion or kernel:
  std::string kernel;
  std::string label;  ///< The operators that it computes.
  std::string loops;  ///< Its loops as text.

  /// Repeats the failure: a litz-check file for a pass, otherwise the kernel's text with a header.
  std::string reproducer;
};

/// Throws the program's own Error, and says so, for inputs that it refuses without passes too.
BisectResult bisect(const BisectSubject& subject);

/// For people.
std::string to_text(const BisectResult& result);
/// One JSON object.
std::string to_json(const BisectResult& result);

}  // namespace litz::compiler
