// Runs a launch list at whatever sizes calls have: the fast way, since sizes are known before it runs.
//
// A call takes a copy of the list that is bound to its sizes, or binds one to them: where temporaries
// lie is planned for a bucket of sizes at a time (size_buckets.h), so new sizes mostly cost their
// evaluation only. Copies take turns in arenas (arena_pool.h), and one that calls from other threads
// use is never taken.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/program/device_library.h"
#include "runtime/program/loaded_program.h"
#include "runtime/program/size_buckets.h"
#include "runtime/program/value.h"
#include "support/thread_pool.h"

namespace litz::runtime {

/// What a call gives for an input: null or undefined where there is no tensor.
using InputOf = detail::FunctionRef<const Tensor*(size_t input)>;

/// What lists of one program share, besides code. All must outlive their runners.
struct ListSurroundings {
  DeviceLibrary* library = nullptr;
  std::span<const SuppliedCall> calls;  ///< By CallLaunch::call.
  std::vector<Expr> varying;            ///< Symbols that each call binds anew: the seed.
};

class ListRunner {
 public:
  /// `weights[i]` is what input i of the list always is, undefined for what each call gives. Program
  /// and list must outlive the runner.
  ListRunner(const LoadedProgram& program, const artifact::LaunchList& list,
             std::vector<Tensor> weights, ListSurroundings surroundings);
  ~ListRunner();
  ListRunner(ListRunner&&) noexcept;
  ListRunner& operator=(ListRunner&&) noexcept;

  /// Inputs lie on the device. Outputs may be views of inputs and of each other, and are there when the
  /// stream has come so far. Inputs of other strides than the list's are copied. Allocates what it returns, and nothing else where the sizes are those of a recent call
  /// and inputs have the strides that were compiled for.
  std::vector<Value> run(const InputOf& input_of, const Bindings& bindings, StreamId stream) const {
    return run_timed(input_of, bindings, stream, nullptr);
  }

  /// The same; adds the seconds of each launch, by number, where not null and not in test modes.
  std::vector<Value> run_timed(const InputOf& input_of, const Bindings& bindings, StreamId stream,
                               std::vector<double>* seconds) const;

  /// Does what the first call at these sizes does before it runs.
  void prepare(const Bindings& bindings, StreamId stream) const;
  /// Where temporaries lie at these sizes, and which other sizes share that.
  std::shared_ptr<const SizeBucket> bucket_of(const Bindings& bindings) const;
  /// How many layouts were made, and how many copies of the list.
  int64_t plans_made() const;
  int64_t copies_made() const;

  /// Bytes of the arena that the list needed last; 0 before the first call.
  size_t arena_bytes() const;
  /// What all arenas occupy: as many as there were calls at a time.
  size_t held_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::runtime
