// Runs a plan as launch lists at fixed addresses: the fast way, for plans whose sizes are known once
// the inputs are.
//
// The plan becomes a program once. A call takes a copy of it that is bound to its sizes, or binds one
// to them: where temporaries lie is planned for a bucket of sizes at a time (size_buckets.h), so new
// sizes mostly cost their evaluation only. Copies take turns in arenas (arena_pool.h), and one that
// calls from other threads use is never taken.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "compiler/kernel_set.h"
#include "compiler/size_buckets.h"
#include "lowering/plan.h"
#include "support/thread_pool.h"

namespace litz::compiler {

class PlannedExecutor {
 public:
  /// Why the plan cannot be run this way; nothing when it can.
  static std::optional<std::string> reason_against(const lowering::Plan& plan,
                                                   const ExprPool& pool);

  /// `kernels` begins with the kernels of the plan's kernel steps, in order. `weights[i]` is what
  /// input i always is, undefined for what each call gives. `seed` is bound anew by each call. All
  /// must outlive the executor. Builds expressions in the plan's pool.
  PlannedExecutor(const lowering::Plan& plan, const KernelSet& kernels, std::vector<Tensor> weights,
                  ThreadPool* pool, std::optional<SymbolId> seed = std::nullopt,
                  const TestModes& modes = {});
  ~PlannedExecutor();
  PlannedExecutor(PlannedExecutor&&) noexcept;
  PlannedExecutor& operator=(PlannedExecutor&&) noexcept;

  /// What a call gives for an input of the plan: asked for tensors that are no weights and that
  /// steps read; null or undefined where there is none.
  using InputOf = detail::FunctionRef<const Tensor*(size_t input)>;

  /// As PlanRunner::run on the main plan. Allocates what it returns, and nothing else where the sizes
  /// are those of a recent call and inputs have the strides that were compiled for.
  std::vector<Leaf> run(const InputOf& input_of, const Bindings& bindings) const;
  /// The same; adds the seconds of each step of the plan. While nobody else runs.
  std::vector<Leaf> run_timed(const InputOf& input_of, const Bindings& bindings,
                              std::vector<double>& seconds) const;

  /// Does what the first call at these sizes does before it runs.
  void prepare(const Bindings& bindings) const;
  /// Where temporaries lie at these sizes, and which other sizes share that.
  std::shared_ptr<const SizeBucket> bucket_of(const Bindings& bindings) const;
  /// How many memory plans were made, and how many copies of the program.
  int64_t plans_made() const;
  int64_t copies_made() const;

  /// As Executable::fail_call.
  void fail_call(int64_t n);

  /// What the constants of library calls occupy that were packed so far.
  size_t packed_bytes() const;
  /// Bytes of the arena that the program bound last needs; 0 before the first call.
  size_t arena_bytes() const;
  /// What all arenas occupy: as many as there were calls at a time.
  size_t held_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::compiler
