// Finds what makes a program wrong: the first pass and rewrite, the first fused kernel, or the first
// kernel whose code computes something else than its loops say.
//
//   interpreted as imported          the reference, or a file of expected results
//   interpreted after k passes       the least k that is wrong, then the least number of rewrites
//   interpreted after fusion         the first fused kernel that stores something else
//   kernel by kernel, compiled       the first whose code differs, on the same inputs
//   the whole, as it runs            memory plan and launch list, if all before is right
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

/// The program under suspicion, and how it is made; tests plant mistakes here.
struct BisectSubject {
  /// The program as imported, a new one every time.
  std::function<ir::Program()> import;
  std::vector<Leaf> inputs;
  /// What tensors among the user's results should be; empty: as interpreted without passes.
  std::vector<Tensor> expected;
  double rtol = 1e-4;
  double atol = 1e-5;

  /// Passes without which nothing runs: only their failures can be found.
  std::vector<passes::Pass> required;
  std::vector<passes::Pass> optional;
  machine::Machine machine;  ///< What passes are told that the program runs on.
  std::function<void(lowering::LoweredProgram&)> fuse;
  std::function<KernelSet(std::span<const loops::Kernel* const>)> compile;
  /// The user's results of the program as it is usually run.
  std::function<std::vector<Leaf>()> run_whole;

  uint64_t seed = 0;                                  ///< Of random numbers in every run.
  ThreadPool* pool = nullptr;                         ///< Of library calls.
  std::function<void(std::string_view)> on_progress;  ///< A line for each thing that was tried.
};

/// All passes, fusion and compilation as Executable does them.
BisectSubject usual_subject(std::function<ir::Program()> import, std::vector<Leaf> inputs,
                            const Options& options, ThreadPool* pool);

enum class Culprit : uint8_t {
  none,       ///< All is right.
  reference,  ///< What is expected is another result than the program's without passes.
  pass,
  fusion,
  kernel,
  launches  ///< Memory plan or launch list; or small errors of many that add up.
};

std::string_view name(Culprit culprit);

struct BisectResult {
  Culprit culprit = Culprit::none;
  std::string message;  ///< How results differ, or the error.

  // Of a pass.
  std::string pass;
  size_t pass_number = 0;                 ///< From 1, in order.
  std::optional<uint64_t> rewrite;        ///< From 1, in the pass; nothing: it does not count them.
  uint64_t rewrites = 0;                  ///< That the pass makes if it may.
  std::optional<uint64_t> edit_limit;     ///< The program is still right with this --edit-limit.
  std::vector<std::string> lines_before;  ///< What the rewrite took away: nodes with source lines,
  std::vector<std::string> lines_after;   ///< and what it put there.

  // Of a fusion or a kernel.
  std::string kernel;
  std::string label;  ///< What it stands for.
  std::string loops;  ///< Its text.

  /// Repeats it: a file for litz-check of a pass, otherwise the kernel's text with a header.
  std::string reproducer;
};

/// Throws Error for inputs that do not fit, and for a program that cannot be run without passes.
BisectResult bisect(const BisectSubject& subject);

/// For people.
std::string to_text(const BisectResult& result);
/// One JSON object.
std::string to_json(const BisectResult& result);

}  // namespace litz::compiler
