#include "runtime/program/weights.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "support/check.h"

namespace litz::runtime {
Weights::Weights(const artifact::Signature& signature) : owned_(signature.inputs.size(), false) {
  tensors_.reserve(signature.inputs.size());
  for (const artifact::ProgramInput& input : signature.inputs) tensors_.push_back(input.data);
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

void Weights::write(size_t input, const Tensor& value) {
  check(tensors_[input].defined(), "only weights with data are written:", input);
  own(input);
  tensors_[input].copy_from(value);
}

void Weights::own(size_t input) {
  if (owned_[input]) return;
  // The whole storage, since other weights may be views of it; outside this object nobody sees it.
  const std::shared_ptr<Storage> old = tensors_[input].storage();
  const std::shared_ptr<Storage> copy = Storage::allocate_uninitialized(old->size());
  if (old->size() > 0) std::memcpy(copy->mutable_data(), old->data(), old->size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    if (tensor.storage() != old) continue;
    tensor = Tensor(tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.offset(), copy);
    owned_[i] = true;
  }
  note_storages();
}

std::vector<bool> constant_inputs(const artifact::Signature& signature) {
  std::vector<const Storage*> changed;
  for (const artifact::ProgramOutput& output : signature.outputs) {
    if (!is_mutation(output.kind)) continue;
    const Tensor& weight = signature.inputs[static_cast<size_t>(output.input)].data;
    if (weight.defined()) changed.push_back(weight.storage().get());
  }
  std::vector<bool> constant;
  for (const artifact::ProgramInput& input : signature.inputs) {
    constant.push_back(input.data.defined() &&
                       std::ranges::count(changed, input.data.storage().get()) == 0);
  }
  return constant;
}

}  // namespace litz::runtime
