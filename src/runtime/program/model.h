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

#include "runtime/program/program_runner.h"

namespace litz::runtime {

struct ModelOptions {
  int threads = 0;    ///< The caller included; 0: one per CPU.
  uint64_t seed = 0;  ///< The seed of random numbers: CallOptions::seed.
};

/// Thread-safe.
class Model {
 public:
  /// Throws what ProgramRunner's constructor throws, and Error for an invalid number of threads.
  Model(artifact::Program program, const ModelOptions& options);

  /// Runs a call on the weights that were current when it began.
  std::vector<Value> run(std::span<const Value> given);

  /// The signature, which does not depend on the weights' values.
  const artifact::Signature& signature() const { return program_.signature; }

  /// Replaces the contents of weights by name. Throws Error for a name that is not a weight's and
  /// for tensors of other dtypes or sizes, and then changes nothing. Weights that share memory with
  /// a replaced one get a separate copy.
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
