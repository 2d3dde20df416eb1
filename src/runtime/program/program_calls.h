// Calls of a program, around what it computes: inputs are checked and bound, results are given memory
// of their own, and what the program changes is written back.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "artifact/signature.h"
#include "runtime/program/call_inputs.h"
#include "runtime/program/list_runner.h"
#include "runtime/program/value.h"
#include "runtime/program/weights.h"

namespace litz::runtime {

struct CallOptions {
  /// Of random numbers: call i draws the same ones wherever seed and i are the same.
  uint64_t seed = 0;
  uint64_t first_call = 0;  ///< The number of the first call.
  /// Refuses inputs that a recorded guard excludes.
  bool enforce_guards = true;
};

/// May be called from several threads. Calls of a program that changes weights follow each other, so
/// that no update is lost; others run side by side.
class ProgramCalls {
 public:
  /// Computes all outputs of the program; mutations are among them.
  using Compute =
      detail::FunctionRef<std::vector<Value>(const InputOf& inputs, Bindings& bindings)>;

  /// Signature and pool must outlive this. `updated` are the inputs whose memory the computation
  /// writes, `key` is the symbol of the key of random numbers.
  ProgramCalls(const artifact::Signature& signature, const ExprPool& pool,
               std::vector<size_t> updated, std::optional<SymbolId> key,
               const CallOptions& options);

  /// The number of the next call.
  uint64_t calls_begun() const { return calls_.load(); }

  /// A key for the next call: random operators draw new numbers in every call.
  int64_t next_key();

  /// Runs on flat user inputs in order; mutated inputs are written in place. Gives the outputs that
  /// are the caller's. Throws Error for inputs that do not fit: count, dtype, rank, sizes, ranges,
  /// guards.
  std::vector<Value> run(std::span<const Value> given, int64_t key, const Compute& compute);

  const CallInputs& inputs() const { return inputs_; }

  const Weights& weights() const { return weights_; }

  /// By input; undefined for what calls give or change.
  std::vector<Tensor> constant_weights() const;

  /// Held by whoever reads weights that calls may change.
  std::unique_lock<std::mutex> hold_weights() { return std::unique_lock(turn_); }

 private:
  /// Copies that stand for inputs in one call.
  using Parted = std::vector<std::pair<size_t, Tensor>>;

  const Tensor* input_of(size_t input, std::span<const Value> given) const;
  void check_writable(std::span<const Value> given) const;
  Parted part_updated(std::span<const Value> given) const;
  const Tensor& target_of(const artifact::ProgramOutput& mutation,
                          std::span<const Value> given) const;
  bool is_input_memory(const Tensor& tensor, std::span<const Value> given) const;
  void part_outputs(std::span<const Value> given, std::vector<Value>& results) const;
  void write_back(std::span<const Value> given, std::vector<Value>& results);

  const artifact::Signature& signature_;
  CallOptions options_;
  std::vector<size_t> updated_;
  std::optional<SymbolId> key_;
  Weights weights_;
  CallInputs inputs_;
  bool changes_weights_ = false;
  std::mutex turn_;
  std::atomic<uint64_t> calls_ = 0;
};

}  // namespace litz::runtime
