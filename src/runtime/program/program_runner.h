// A compiled program ready to be called: code in memory, device, threads and weights.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "artifact/program.h"
#include "runtime/cpu/host_device.h"
#include "runtime/program/list_runner.h"
#include "runtime/program/program_calls.h"
#include "runtime/program/routine_runner.h"
#include "runtime/program/value.h"
#include "support/thread_pool.h"

namespace litz::runtime {

struct RunnerOptions {
  CallOptions calls;
  /// Divides kernels between threads; it must outlive the runner. Null: the caller alone.
  ThreadPool* pool = nullptr;
  /// In test modes calls follow each other.
  HostModes modes;
  bool is_tested = false;

  // In the process that compiled the program:

  /// Makes the kernels known to the device, in order; null: their code is loaded.
  std::function<std::vector<KernelId>(HostDevice&)> add_kernels;
  /// By CallLaunch::call.
  std::vector<SuppliedCall> calls_supplied;
  /// Owns the program's symbols, unless the program does; it must outlive the runner.
  const ExprPool* symbols = nullptr;
};

/// Thread-safe as ProgramCalls is.
class ProgramRunner {
 public:
  /// Throws what loading code throws, and Error for weights that are not as the signature declares.
  ProgramRunner(artifact::Program program, const RunnerOptions& options);
  ~ProgramRunner();
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// A call: see ProgramCalls::run.
  std::vector<Value> run(std::span<const Value> given) { return run_under_key(given, next_key()); }

  int64_t next_key() { return calls_.next_key(); }

  std::vector<Value> run_under_key(std::span<const Value> given, int64_t key);
  /// The same; adds the seconds of launches, where the program is one list.
  std::vector<Value> run_timed(std::span<const Value> given, int64_t key,
                               std::vector<double>& seconds);

  /// Does what the first call with inputs of these sizes does before it runs, where the program is one
  /// list.
  void prepare(std::span<const Value> given);

  const artifact::Program& program() const { return loaded_->program(); }

  const ExprPool& symbols() const { return symbols_; }

  ProgramCalls& calls() { return calls_; }

  const ProgramCalls& calls() const { return calls_; }

  std::span<const ListRunner> lists() const { return lists_; }

  /// The nth device call from now (1 is the next) throws Error{io}; 0: none.
  void fail_call(int64_t n) { device_.fail_call(n); }

  /// What the constants of library calls occupy that were packed so far.
  size_t packed_bytes() const { return context_.packed_bytes(); }

 private:
  std::vector<Tensor> weights_of(size_t list) const;

  HostDevice device_;
  std::vector<SuppliedCall> supplied_;
  std::unique_ptr<LoadedProgram> loaded_;
  const ExprPool& symbols_;
  ProgramCalls calls_;
  std::vector<Tensor> constants_;  ///< By input: weights that no call changes.
  kernels::LibraryContext context_;
  std::vector<ListRunner> lists_;
  std::optional<RoutineRunner> routines_;
};

}  // namespace litz::runtime
