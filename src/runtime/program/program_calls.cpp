#include "runtime/program/program_calls.h"

#include <algorithm>

#include "support/check.h"
#include "support/random_keys.h"
#include "types/compare.h"
#include "types/guard.h"

namespace litz::runtime {
namespace {

using artifact::ProgramOutput;

bool overlap(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage()) return false;
  const auto bytes = [](const Tensor& tensor) {
    return storage_span(tensor.sizes(), tensor.strides(), 0) *
           static_cast<int64_t>(item_size(tensor.dtype()));
  };
  return a.data() < b.data() + bytes(b) && b.data() < a.data() + bytes(a);
}

bool is_same_memory(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.offset() == b.offset() && a.strides() == b.strides() &&
         a.dtype() == b.dtype();
}

}  // namespace

ProgramCalls::ProgramCalls(const artifact::Signature& signature, const ExprPool& pool,
                           std::vector<size_t> updated, std::optional<SymbolId> key,
                           const CallOptions& options)
    : signature_(signature),
      options_(options),
      updated_(std::move(updated)),
      key_(key),
      weights_(signature),
      inputs_(signature, weights_, pool),
      calls_(options.first_call) {
  changes_weights_ = std::ranges::any_of(signature.outputs, [](const ProgramOutput& output) {
    return is_mutation(output.kind) && output.kind != OutputKind::input_mutation;
  });
  for (const size_t input : updated_) {
    if (weights_.at(input).defined()) weights_.own(input);
  }
}

int64_t ProgramCalls::next_key() { return key_of_call(options_.seed, calls_.fetch_add(1)); }

std::vector<Value> ProgramCalls::run(std::span<const Value> given, int64_t key,
                                     const Compute& compute) {
  std::unique_lock<std::mutex> mine(turn_, std::defer_lock);
  if (changes_weights_) mine.lock();
  Bindings bindings = inputs_.bind(given);
  if (key_) bindings.set(*key_, key);
  if (options_.enforce_guards) check_guards(signature_.guards, bindings);
  check_writable(given);
  const Parted parted = part_updated(given);
  const auto read = [&](size_t input) -> const Tensor* {
    for (const auto& [which, copy] : parted) {
      if (which == input) return &copy;
    }
    return input_of(input, given);
  };
  std::vector<Value> results = compute(read, bindings);
  part_outputs(given, results);
  write_back(given, results);
  size_t outputs = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!is_user_output(signature_.outputs[i].kind)) continue;
    if (i != outputs) results[outputs] = std::move(results[i]);
    ++outputs;
  }
  results.resize(outputs);
  return results;
}

std::vector<Tensor> ProgramCalls::constant_weights() const {
  const std::vector<bool> is_constant = constant_inputs(signature_);
  std::vector<Tensor> constant(is_constant.size());
  for (size_t i = 0; i < constant.size(); ++i) {
    if (is_constant[i]) constant[i] = weights_.at(i);
  }
  return constant;
}

/// The tensor behind an input; null where it is none.
const Tensor* ProgramCalls::input_of(size_t input, std::span<const Value> given) const {
  if (!is_given_by_caller(signature_.inputs[input].kind)) return &weights_.at(input);
  return std::get_if<Tensor>(&given[inputs_.position(input)]);
}

/// An input that is written, but whose memory is that of other inputs, too, is written as a copy.
ProgramCalls::Parted ProgramCalls::part_updated(std::span<const Value> given) const {
  Parted parted;
  for (const size_t input : updated_) {
    const Tensor* const tensor = input_of(input, given);
    if (tensor == nullptr || !tensor->defined()) continue;
    bool is_shared = false;
    for (size_t i = 0; i < signature_.inputs.size() && !is_shared; ++i) {
      const Tensor* const other = i == input ? nullptr : input_of(i, given);
      is_shared = other != nullptr && other->defined() && overlap(*other, *tensor);
    }
    if (is_shared) parted.emplace_back(input, tensor->clone(tensor->strides()));
  }
  return parted;
}

/// Before anything runs.
void ProgramCalls::check_writable(std::span<const Value> given) const {
  for (const ProgramOutput& output : signature_.outputs) {
    if (output.kind != OutputKind::input_mutation) continue;
    const auto input = static_cast<size_t>(output.input);
    const auto* target = std::get_if<Tensor>(&given[inputs_.position(input)]);
    require(target == nullptr || target->storage()->is_writable(), ErrorCode::invalid_argument,
            "an input that the program changes must be writable:", inputs_.label(input));
  }
}

/// What a mutation writes: a weight, or the caller's tensor.
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

/// What callers get shares no memory with inputs, weights and other results.
void ProgramCalls::part_outputs(std::span<const Value> given, std::vector<Value>& results) const {
  for (size_t i = 0; i < results.size(); ++i) {
    auto* tensor = std::get_if<Tensor>(&results[i]);
    if (tensor == nullptr || !tensor->defined() || !is_user_output(signature_.outputs[i].kind)) {
      continue;
    }
    const auto first = results.begin();
    const bool is_again =
        std::any_of(first, first + static_cast<ptrdiff_t>(i), [&](const Value& value) {
          const auto* other = std::get_if<Tensor>(&value);
          const auto index = static_cast<size_t>(&value - results.data());
          return other != nullptr && is_user_output(signature_.outputs[index].kind) &&
                 other->storage() == tensor->storage();
        });
    if (is_again || is_input_memory(*tensor, given)) *tensor = tensor->clone(tensor->strides());
  }
}

/// New contents of buffers and of the caller's tensors, after everything was read.
void ProgramCalls::write_back(std::span<const Value> given, std::vector<Value>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    auto* value = std::get_if<Tensor>(&results[i]);
    if (value == nullptr || !is_mutation(signature_.outputs[i].kind)) continue;
    if (is_same_memory(*value, target_of(signature_.outputs[i], given))) {
      results[i] = std::monostate();  // It was written in place.
    } else if (is_input_memory(*value, given)) {
      // A value that is itself an input would change under the writes that follow.
      *value = value->clone();
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const ProgramOutput& output = signature_.outputs[i];
    const auto* value = std::get_if<Tensor>(&results[i]);
    if (!is_mutation(output.kind) || value == nullptr) continue;
    if (output.kind != OutputKind::input_mutation) {
      weights_.write(static_cast<size_t>(output.input), *value);
      continue;
    }
    Tensor target = target_of(output, given);
    target.copy_from(*value);
  }
}

}  // namespace litz::runtime
