// A compiled program for a service: it has its own threads, and its weights can be replaced while
// calls run.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/program/interface.h"
#include "runtime/program/program_runner.h"

namespace litz::runtime {

struct ModelOptions {
  int threads = 0;               ///< The caller included; 0: one per CPU.
  uint64_t seed = 0;             ///< The seed of random numbers: CallOptions::seed.
  std::optional<Device> device;  ///< Nothing: that of the program's code.
  ResultPlace results = ResultPlace::automatic;
  /// The rank that this is; null: a world of its own.
  std::shared_ptr<distributed::Communicator> communicator;
};

/// Calls of a model on its own buffers or on others. Thread-safe as ProgramCalls is.
class ModelCalls {
 public:
  std::vector<Value> run(std::span<const Value> given) {
    return runner_->run_under_key(calls(), given, calls().next_key());
  }

  /// See ProgramCalls::run_into.
  void run_into(std::span<const Value> given, std::span<Value> into) {
    runner_->run_into(calls(), given, calls().next_key(), into);
  }

  std::vector<Entry> buffers() { return buffer_entries(runner_->program().signature, calls()); }

  // Buffers by name. Each throws Error{not_found} for a name that is not a buffer's.

  Tensor read_buffer(const std::string& name) { return calls().read_weight(buffer(name)); }

  void write_buffer(const std::string& name, const Tensor& value) {
    calls().write_weight(buffer(name), value);
  }

  void reset_buffers() { calls().reset_weights(); }

 private:
  friend class Model;

  explicit ModelCalls(std::shared_ptr<ProgramRunner> runner) : runner_(std::move(runner)) {}

  ProgramCalls& calls() { return own_ != nullptr ? *own_ : runner_->calls(); }

  size_t buffer(const std::string& name) {
    return buffer_named(runner_->program().signature, calls(), name);
  }

  std::shared_ptr<ProgramRunner> runner_;
  std::unique_ptr<ProgramCalls> own_;  ///< Null: the runner's.
};

/// Thread-safe.
class Model {
 public:
  /// Throws what ProgramRunner's constructor throws, and Error for an invalid number of threads, and
  /// if the ranks' programs differ.
  Model(artifact::Program program, const ModelOptions& options);

  /// Calls on the weights that are current now, and on the buffers that all such calls share.
  ModelCalls calls() const { return ModelCalls(current()); }

  /// Calls on the weights that are current now, and on buffers of their own, which start as they were
  /// loaded. They may outlive the model.
  ModelCalls session() const;

  /// The signature, which does not depend on the weights' values.
  const artifact::Signature& signature() const { return program_.signature; }

  /// Replaces the contents of weights by name. Throws Error for a name that is not a weight's and
  /// for tensors of other dtypes or sizes, and then changes nothing. Weights that share memory with
  /// a replaced one get a separate copy.
  void set_weights(std::span<const std::pair<std::string, Tensor>> weights);

 private:
  std::shared_ptr<ProgramRunner> current() const;
  std::shared_ptr<ProgramRunner> new_runner(artifact::Program program, uint64_t first_call) const;

  ModelOptions options_;
  std::shared_ptr<ThreadPool> pool_;  ///< Null: calls run alone.
  artifact::Program program_;
  std::mutex replacing_;  ///< One thread at a time makes a new runner.
  mutable std::mutex mutex_;
  std::shared_ptr<ProgramRunner> runner_;
};

}  // namespace litz::runtime
