#include "compiler/bisect/step_comparers.h"

#include <cstring>

#include "compiler/leaf.h"
#include "support/check.h"
#include "types/compare.h"

namespace litz::compiler {

using lowering::kNoSlot;

namespace {

/// The same buffers with copies of outputs and scratch, since kernels may update them. Buffers that
/// share memory, such as parts of one result, still share it.
std::vector<Tensor> with_own_outputs(const loops::Kernel& kernel, std::span<const Tensor> buffers) {
  std::map<const Storage*, std::shared_ptr<Storage>> copies;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (kernel.buffers[i].role == loops::BufferRole::input) continue;
    const std::shared_ptr<Storage>& memory = buffers[i].storage();
    if (copies.contains(memory.get())) continue;
    const std::shared_ptr<Storage> copy = Storage::allocate_uninitialized(memory->size());
    std::memcpy(copy->mutable_data(), memory->data(), memory->size());
    copies.emplace(memory.get(), copy);
  }
  std::vector<Tensor> own;
  own.reserve(buffers.size());
  for (const Tensor& buffer : buffers) {
    const auto found = copies.find(buffer.storage().get());
    own.push_back(found == copies.end() ? buffer
                                        : Tensor(buffer.dtype(), buffer.sizes(), buffer.strides(),
                                                 buffer.offset(), found->second));
  }
  return own;
}

}  // namespace

std::string leaf_difference(const Leaf& actual, const Leaf& expected, Tolerance tolerance) {
  const auto* a = std::get_if<Tensor>(&actual);
  const auto* e = std::get_if<Tensor>(&expected);
  if (a != nullptr && e != nullptr) {
    const Comparison comparison = compare(*a, *e, tolerance.rtol, tolerance.atol);
    return comparison.matches() ? "" : comparison.message();
  }
  bool is_same = actual.index() == expected.index() && a == nullptr;
  if (const auto* text = std::get_if<std::string>(&actual); is_same && text != nullptr) {
    is_same = *text == std::get<std::string>(expected);
  } else if (is_same && !std::holds_alternative<std::monostate>(actual)) {
    is_same = same_number(actual, expected);
  }
  return is_same ? "" : "is another value";
}

void SlotRecorder::after_step(int plan, size_t step, std::span<const Tensor> slots,
                              const Bindings& /*bindings*/) {
  if (plan != 0) return;
  for (const lowering::Result& result : plan_.steps[step].results) {
    if (result.slot == kNoSlot) continue;
    const Tensor& tensor = slots[static_cast<size_t>(result.slot)];
    made_[result.slot] = updates_ && tensor.defined() ? tensor.clone(tensor.strides()) : tensor;
  }
}

void SlotComparer::after_step(int plan, size_t step, std::span<const Tensor> slots,
                              const Bindings& /*bindings*/) {
  if (plan != 0) return;
  ++ended_;
  if (first_wrong_) return;
  for (const lowering::Result& result : plan_.steps[step].results) {
    const auto found = expected_.find(result.slot);
    if (found == expected_.end() || !found->second.defined()) continue;
    const Tensor& actual = slots[static_cast<size_t>(result.slot)];
    if (!actual.defined()) continue;
    message_ = leaf_difference(actual, found->second, tolerance_);
    if (message_.empty()) continue;
    first_wrong_ = step;
    return;
  }
}

void KernelComparer::before_kernel(size_t kernel, const lowering::KernelStep& step,
                                   std::span<const Tensor> buffers) {
  if (compares(kernel)) own_ = with_own_outputs(step.kernel, buffers);
}

void KernelComparer::after_kernel(size_t kernel, const lowering::KernelStep& step,
                                  std::span<const Tensor> buffers, const Bindings& bindings) {
  if (!compares(kernel)) return;
  message_ = difference(kernel, step, buffers, bindings);
  if (!message_.empty()) first_wrong_ = &step;
}

std::string KernelComparer::difference(size_t kernel, const lowering::KernelStep& step,
                                       std::span<const Tensor> buffers,
                                       const Bindings& bindings) const {
  try {
    compiled_.run(kernel, own_, bindings);
  } catch (const Error& error) {
    return error.what();
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const loops::Buffer& declared = step.kernel.buffers[i];
    if (declared.role != loops::BufferRole::output) continue;
    const std::string text = leaf_difference(own_[i], buffers[i], tolerance_);
    if (!text.empty()) return "%" + declared.name + ": " + text;
  }
  return "";
}

}  // namespace litz::compiler
