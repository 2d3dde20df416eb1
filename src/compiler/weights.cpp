#include "compiler/weights.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "support/check.h"

namespace litz::compiler {
namespace {

bool is_weight(ir::InputKind kind) {
  return kind == ir::InputKind::parameter || kind == ir::InputKind::buffer ||
         kind == ir::InputKind::constant;
}

}  // namespace

Weights::Weights(const ir::Program& program)
    : tensors_(program.inputs.size()), owned_(program.inputs.size(), false) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ir::InputSpec& spec = program.inputs[i];
    if (!is_weight(spec.kind)) continue;
    const bool is_read = program.graph().input(i).has_uses();
    require(spec.data.defined() || !is_read, ErrorCode::not_found,
            "the archive must hold this weight to run the program:", spec.target);
    tensors_[i] = spec.data;
    // Folding has read it for the last time.
    if (spec.data.defined() && !is_read) {
      spec.data.storage()->release_pages(0, spec.data.storage()->size());
    }
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

}  // namespace litz::compiler
