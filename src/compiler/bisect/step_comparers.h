// Observers of plans that run step by step. They find the first step with a wrong result.

#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "compiler/executable.h"
#include "compiler/execution/plan_runner.h"
#include "compiler/kernels/kernel_set.h"
#include "lowering/plan.h"

namespace litz::compiler {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// How two leaves differ, in words; empty when they do not, within the tolerance for tensors.
std::string leaf_difference(const Leaf& actual, const Leaf& expected, Tolerance tolerance);

/// Keeps the results of the main plan's steps, by slot.
class SlotRecorder final : public StepObserver {
 public:
  explicit SlotRecorder(const lowering::Plan& main)
      : plan_(main), updates_(std::ranges::any_of(main.steps, lowering::is_update)) {}

  void after_step(int plan, size_t step, std::span<const Tensor> slots,
                  const Bindings& bindings) override;

  const std::map<lowering::Slot, Tensor>& made() const { return made_; }

 private:
  const lowering::Plan& plan_;
  bool updates_;  ///< Later steps overwrite some slots, so recording copies them.
  std::map<lowering::Slot, Tensor> made_;
};

/// Compares the results of the main plan's steps with those recorded for the same slots.
class SlotComparer final : public StepObserver {
 public:
  SlotComparer(const lowering::Plan& main, const std::map<lowering::Slot, Tensor>& expected,
               Tolerance tolerance)
      : plan_(main), expected_(expected), tolerance_(tolerance) {}

  void after_step(int plan, size_t step, std::span<const Tensor> slots,
                  const Bindings& bindings) override;

  /// The first step with another result, and how it differs.
  const std::optional<size_t>& first_wrong() const { return first_wrong_; }

  const std::string& message() const { return message_; }

  /// The number of steps that ended.
  size_t ended() const { return ended_; }

 private:
  const lowering::Plan& plan_;
  const std::map<lowering::Slot, Tensor>& expected_;
  Tolerance tolerance_;
  std::optional<size_t> first_wrong_;
  std::string message_;
  size_t ended_ = 0;
};

/// Runs the compiled code of every kernel on the interpreter's inputs, and compares their outputs.
class KernelComparer final : public StepObserver {
 public:
  KernelComparer(const KernelSet& compiled, Tolerance tolerance)
      : compiled_(compiled), tolerance_(tolerance) {}

  void before_kernel(size_t kernel, const lowering::KernelStep& step,
                     std::span<const Tensor> buffers) override;
  void after_kernel(size_t kernel, const lowering::KernelStep& step,
                    std::span<const Tensor> buffers, const Bindings& bindings) override;

  /// Null: none.
  const lowering::KernelStep* first_wrong() const { return first_wrong_; }

  const std::string& message() const { return message_; }

 private:
  bool compares(size_t kernel) const {
    return first_wrong_ == nullptr && compiled_.reason_interpreted(kernel).empty();
  }

  std::string difference(size_t kernel, const lowering::KernelStep& step,
                         std::span<const Tensor> buffers, const Bindings& bindings) const;

  const KernelSet& compiled_;
  Tolerance tolerance_;
  std::vector<Tensor> own_;  ///< Buffers for the compiled code, with the outputs as they were.
  const lowering::KernelStep* first_wrong_ = nullptr;
  std::string message_;
};

}  // namespace litz::compiler
