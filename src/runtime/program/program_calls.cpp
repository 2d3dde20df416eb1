#include "runtime/program/program_calls.h"

#include <algorithm>
#include <array>
#include <memory>
#include <memory_resource>
#include <unordered_set>

#include "runtime/program/laid_out.h"
#include "runtime/program/output_memory.h"
#include "runtime/program/required_guards.h"
#include "runtime/stream_use.h"
#include "support/check.h"
#include "support/random_keys.h"
#include "types/compare.h"
#include "types/span_bytes.h"

namespace litz::runtime {
namespace {

using artifact::ProgramOutput;

bool overlap(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage()) return false;
  return a.address() < b.address() + span_bytes(b) && b.address() < a.address() + span_bytes(a);
}

/// The number of outputs up to which a call that writes to memory of its caller needs no heap.
constexpr size_t kUsualOutputs = 12;

/// Machine code may assume this of outputs.
constexpr uintptr_t kOutputAlignment = 64;

bool is_same_memory(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.offset() == b.offset() && a.strides() == b.strides() &&
         a.dtype() == b.dtype();
}

/// A set of storages. Few are searched one by one, in memory that the thread keeps, since allocations
/// would be a good part of a small call; 10,000 results have 50 million pairs.
class SeenStorages {
 public:
  /// For so many insertions and searches.
  SeenStorages(size_t most, size_t searches) : is_large_(most * searches > kMostSteps) {
    few_.clear();
  }

  void insert(const Storage* storage) {
    if (is_large_) {
      many_.insert(storage);
    } else {
      few_.push_back(storage);
    }
  }

  bool contains(const Storage* storage) const {
    if (is_large_) return many_.contains(storage);
    return std::ranges::find(few_, storage) != few_.end();
  }

 private:
  static constexpr size_t kMostSteps = 16 * 1024;

  static std::vector<const Storage*>& spare() {
    thread_local std::vector<const Storage*> storages;
    return storages;
  }

  std::vector<const Storage*>& few_ = spare();
  bool is_large_;
  std::unordered_set<const Storage*> many_;
};

/// What a call fills and the next call of the thread fills again, so that its heap memory is kept.
struct CallLists {
  Bindings bindings;
  std::vector<Value> results;
};

/// The lists of this thread, or new ones in a call within a call.
class CallMemory {
 public:
  CallMemory() : lists_(std::move(spare())) {
    if (lists_ == nullptr) lists_ = std::make_unique<CallLists>();
  }

  ~CallMemory() {
    lists_->bindings.clear();
    lists_->results.clear();
    spare() = std::move(lists_);
  }

  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  CallLists* operator->() const { return lists_.get(); }

 private:
  static std::unique_ptr<CallLists>& spare() {
    thread_local std::unique_ptr<CallLists> lists;
    return lists;
  }

  std::unique_ptr<CallLists> lists_;
};

}  // namespace

// The host finishes work at once, so its calls share stream 0.
class ProgramCalls::Lease {
 public:
  explicit Lease(const ProgramCalls& calls)
      : device_(calls.device_), is_immediate_(device_.caps().is_immediate) {
    if (!is_immediate_) stream_ = device_.begin_call();
  }

  // A failed call may have left work that uses memory of the caller, and has thrown already. Failures
  // of earlier calls stay for those who wait for them.
  ~Lease() {
    if (is_immediate_) return;
    constexpr int kMostFailures = 2;  // Of waits that a test makes fail.
    for (int i = 0; i <= kMostFailures && !is_finished_; ++i) {
      try {
        device_.settle(stream_);
        is_finished_ = true;
      } catch (const std::exception&) {
      }
    }
    device_.end_call(stream_);
  }

  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  DeviceStream where() const { return {device_, stream_}; }

  /// Waits for the work of the stream.
  void finish() {
    if (!is_immediate_) device_.synchronize(stream_);
    is_finished_ = true;
  }

  /// Leaves the work to the stream.
  void leave() { is_finished_ = true; }

