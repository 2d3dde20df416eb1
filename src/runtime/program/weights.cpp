#include "runtime/program/weights.h"

#include <algorithm>
#include <functional>
#include <set>

#include "runtime/stream_use.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

/// All bytes of a storage.
Tensor bytes_of(const std::shared_ptr<Storage>& storage) {
  return Tensor(DType::u8, {static_cast<int64_t>(storage->size())}, {1}, 0, storage);
}

}  // namespace

Weights::Weights(const artifact::Signature& signature, const DeviceStream& where)
    : owned_(signature.inputs.size(), false) {
  tensors_.reserve(signature.inputs.size());
  for (const artifact::ProgramInput& input : signature.inputs) tensors_.push_back(input.data);
  place(where);
}

Weights::Weights(const artifact::Signature& signature, const Weights& shared,
                 const DeviceStream& where)
    : owned_(signature.inputs.size(), false) {
  const std::vector<bool> constant = constant_inputs(signature);
  tensors_.reserve(signature.inputs.size());
  for (size_t i = 0; i < constant.size(); ++i) {
    tensors_.push_back(constant[i] ? shared.at(i) : signature.inputs[i].data);
  }
  place(where);
}

/// Copies tensors of other devices.
void Weights::place(const DeviceStream& where) {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].defined() && !where.holds(tensors_[i])) move(i, where);
  }
  if (!where.device.caps().is_immediate) where.device.settle(where.stream);
  // Calls on all streams read them; those that change get an account from the calls.
  for (const Tensor& tensor : tensors_) {
    if (tensor.defined()) end_account(tensor);
  }
  note_storages();
}

void Weights::note_storages() {
  storages_.clear();
  for (const Tensor& tensor : tensors_) {
    if (tensor.defined()) storages_.push_back(tensor.storage().get());
  }
  std::ranges::sort(storages_, std::less<>());
}

bool Weights::hold(const Storage* storage) const {
  return std::ranges::binary_search(storages_, storage, std::less<>());
}

void Weights::write(size_t input, const Tensor& value, const DeviceStream& where) {
  check(tensors_[input].defined(), "only weights with data are written:", input);
  own(input, where);
  where.device.copy(where.stream, tensors_[input], value);
}

void Weights::own(size_t input, const DeviceStream& where) {
  if (owned_[input]) return;
  move(input, where);
  note_storages();
}

/// Copies a weight's storage, since no other object sees the copy. Copies all of it, since other
/// weights may be views of it.
void Weights::move(size_t input, const DeviceStream& where) {
  const Tensor original = tensors_[input];
  const Tensor copy = copied(bytes_of(original.storage()), {}, where);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    if (tensor.storage() != original.storage()) continue;
    tensor =
        Tensor(tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.offset(), copy.storage());
    owned_[i] = true;
  }
}

std::vector<bool> constant_inputs(const artifact::Signature& signature) {
  std::set<const Storage*> changed;
  for (const artifact::ProgramOutput& output : signature.outputs) {
    if (!is_mutation(output.kind)) continue;
    const Tensor& weight = signature.inputs[static_cast<size_t>(output.input)].data;
    if (weight.defined()) changed.insert(weight.storage().get());
  }
  std::vector<bool> constant;
  for (const artifact::ProgramInput& input : signature.inputs) {
    constant.push_back(input.data.defined() && !changed.contains(input.data.storage().get()));
  }
  return constant;
}

}  // namespace litz::runtime
