// A compiled program ready for calls: code in memory, device, threads and weights.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "artifact/program.h"
#include "distributed/communicator.h"
#include "runtime/device.h"
#include "runtime/program/list_runner.h"
#include "runtime/program/program_calls.h"
#include "runtime/program/routine_runner.h"
#include "runtime/program/value.h"
#include "support/thread_pool.h"

namespace litz::runtime {

struct RunnerOptions {
  CallOptions calls;
  /// The device that the program runs on. In test modes, calls run one after another. Null: the
  /// one that its code is for, which is the first card for code of cards.
  std::shared_ptr<GraphDevice> device;
  /// Divides the host's kernels between threads if `device` is null; must outlive the runner. Null:
  /// the caller runs alone.
  ThreadPool* pool = nullptr;

  /// Memory that the program shares with others, on `device`; it must outlive the runner. Null: memory
  /// of its own.
  SharedMemory* memory = nullptr;
  bool keeps_graphs = true;  ///< Off: every call makes its graphs anew, for comparison.

  /// The rank that starts collectives. Null: a world of its own.
  std::shared_ptr<distributed::Communicator> communicator;

  // In the process that compiled the program:

  /// The program's kernels if the device has them already; nullopt: their code is loaded.
  std::optional<std::vector<KernelId>> kernels;
  /// By CallLaunch::call.
  std::vector<SuppliedCall> calls_supplied;
  /// Owns the program's symbols, unless the program does; it must outlive the runner.
  const ExprPool* symbols = nullptr;
};

/// Thread-safe as ProgramCalls is.
class ProgramRunner {
 public:
  /// Throws what loading code throws, and Error for weights that do not match the signature.
  ProgramRunner(artifact::Program program, const RunnerOptions& options);
  ~ProgramRunner();
  ProgramRunner(const ProgramRunner&) = delete;
  ProgramRunner& operator=(const ProgramRunner&) = delete;

  /// Runs a call: see ProgramCalls::run.
  std::vector<Value> run(std::span<const Value> given) { return run_under_key(given, next_key()); }

  int64_t next_key() { return calls_.next_key(); }

  std::vector<Value> run_under_key(std::span<const Value> given, int64_t key) {
    return run_under_key(calls_, given, key);
  }

  /// Runs a call that writes its outputs to `into`: see ProgramCalls::run_into.
  void run_into(ProgramCalls& calls, std::span<const Value> given, int64_t key,
                std::span<Value> into);

  /// Runs a call on other buffers than the runner's own: see ProgramCalls(const ProgramCalls&).
  std::vector<Value> run_under_key(ProgramCalls& calls, std::span<const Value> given, int64_t key);
  /// Also adds the seconds of launches, if the program is one list.
  std::vector<Value> run_timed(std::span<const Value> given, int64_t key,
                               std::vector<double>& seconds);

  /// Does the work of the first call with inputs of these sizes except running, if the program is
  /// one list.
  void prepare(std::span<const Value> given);

  const artifact::Program& program() const { return loaded_->program(); }

  const ExprPool& symbols() const { return symbols_; }

  ProgramCalls& calls() { return calls_; }

  const ProgramCalls& calls() const { return calls_; }

  std::span<const ListRunner> lists() const { return lists_; }

  /// Makes the nth device call from now (1 is the next) throw Error{io}; 0: none.
  void fail_call(int64_t n) { device_->fail_call(n); }

  /// Makes library calls pack their constants, if the sizes of a call are known: runs the lists that
  /// read weights on zeros. Errors that the runs report about such values are ignored.
  void pack_constants();

  /// The constants packed so far, for artifact::Program::packed.
  std::vector<artifact::PackedConstant> packed_constants() const {
    return library_->packed_constants(constants_);
  }

  /// The bytes of the packed constants of library calls so far.
  size_t packed_bytes() const { return library_->packed_bytes(); }

 private:
  static std::vector<const artifact::ListStep*> steps_of_lists(const artifact::Program& program);
  std::vector<Tensor> weights_of(size_t list) const;
  void add_parts(const RunnerOptions& options);
  void pack_constants(size_t list, const std::vector<Tensor>& weights, const Bindings& sizes);
  void compute(const InputOf& input_of, Bindings& bindings, StreamId stream,
               std::span<const Tensor> into, std::vector<Value>& results) const;

  std::shared_ptr<GraphDevice> device_;
  std::vector<SuppliedCall> supplied_;
  std::unique_ptr<LoadedProgram> loaded_;
  const ExprPool& symbols_;
  ProgramCalls calls_;
  std::vector<Tensor> constants_;                      ///< By input: weights that no call changes.
  std::vector<const artifact::ListStep*> list_steps_;  ///< By list; null without routines.
  std::unique_ptr<DeviceLibrary> library_;
  std::vector<ListRunner> lists_;
  std::vector<std::unique_ptr<ProgramRunner>> parts_;
  std::optional<RoutineRunner> routines_;
};

}  // namespace litz::runtime