 private:
  GraphDevice& device_;
  bool is_immediate_;
  bool is_finished_ = false;
  StreamId stream_;
};

ProgramCalls::ProgramCalls(const artifact::Signature& signature, const ExprPool& pool,
                           GraphDevice& device, std::vector<size_t> updated,
                           std::optional<SymbolId> key, const CallOptions& options)
    : signature_(signature),
      device_(device),
      options_(options),
      updated_(std::move(updated)),
      key_(key),
      weights_(signature, {device, {}}),
      inputs_(signature, weights_, pool),
      calls_(options.first_call) {
  FileWatches read;
  for (const artifact::ProgramInput& input : signature.inputs) {
    if (input.data.defined()) read.add(input.data.address());
  }
  read.require_unchanged();
  take_memory();
}

ProgramCalls::ProgramCalls(const ProgramCalls& first)
    : signature_(first.signature_),
      device_(first.device_),
      options_(first.options_),
      updated_(first.updated_),
      key_(first.key_),
      weights_(signature_, first.weights_, {device_, {}}),
      inputs_(signature_, weights_, first.inputs_.pool()),
      files_(first.files_) {
  take_memory();
}

/// Finds what calls change, and owns the memory of weights that they write in place.
void ProgramCalls::take_memory() {
  const std::vector<bool> constant = constant_inputs(signature_);
  for (size_t i = 0; i < constant.size(); ++i) {
    changes_.push_back(weights_.at(i).defined() && !constant[i]);
  }
  changes_weights_ = std::ranges::any_of(signature_.outputs, [](const ProgramOutput& output) {
    return is_mutation(output.kind) && output.kind != OutputKind::input_mutation;
  });
  mutates_ = std::ranges::any_of(
      signature_.outputs, [](const ProgramOutput& output) { return is_mutation(output.kind); });
  writes_ = changes_;
  for (const size_t input : updated_) writes_[input] = true;
  for (const ProgramOutput& output : signature_.outputs) {
    if (is_mutation(output.kind)) writes_[static_cast<size_t>(output.input)] = true;
  }
  const Lease lease(*this);
  for (const size_t input : updated_) {
    if (weights_.at(input).defined()) weights_.own(input, lease.where());
  }
  for (size_t i = 0; i < changes_.size(); ++i) watch_file_of(weights_.at(i));
}

void ProgramCalls::watch_file_of(const Tensor& tensor) {
  // The memory of a device has copies.
  if (tensor.defined() && tensor.device() == Device{}) files_.add(tensor.address());
}

void ProgramCalls::require_unchanged_files(std::span<const Value> given) const {
  files_.require_unchanged();
  if (!FileWatch::has_any_lost()) return;
  FileWatches inputs;
  for (const Value& value : given) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    if (tensor != nullptr && tensor->defined() && tensor->device() == Device{}) {
      inputs.add(tensor->address());
    }
  }
  inputs.require_unchanged();
}

int64_t ProgramCalls::next_key() {
  // Without random numbers nobody counts calls, which callers of many threads would do in turn.
  return key_ ? key_of_call(options_.seed, calls_.fetch_add(1)) : 0;
}

std::vector<Value> ProgramCalls::run(std::span<const Value> given, int64_t key,
                                     const Compute& compute) {
  CallMemory memory;
  std::vector<Value> results;
  run(given, key, compute, {}, memory->bindings, results);
  return results;
}

void ProgramCalls::run_into(std::span<const Value> given, int64_t key, const Compute& compute,
                            std::span<Value> into) {
  const auto count = static_cast<size_t>(std::ranges::count_if(
      signature_.outputs, [](const ProgramOutput& output) { return is_user_output(output.kind); }));
  require(into.size() == count, "a call has memory for each output:", count, "but", into.size());
  require_apart(into);
  CallMemory memory;
  run(given, key, compute, into, memory->bindings, memory->results);
  copy_outputs(memory->results, into);
}

