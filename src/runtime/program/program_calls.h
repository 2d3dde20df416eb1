// The steps of a call around the computation: it checks and binds inputs, gives results their own
// memory, and writes changes of inputs back.

#pragma once

#include <algorithm>
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
#include "runtime/program/result_place.h"
#include "runtime/program/value.h"
#include "runtime/program/weights.h"
#include "support/file_watch.h"

namespace litz::runtime {

struct CallOptions {
  /// The seed of random numbers: call i draws the same ones wherever seed and i are the same.
  uint64_t seed = 0;
  uint64_t first_call = 0;  ///< The number of the first call.
  /// Refuses inputs that a recorded guard excludes.
  bool enforce_guards = true;
  ResultPlace results = ResultPlace::automatic;
  bool always_waits =
      false;  ///< Calls wait for their work even if nothing of it comes to the host.
};

/// Thread-safe. Calls of a program that changes weights run one after another, so that no update is
/// lost; others run concurrently.
class ProgramCalls {
 public:
  /// Computes all outputs of the program, mutations included. Inputs and outputs are on the device;
  /// outputs are valid in the order of the stream.
  /// Outputs may be in the memory of `into`, by output, where that is defined. `results` is empty, with
  /// memory of earlier calls.
  using Compute =
      detail::FunctionRef<void(const InputOf& inputs, Bindings& bindings, StreamId stream,
                               std::span<const Tensor> into, std::vector<Value>& results)>;

  /// Signature, pool and device must outlive this. `updated` are the inputs whose memory the
  /// computation writes; `key` is the symbol of the key of random numbers.
  ProgramCalls(const artifact::Signature& signature, const ExprPool& pool, GraphDevice& device,
               std::vector<size_t> updated, std::optional<SymbolId> key,
               const CallOptions& options);

  /// Calls of the same program with the same options: buffers are its own, with the contents of the
  /// signature, and the numbers of its calls begin at 0. Constant weights are shared with `first`.
  ProgramCalls(const ProgramCalls& first);

  /// The number of the next call of a program that draws random numbers; others are not counted.
  uint64_t calls_begun() const { return calls_.load(); }

  /// Calls fail if the file that has the tensor's memory is cut or written.
  void watch_file_of(const Tensor& tensor);

  /// Throws Error{io} if that was done to one of them.
  void require_unchanged_files() const { files_.require_unchanged(); }

  /// Returns a key for the next call, so that random operators draw new numbers in every call.
  int64_t next_key();

  /// Runs on flat user inputs in order, on the host or the device; mutated inputs are written in place.
  /// Returns the caller's outputs. If all of them stay on the device, the work may still wait, in the
  /// order of the stream of this thread's calls. Throws Error for inputs that do not fit: count, dtype,
  /// rank, sizes, ranges, guards, device.
  std::vector<Value> run(std::span<const Value> given, int64_t key, const Compute& compute);

  /// Like run, and writes the caller's outputs to the tensors of `into`, which may lie on the host or the
  /// device: at once if memory and layout
  /// permit (row-major, aligned to 64 bytes, apart from inputs), else by a copy. Entries that are not
  /// tensors are replaced by the outputs. Throws Error for another count, dtype or size, and for tensors
  /// that overlap; `into` may then hold anything.
  void run_into(std::span<const Value> given, int64_t key, const Compute& compute,
                std::span<Value> into);

  const CallInputs& inputs() const { return inputs_; }

  const Weights& weights() const { return weights_; }

  /// By input; undefined for inputs that calls pass or change.
  std::vector<Tensor> constant_weights() const;
  /// By input: the present contents of weights, on the host; undefined for inputs that calls pass.
  std::vector<Tensor> weights_on_host();

  /// By input: true for weights that calls change.
  const std::vector<bool>& changes() const { return changes_; }

  bool changes_any() const { return std::ranges::find(changes_, true) != changes_.end(); }

  /// The contents of a weight, on the host, in memory of its own. Waits for calls that change it.
  Tensor read_weight(size_t input);
  /// The contents of a weight, on the host; the caller holds the weights while it uses them.
  Tensor present_weight(size_t input);

  /// Replaces the contents of a weight that calls change. Throws Error for another dtype or other
  /// sizes.
  void write_weight(size_t input, const Tensor& value);

  /// Gives weights that calls change the contents of the signature.
  void reset_weights();

  /// Gives weights that calls change the contents that they have in `from`, calls of the same program
  /// as compiled for other sizes. The caller holds the weights of both. Throws Error{unsupported} for
  /// a weight whose contents only one of the programs changes.
  void take_weights(ProgramCalls& from);

  /// Locks the weights that calls may change, for a reader.
  std::unique_lock<std::mutex> hold_weights() { return std::unique_lock(turn_); }

 private:
  /// Copies that replace inputs in one call.
  using Copies = std::vector<std::pair<size_t, Tensor>>;

  /// A call's use of a stream. After a failure the destructor waits for its work.
  class Lease;

  void run(std::span<const Value> given, int64_t key, const Compute& compute,
           std::span<const Value> into, Bindings& bindings, std::vector<Value>& results);
  bool keeps_results(std::span<const Value> given) const;
  void check_devices(std::span<const Value> values) const;
  bool must_wait(std::span<const Value> given, std::span<const Value> into, bool keeps) const;
  void order_use(std::span<const Value> given, std::span<const Value> into,
                 const DeviceStream& where) const;
  void write_into(std::span<const Value> into, std::span<Value> results,
                  const DeviceStream& where) const;
  void find_usable_memory(std::span<const Value> given, std::span<const Value> into,
                          std::span<Tensor> memory) const;
  const Tensor* input_of(size_t input, std::span<const Value> given) const;
  void check_writable(std::span<const Value> given) const;
  Copies copied_inputs(std::span<const Value> given, const DeviceStream& where) const;
  bool is_aligned(const Tensor& tensor) const;
  bool shares_memory(size_t input, std::span<const Value> given) const;
  const Tensor& target_of(const artifact::ProgramOutput& mutation,
                          std::span<const Value> given) const;
  bool is_input_memory(const Tensor& tensor, std::span<const Value> given) const;
  void part_outputs(std::span<const Value> given, std::span<const Value> into, bool keeps,
                    std::vector<Value>& results, const DeviceStream& where) const;
  void write_back(std::span<const Value> given, std::vector<Value>& results,
                  const DeviceStream& where, bool waits);

  void take_memory();
  void require_unchanged_files(std::span<const Value> given) const;
  Tensor weight_on_host(size_t input, const DeviceStream& where) const;
  void copy_weight(size_t input, const Tensor& value, const DeviceStream& where);

  const artifact::Signature& signature_;
  GraphDevice& device_;
  CallOptions options_;
  std::vector<size_t> updated_;
  std::optional<SymbolId> key_;
  Weights weights_;
  CallInputs inputs_;
  bool mutates_ = false;  ///< The program mutates an input or weight.
  bool changes_weights_ = false;
  std::vector<bool> changes_;
  FileWatches files_;         ///< Whose bytes calls read.
  std::vector<bool> writes_;  ///< By input: weights and tensors of callers that calls may write.
  std::mutex turn_;
  std::atomic<uint64_t> calls_ = 0;
};

}  // namespace litz::runtime
