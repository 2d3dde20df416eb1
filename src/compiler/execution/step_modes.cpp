#include "compiler/execution/step_modes.h"

#include <algorithm>

#include "runtime/cpu/host_arena.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

std::span<const std::byte> memory_of(const Tensor& tensor) {
  return {tensor.storage()->data(), tensor.storage()->size()};
}

bool is_only_read(const lowering::KernelStep& step, std::span<const Tensor> buffers, size_t which) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const bool is_written = step.kernel.buffers[i].role != loops::BufferRole::input;
    if (is_written && buffers[i].storage() == buffers[which].storage()) return false;
  }
  return true;
}

}  // namespace

void StepModes::before_step(int /*plan*/, size_t /*step*/) {
  if (steps_to_failure_.load() <= 0) return;
  require(steps_to_failure_.fetch_sub(1) != 1, ErrorCode::io,
          "steps must not fail (a test asked this one to)");
}

void StepModes::after_allocation(Tensor& result) {
  if (!modes_.poison) return;
  Storage& memory = *result.storage();
  runtime::fill_words(memory.mutable_data(), runtime::kPoisonWord, memory.size());
}

void StepModes::before_kernel(size_t /*kernel*/, const lowering::KernelStep& step,
                              std::span<const Tensor> buffers) {
  read_.clear();
  if (!modes_.access) return;
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<std::byte>& before = read_.emplace_back();
    if (!is_only_read(step, buffers, i)) continue;
    const std::span<const std::byte> memory = memory_of(buffers[i]);
    before.assign(memory.begin(), memory.end());
  }
}

void StepModes::after_kernel(size_t /*kernel*/, const lowering::KernelStep& step,
                             std::span<const Tensor> buffers, const Bindings& /*bindings*/) {
  for (size_t i = 0; i < read_.size(); ++i) {
    check(read_[i].empty() || std::ranges::equal(read_[i], memory_of(buffers[i])),
          "a kernel writes only what it declares:", step.kernel.name, "changes",
          step.kernel.buffers[i].name);
  }
}

}  // namespace litz::compiler
