// Runs lowered plans step by step, for any sizes and control flow.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/executable.h"
#include "compiler/kernels/kernel_set.h"
#include "kernels/library.h"
#include "kernels/library_context.h"
#include "lowering/plan.h"
#include "runtime/cpu/host_device.h"
#include "runtime/program/device_stream.h"

namespace litz::compiler {

/// Observes a plan that runs step by step, to measure it or to find a wrong step.
class StepObserver {
 public:
  virtual ~StepObserver() = default;

  virtual void before_step(int /*plan*/, size_t /*step*/) {}

  /// `slots` holds the results of the steps so far that later steps still read.
  virtual void after_step(int /*plan*/, size_t /*step*/, std::span<const Tensor> /*slots*/,
                          const Bindings& /*bindings*/) {}

  /// A step has allocated memory for a result.
  virtual void after_allocation(Tensor& /*result*/) {}

  /// Called before kernel `kernel` of KernelSet runs.
  virtual void before_kernel(size_t /*kernel*/, const lowering::KernelStep& /*step*/,
                             std::span<const Tensor> /*buffers*/) {}

  /// Called after it ran, with all buffers that it read and wrote.
  virtual void after_kernel(size_t /*kernel*/, const lowering::KernelStep& /*step*/,
                            std::span<const Tensor> /*buffers*/, const Bindings& /*bindings*/) {}
};

/// Runs the region with this body on its operands, with the symbols bound so far.
using RunRegion = std::function<std::vector<Leaf>(ir::GraphRef body, std::span<const Leaf> operands,
                                                  const Bindings& bindings)>;

class PlanRunner {
 public:
  /// Prepares every kernel and looks up every library function; a step without a function throws
  /// Error{unsupported} when it is reached. `pool` is the module's and must outlive the runner.
  /// Programs with regions need `run_region`.
  PlanRunner(lowering::LoweredProgram program, const ExprPool& pool,
             const KernelSetOptions& options, RunRegion run_region = {});

  /// Runs the main plan. Every symbol of its inputs must be bound; inputs of other layouts are
  /// copied. Outputs may alias inputs and each other.
  std::vector<Leaf> run(std::vector<Leaf> inputs, Bindings& bindings) const;
  /// The same, with an observer.
  std::vector<Leaf> run(std::vector<Leaf> inputs, Bindings& bindings, StepObserver& observer) const;

  /// The rank that starts collectives; a world of its own unless told otherwise.
  void join(std::shared_ptr<distributed::Communicator> communicator) {
    context_->join(std::move(communicator));
  }

  /// The size of the library calls' packed constants so far.
  size_t packed_bytes() const { return context_->packed_bytes(); }

  const lowering::LoweredProgram& program() const { return program_; }

  const KernelSet& kernels() const { return *kernels_; }

 private:
  struct Frame;

  struct Prepared {
    size_t kernel = 0;  ///< Indexes kernels_; for a library call, its epilogue.
    kernels::LibraryFunction function = nullptr;
  };

  // In plan_runner.cpp:
  std::vector<Leaf> run_plan(int plan, std::vector<Leaf> inputs, Bindings& bindings,
                             StepObserver* observer) const;
  void take_inputs(Frame& frame, std::vector<Leaf> inputs) const;
  void run_step(Frame& frame, const lowering::Step& step, const Prepared& prepared) const;
  void run_kernel(Frame& frame, const lowering::KernelStep& work, size_t kernel) const;
  static std::vector<Tensor> buffers_of(Frame& frame, const lowering::KernelStep& work);
  void run_library(Frame& frame, const lowering::Step& step, const lowering::LibraryStep& work,
                   const Prepared& prepared) const;
  /// Runs a call with a compiled epilogue on tiles of its result.
  void run_in_tiles(Frame& frame, const lowering::KernelStep& epilogue, size_t kernel,
                    kernels::LibraryFunction function, kernels::LibraryCall& call) const;
  void run_assertion(Frame& frame, const lowering::AssertStep& work) const;
  void settle(Frame& frame, const lowering::Step& step, size_t result, Leaf value) const;

  // In run_control.cpp:
  void run_control(Frame& frame, const lowering::Step& step,
                   const lowering::ControlStep& work) const;

  runtime::DeviceStream where() const { return {*device_, {}}; }

  std::vector<Leaf> results_of(Frame& frame, const lowering::Step& step,
                               const lowering::ControlStep& work) const;

  lowering::LoweredProgram program_;
  const ExprPool& pool_;
  RunRegion run_region_;
  std::vector<std::vector<Prepared>> prepared_;  ///< Indexed by plan and step.
  std::optional<KernelSet> kernels_;
  std::unique_ptr<kernels::LibraryContext> context_;  ///< For library calls.
  std::unique_ptr<runtime::HostDevice> device_;       ///< Allocates tensors.
};

/// The variables of one running plan.
struct PlanRunner::Frame {
  const lowering::Plan& plan;
  std::vector<Tensor> slots;
  Bindings& bindings;
  StepObserver* observer = nullptr;

  Tensor& slot(lowering::Slot i) { return slots[static_cast<size_t>(i)]; }

  Leaf leaf(const lowering::ControlOperand& operand) const;
  std::vector<Leaf> leaves(std::span<const lowering::ControlOperand> operands) const;
};

}  // namespace litz::compiler
