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
  /// Computes all outputs of the program; mutations are among them. Inputs and outputs lie on the
  /// device, and outputs are there when the stream has come so far.
  using Compute = detail::FunctionRef<std::vector<Value>(const InputOf& inputs, Bindings& bindings,
                                                         StreamId stream)>;

  /// Signature, pool and device must outlive this. `updated` are the inputs whose memory the
  /// computation writes, `key` is the symbol of the key of random numbers.
  ProgramCalls(const artifact::Signature& signature, const ExprPool& pool, GraphDevice& device,
               std::vector<size_t> updated, std::optional<SymbolId> key,
               const CallOptions& options);

  /// The number of the next call.
  uint64_t calls_begun() const { return calls_.load(); }

  /// A key for the next call: random operators draw new numbers in every call.
  int64_t next_key();

  /// Runs on flat user inputs in order, which lie on the host; mutated inputs are written in place.
  /// Gives the outputs that are the caller's, on the host. Throws Error for inputs that do not fit:
  /// count, dtype, rank, sizes, ranges, guards.
  std::vector<Value> run(std::span<const Value> given, int64_t key, const Compute& compute);

  const CallInputs& inputs() const { return inputs_; }

  const Weights& weights() const { return weights_; }

  /// By input; undefined for what calls give or change.
  std::vector<Tensor> constant_weights() const;
  /// By input: what weights hold at present, on the host; undefined for what calls give.
  std::vector<Tensor> weights_on_host();

  /// Held by whoever reads weights that calls may change.
  std::unique_lock<std::mutex> hold_weights() { return std::unique_lock(turn_); }

 private:
  /// Copies that stand for inputs in one call.
  using Copies = std::vector<std::pair<size_t, Tensor>>;

  /// A stream for one call. What it was given has run when this goes.
  class Lease;

  const Tensor* input_of(size_t input, std::span<const Value> given) const;
  void check_writable(std::span<const Value> given) const;
  Copies copied_inputs(std::span<const Value> given, const DeviceStream& where) const;
  bool shares_memory(size_t input, std::span<const Value> given) const;
  const Tensor& target_of(const artifact::ProgramOutput& mutation,
                          std::span<const Value> given) const;
  bool is_input_memory(const Tensor& tensor, std::span<const Value> given) const;
  void part_outputs(std::span<const Value> given, std::vector<Value>& results,
                    const DeviceStream& where) const;
  void write_back(std::span<const Value> given, std::vector<Value>& results,
                  const DeviceStream& where);

  const artifact::Signature& signature_;
  GraphDevice& device_;
  CallOptions options_;
  std::vector<size_t> updated_;
  std::optional<SymbolId> key_;
  Weights weights_;
  CallInputs inputs_;
  bool mutates_ = false;  ///< Some input or weight.
  bool changes_weights_ = false;
  std::mutex turn_;
  std::mutex streams_mutex_;
  std::vector<StreamId> streams_;  ///< Those that no call uses.
  std::atomic<uint64_t> calls_ = 0;
};

}  // namespace litz::runtime