void ProgramCalls::run(std::span<const Value> given, int64_t key, const Compute& compute,
                       std::span<const Value> into, Bindings& bindings,
                       std::vector<Value>& results) {
  std::unique_lock<std::mutex> mine(turn_, std::defer_lock);
  if (changes_weights_) mine.lock();
  inputs_.bind(given, bindings);
  if (key_) bindings.set(*key_, key);
  if (options_.enforce_guards) require_guards(signature_, bindings);
  check_writable(given);
  check_devices(given);
  check_devices(into);
  const bool keeps = keeps_results(given);
  const bool waits = must_wait(given, into, keeps);
  Lease lease(*this);
  const DeviceStream where = lease.where();
  order_use(given, into, where);
  const Copies copies = copied_inputs(given, where);
  const auto read = [&](size_t input) -> const Tensor* {
    for (const auto& [which, copy] : copies) {
      if (which == input) return &copy;
    }
    return input_of(input, given);
  };
  alignas(Tensor) std::byte bytes[kUsualOutputs * sizeof(Tensor)];
  std::pmr::monotonic_buffer_resource stack(bytes, sizeof bytes);
  std::pmr::vector<Tensor> memory(into.empty() ? 0 : signature_.outputs.size(), &stack);
  if (!into.empty()) find_usable_memory(given, into, memory);
  compute(read, bindings, where.stream, memory, results);
  part_outputs(given, into, keeps, results, where);
  write_back(given, results, where, waits);
  size_t outputs = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!is_user_output(signature_.outputs[i].kind)) continue;
    if (i != outputs) results[outputs] = std::move(results[i]);
    ++outputs;
  }
  results.resize(outputs);
  write_into(into, results, where);
  waits ? lease.finish() : lease.leave();
  require_unchanged_files(given);
}

bool ProgramCalls::keeps_results(std::span<const Value> given) const {
  if (options_.results != ResultPlace::automatic) return options_.results == ResultPlace::device;
  return std::ranges::any_of(given, [&](const Value& value) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    return tensor != nullptr && tensor->defined() && tensor->device() == device_.device();
  });
}

void ProgramCalls::check_devices(std::span<const Value> values) const {
  const Device own = device_.device();
  for (const Value& value : values) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    if (tensor == nullptr || !tensor->defined()) continue;
    const Device device = tensor->device();
    if (device == Device{} || device == own) continue;
    fail(ErrorCode::invalid_argument,
         "tensors of a call must lie on the host or on the program's device, which is",
         to_string(own) + ", not on", to_string(device) + ": copy them");
  }
}

/// Whether something of the call comes to the host, or nobody keeps account of memory that it uses.
bool ProgramCalls::must_wait(std::span<const Value> given, std::span<const Value> into,
                             bool keeps) const {
  if (device_.caps().is_immediate || options_.always_waits) return true;
  if (into.empty() && !keeps) return true;
  const auto is_elsewhere = [&](const Value& value) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    return tensor != nullptr && tensor->defined() && tensor->device() != device_.device();
  };
  const auto is_unaccounted = [&](const Value& value) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    return tensor != nullptr && tensor->defined() && tensor->device() == device_.device() &&
           !is_accounted(*tensor);
  };
  if (std::ranges::any_of(into, is_elsewhere) || std::ranges::any_of(into, is_unaccounted) ||
      std::ranges::any_of(given, is_unaccounted)) {
    return true;
  }
  return std::ranges::any_of(signature_.outputs, [&](const ProgramOutput& output) {
    return output.kind == OutputKind::input_mutation &&
           is_elsewhere(given[inputs_.position(static_cast<size_t>(output.input))]);
  });
}

