// Runs a plan as launch lists at fixed addresses: the fast way, for plans whose sizes are known once
// the inputs are.
//
// For every combination of sizes the plan is bound once; bound programs are kept and reused, and take
// turns in arenas (arena_pool.h). One executor may be called from many threads: each call takes a
// bound program that nobody uses.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "compiler/kernel_set.h"
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
  /// must outlive the executor.
  PlannedExecutor(const lowering::Plan& plan, const KernelSet& kernels, std::vector<Tensor> weights,
                  ThreadPool* pool, std::optional<SymbolId> seed = std::nullopt);
  ~PlannedExecutor();
  PlannedExecutor(PlannedExecutor&&) noexcept;
  PlannedExecutor& operator=(PlannedExecutor&&) noexcept;

  /// What a call gives for an input of the plan: asked for tensors that are no weights and that
  /// steps read; null or undefined where there is none.
  using InputOf = detail::FunctionRef<const Tensor*(size_t input)>;

  /// As PlanRunner::run on the main plan. Allocates what it returns, and nothing else once sizes are
  /// known and inputs have the strides that were compiled for.
  std::vector<Leaf> run(const InputOf& input_of, const Bindings& bindings) const;
  /// The same; adds the seconds of each step of the plan. While nobody else runs.
  std::vector<Leaf> run_timed(const InputOf& input_of, const Bindings& bindings,
                              std::vector<double>& seconds) const;

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
