// Test modes for plans that are run step by step.

#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/execution/plan_runner.h"
#include "runtime/test_modes.h"

namespace litz::compiler {

/// Applies the modes to one call.
class StepModes final : public StepObserver {
 public:
  /// Each step decrements `steps_to_failure` if it is positive; the one that reaches 0 throws
  /// Error{io} instead of running. The counter must outlive this object.
  StepModes(const runtime::TestModes& modes, std::atomic<int64_t>& steps_to_failure)
      : modes_(modes), steps_to_failure_(steps_to_failure) {}

  void before_step(int plan, size_t step) override;
  void after_allocation(Tensor& result) override;
  void before_kernel(size_t kernel, const lowering::KernelStep& step,
                     std::span<const Tensor> buffers) override;
  /// Throws InternalError if the kernel changed a tensor that it only reads.
  void after_kernel(size_t kernel, const lowering::KernelStep& step,
                    std::span<const Tensor> buffers, const Bindings& bindings) override;

 private:
  const runtime::TestModes& modes_;
  std::atomic<int64_t>& steps_to_failure_;
  std::vector<std::vector<std::byte>> read_;  ///< By buffer: copies of the kernel's pure inputs.
};

}  // namespace litz::compiler