/// Orders the call after work of other streams on the same memory.
void ProgramCalls::order_use(std::span<const Value> given, std::span<const Value> into,
                             const DeviceStream& where) const {
  if (device_.caps().is_immediate) return;
  for (size_t i = 0; i < signature_.inputs.size(); ++i) {
    const bool is_given = is_given_by_caller(signature_.inputs[i].kind);
    if (!is_given && !changes_[i]) continue;  // Constants are there.
    const Tensor* const tensor = input_of(i, given);
    if (tensor == nullptr || !tensor->defined() || !where.holds(*tensor)) continue;
    if (writes_[i]) {
      before_write(device_, where.stream, *tensor);
    } else {
      before_read(device_, where.stream, *tensor);
    }
  }
  for (const Value& value : into) {
    const auto* const tensor = std::get_if<Tensor>(&value);
    if (tensor != nullptr && tensor->defined() && where.holds(*tensor)) {
      before_write(device_, where.stream, *tensor);
    }
  }
}

/// Copies results to the caller's memory on the device.
void ProgramCalls::write_into(std::span<const Value> into, std::span<Value> results,
                              const DeviceStream& where) const {
  if (device_.caps().is_immediate) return;
  for (size_t i = 0; i < into.size(); ++i) {
    const auto* const to = std::get_if<Tensor>(&into[i]);
    const auto* const result = std::get_if<Tensor>(&results[i]);
    if (to == nullptr || result == nullptr || !where.holds(*to)) continue;
    require_fits(*result, *to, i);
    if (!is_there(*result, *to)) device_.copy(where.stream, *to, *result);
    results[i] = *to;
  }
}

/// By output of the program: the caller's memory that code may write, which assumes that outputs are
/// aligned and apart from everything that is read.
void ProgramCalls::find_usable_memory(std::span<const Value> given, std::span<const Value> into,
                                      std::span<Tensor> memory) const {
  size_t next = 0;
  for (size_t i = 0; i < memory.size() && next < into.size(); ++i) {
    if (!is_user_output(signature_.outputs[i].kind)) continue;
    const auto* const tensor = std::get_if<Tensor>(&into[next++]);
    if (tensor == nullptr || !tensor->is_contiguous()) continue;
    if (tensor->device() != device_.device()) continue;
    const bool is_aligned = reinterpret_cast<uintptr_t>(tensor->address()) % kOutputAlignment == 0;
    const bool is_apart = std::ranges::none_of(given, [&](const Value& value) {
      const auto* const input = std::get_if<Tensor>(&value);
      return input != nullptr && may_meet(*input, *tensor);
    });
    if (is_apart && is_aligned) memory[i] = *tensor;
  }
}

Tensor ProgramCalls::present_weight(size_t input) {
  Lease lease(*this);
  Tensor weight = weight_on_host(input, lease.where());
  lease.finish();
  return weight;
}

Tensor ProgramCalls::read_weight(size_t input) {
  const std::unique_lock<std::mutex> mine = hold_weights();
  const Tensor weight = present_weight(input);
  Tensor own = weight.storage() == weights_.at(input).storage() ? weight.clone() : weight;
  files_.require_unchanged();
  return own;
}

void ProgramCalls::write_weight(size_t input, const Tensor& value) {
  const Tensor& weight = weights_.at(input);
  require(value.dtype() == weight.dtype() && value.sizes() == weight.sizes(),
          "a buffer keeps its dtype and sizes:", signature_.inputs[input].label,
          name(weight.dtype()), to_string(weight.sizes()), "but is given", name(value.dtype()),
          to_string(value.sizes()));
  check_devices(std::array<Value, 1>{value});
  const std::unique_lock<std::mutex> mine = hold_weights();
  Lease lease(*this);
  copy_weight(input, value, lease.where());
  lease.finish();
}

void ProgramCalls::reset_weights() {
  const std::unique_lock<std::mutex> mine = hold_weights();
  Lease lease(*this);
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (changes_[i]) copy_weight(i, signature_.inputs[i].data, lease.where());
  }
  lease.finish();
  files_.require_unchanged();
}

