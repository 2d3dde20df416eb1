// A compiled program as a service holds it: with threads of its own, and weights that can be replaced
// while it is called.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/program/program_runner.h"

namespace litz::runtime {

struct ModelOptions {
  int threads = 0;    ///< The caller included; 0: one for each CPU.
  uint64_t seed = 0;  ///< Of random numbers: CallOptions::seed.
};

/// Thread-safe.
class Model {
 public:
  /// Throws what ProgramRunner's constructor throws, and Error for a number of threads out of range.
  Model(artifact::Program program, const ModelOptions& options);

  /// A call, on the weights that were last given when it began.
  std::vector<Value> run(std::span<const Value> given);

  /// The same whatever weights it has.
  const artifact::Signature& signature() const { return program_.signature; }

  /// Replaces the contents of weights by name. Throws Error for a name that is no weight's, and for
  /// tensors of other dtypes or sizes; nothing has changed then. Weights that share memory with a
  /// replaced one are parted from it.
  void set_weights(std::span<const std::pair<std::string, Tensor>> weights);

 private:
  std::shared_ptr<ProgramRunner> current() const;
  RunnerOptions runner_options();

  ModelOptions options_;
  std::optional<ThreadPool> pool_;
  artifact::Program program_;
  std::mutex replacing_;  ///< One thread at a time makes a new runner.
  mutable std::mutex mutex_;
  std::shared_ptr<ProgramRunner> runner_;
};

}  // namespace litz::runtime
