// Runs a launch list at the sizes of each call. This is the fast path, since all sizes are known
// before the list runs.
//
// A call takes a copy of the list that is bound to its sizes, or rebinds one. Temporaries are
// placed for a bucket of sizes at a time (size_buckets.h), so new sizes mostly cost only their
// evaluation. Copies take turns in arenas (arena_pool.h). A copy that a call of another thread uses
// is never taken.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/program/device_library.h"
#include "runtime/program/loaded_program.h"
#include "runtime/program/shared_memory.h"
#include "runtime/program/size_buckets.h"
#include "runtime/program/value.h"
#include "support/thread_pool.h"

namespace litz::runtime {

/// Returns the tensor of an input; null or undefined if it is not a tensor.
using InputOf = detail::FunctionRef<const Tensor*(size_t input)>;

/// The state that lists of one program share, besides code. All of it must outlive their runners.
struct ListSurroundings {
  DeviceLibrary* library = nullptr;
  std::span<const SuppliedCall> calls;  ///< By CallLaunch::call.
  std::vector<Expr> varying;            ///< Symbols that each call sets anew, such as the seed.
  SharedMemory* memory = nullptr;       ///< Null: the runner has memory of its own.
  bool keeps_copies = true;             ///< Off: every call binds the list anew, for comparison.
};

class ListRunner {
 public:
  /// `weights[i]` is the fixed tensor of input i, undefined if each call passes one. Program and
  /// list must outlive the runner.
  ListRunner(const LoadedProgram& program, const artifact::LaunchList& list,
             std::vector<Tensor> weights, ListSurroundings surroundings);
  ~ListRunner();
  ListRunner(ListRunner&&) noexcept;
  ListRunner& operator=(ListRunner&&) noexcept;

  /// Inputs must be on the device. Outputs may be views of inputs and of each other, and are valid
  /// in the order of the stream. Inputs with strides other than the list's are copied.
  std::vector<Value> run(const InputOf& input_of, const Bindings& bindings, StreamId stream) const {
    std::vector<Value> outputs;
    run_into(input_of, bindings, stream, {}, outputs);
    return outputs;
  }

  /// Adds the outputs to `outputs`; `into` has memory for them: ListCall::into. If the sizes are those
  /// of a recent call and inputs have the compiled strides, it allocates only fresh memory of outputs.
  /// Also adds the seconds of each launch, by number, if not null and not in test modes.
  void run_into(const InputOf& input_of, const Bindings& bindings, StreamId stream,
                std::span<const Tensor> into, std::vector<Value>& outputs,
                std::vector<double>* seconds = nullptr) const;

  /// Does the work of the first call at these sizes except running.
  void prepare(const Bindings& bindings, StreamId stream) const;
  /// Returns the placement of temporaries at these sizes, and the other sizes that share it.
  std::shared_ptr<const SizeBucket> bucket_of(const Bindings& bindings) const;
  /// The number of layouts made, and of copies of the list.
  int64_t plans_made() const;
  int64_t copies_made() const;

  /// Bytes of the arena that the list needed in its last call; 0 before the first.
  size_t arena_bytes() const;
  /// Bytes of all arenas; there are as many as concurrent calls.
  size_t held_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::runtime