void ProgramCalls::take_weights(ProgramCalls& from) {
  check(changes_.size() == from.changes_.size(), "forms of a program have the same inputs");
  std::vector<std::pair<size_t, Tensor>> taken;
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (!weights_.at(i).defined() || !from.weights_.at(i).defined()) continue;
    require(
        changes_[i] == from.changes_[i], ErrorCode::unsupported,
        "a buffer must be changed by calls of all sizes, or by none:", signature_.inputs[i].label);
    if (changes_[i]) taken.emplace_back(i, from.present_weight(i));
  }
  Lease lease(*this);
  for (const auto& [input, value] : taken) copy_weight(input, value, lease.where());
  lease.finish();
}

/// Valid when the stream is synchronised.
Tensor ProgramCalls::weight_on_host(size_t input, const DeviceStream& where) const {
  if (!device_.caps().is_immediate) before_read(device_, where.stream, weights_.at(input));
  return on_host_later(weights_.at(input), where);
}

void ProgramCalls::copy_weight(size_t input, const Tensor& value, const DeviceStream& where) {
  if (!device_.caps().is_immediate) {
    if (where.holds(value)) before_read(device_, where.stream, value);
    before_write(device_, where.stream, weights_.at(input));
  }
  weights_.write(input, where.holds(value) ? value : copied(value, {}, where), where);
}

std::vector<Tensor> ProgramCalls::weights_on_host() {
  Lease lease(*this);
  std::vector<Tensor> weights;
  for (size_t i = 0; i < signature_.inputs.size(); ++i) {
    const Tensor& weight = weights_.at(i);
    weights.push_back(weight.defined() ? weight_on_host(i, lease.where()) : Tensor());
  }
  lease.finish();
  return weights;
}

std::vector<Tensor> ProgramCalls::constant_weights() const {
  const std::vector<bool> is_constant = constant_inputs(signature_);
  std::vector<Tensor> constant(is_constant.size());
  for (size_t i = 0; i < constant.size(); ++i) {
    if (is_constant[i]) constant[i] = weights_.at(i);
  }
  return constant;
}

/// The tensor of an input; null if it is not one.
const Tensor* ProgramCalls::input_of(size_t input, std::span<const Value> given) const {
  if (!is_given_by_caller(signature_.inputs[input].kind)) return &weights_.at(input);
  return std::get_if<Tensor>(&given[inputs_.position(input)]);
}

/// Inputs of which calls use a copy: those on another device or not aligned, and written ones that share
/// memory with other inputs.
ProgramCalls::Copies ProgramCalls::copied_inputs(std::span<const Value> given,
                                                 const DeviceStream& where) const {
  Copies copies;
  const bool is_on_host = device_.device() == Device{};
  for (size_t i = 0; i < signature_.inputs.size() && !is_on_host; ++i) {
    const Tensor* const tensor = input_of(i, given);
    if (tensor == nullptr || !tensor->defined()) continue;
    if (where.holds(*tensor) && is_aligned(*tensor)) continue;
    copies.emplace_back(i, copied(*tensor, tensor->strides(), where));
  }
  for (const size_t input : updated_) {
    const Tensor* const tensor = input_of(input, given);
    if (tensor == nullptr || !tensor->defined() || !where.holds(*tensor)) continue;
    if (!is_aligned(*tensor) || !shares_memory(input, given)) continue;
    copies.emplace_back(input, copied(*tensor, tensor->strides(), where));
  }
  return copies;
}

/// Weights are as the program places them.
bool ProgramCalls::is_aligned(const Tensor& tensor) const {
  return weights_.hold(tensor.storage().get()) || tensor.numel() == 0 ||
         reinterpret_cast<uintptr_t>(tensor.address()) % device_.caps().input_alignment == 0;
}

bool ProgramCalls::shares_memory(size_t input, std::span<const Value> given) const {
  const Tensor& tensor = *input_of(input, given);
  for (size_t i = 0; i < signature_.inputs.size(); ++i) {
    const Tensor* const other = i == input ? nullptr : input_of(i, given);
    if (other != nullptr && other->defined() && overlap(*other, tensor)) return true;
  }
  return false;
}

/// Runs before any work.
void ProgramCalls::check_writable(std::span<const Value> given) const {
  for (const ProgramOutput& output : signature_.outputs) {
    if (output.kind != OutputKind::input_mutation) continue;
    const auto input = static_cast<size_t>(output.input);
    const auto* target = std::get_if<Tensor>(&given[inputs_.position(input)]);
    require(target == nullptr || target->storage()->is_writable(), ErrorCode::invalid_argument,
            "an input that the program changes must be writable:", inputs_.label(input));
  }
}

/// The target of a mutation: a weight, or the caller's tensor.
const Tensor& ProgramCalls::target_of(const ProgramOutput& mutation,
                                      std::span<const Value> given) const {
  const auto input = static_cast<size_t>(mutation.input);
  if (mutation.kind != OutputKind::input_mutation) return weights_.at(input);
  return std::get<Tensor>(given[inputs_.position(input)]);
}

bool ProgramCalls::is_input_memory(const Tensor& tensor, std::span<const Value> given) const {
  const Storage* const storage = tensor.storage().get();
  if (storage == nullptr) return false;
  return weights_.hold(storage) || std::ranges::any_of(given, [&](const Value& value) {
           const auto* input = std::get_if<Tensor>(&value);
           return input != nullptr && input->storage().get() == storage;
         });
}

/// Results for callers must be where the caller wants them, and share no memory with inputs, weights
/// and other results.
void ProgramCalls::part_outputs(std::span<const Value> given, std::span<const Value> into,
                                bool keeps, std::vector<Value>& results,
                                const DeviceStream& where) const {
  SeenStorages seen(given.size() + results.size(), results.size());
  for (const Value& value : given) {
    const auto* const input = std::get_if<Tensor>(&value);
    if (input != nullptr && input->storage() != nullptr) seen.insert(input->storage().get());
  }
  size_t next = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!is_user_output(signature_.outputs[i].kind)) continue;
    const auto* const to = into.empty() ? nullptr : std::get_if<Tensor>(&into[next++]);
    auto* tensor = std::get_if<Tensor>(&results[i]);
    if (tensor == nullptr || !tensor->defined()) continue;
    const bool stays = to != nullptr ? where.holds(*to) : keeps;
    if (tensor->device() != Device{} && !stays) {
      *tensor = on_host_later(*tensor, where);
    } else if (seen.contains(tensor->storage().get()) || weights_.hold(tensor->storage().get())) {
      *tensor = copied(*tensor, tensor->strides(), where);
    }
    seen.insert(tensor->storage().get());
  }
}

/// Writes new contents of buffers and of the caller's tensors, after all reads. Calls that wait do so only
/// on success.
void ProgramCalls::write_back(std::span<const Value> given, std::vector<Value>& results,
                              const DeviceStream& where, bool waits) {
  if (!mutates_) return;
  if (!device_.caps().is_immediate && waits) device_.synchronize(where.stream);
  for (size_t i = 0; i < results.size(); ++i) {
    auto* value = std::get_if<Tensor>(&results[i]);
    if (value == nullptr || !is_mutation(signature_.outputs[i].kind)) continue;
    if (is_same_memory(*value, target_of(signature_.outputs[i], given))) {
      results[i] = std::monostate();  // It was written in place.
    } else if (is_input_memory(*value, given)) {
      // A value that is itself an input would change under the writes that follow.
      *value = copied(*value, {}, where);
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const ProgramOutput& output = signature_.outputs[i];
    const auto* value = std::get_if<Tensor>(&results[i]);
    if (!is_mutation(output.kind) || value == nullptr) continue;
    if (output.kind != OutputKind::input_mutation) {
      weights_.write(static_cast<size_t>(output.input), *value, where);
      continue;
    }
    device_.copy(where.stream, target_of(output, given), *value);
  }
}

}  // namespace litz::runtime
