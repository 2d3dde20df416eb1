// Plans written down kernel by kernel, and a runner for them: fusion tests compare what a plan
// computes before and after.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fusion/fusion.h"
#include "types/tensor.h"

namespace litz::fusion {

/// Machine::function of plans whose library calls are products.
inline const machine::FunctionFacts* product_facts(std::string_view function) {
  static constexpr machine::FunctionFacts kProduct{.takes_epilogue = true};
  return function == "matmul" || function == "scaled_matmul" ? &kProduct : nullptr;
}

class SmallPlan {
 public:
  SmallPlan() { program.plans.emplace_back(); }

  /// An input of this type, filled with values that differ by slot.
  lowering::Slot input(const TensorType& type);
  /// A step for a kernel in text form; buffers are bound to the slots in order, kNoSlot for outputs,
  /// which get slots of their own. Returns those.
  std::vector<lowering::Slot> kernels(std::string_view text, std::vector<lowering::Slot> slots);
  std::vector<lowering::Slot> kernels(loops::Kernel kernel, std::vector<lowering::Slot> slots);
  /// The only result.
  lowering::Slot kernel(std::string_view text, std::vector<lowering::Slot> slots);
  /// A call of a library function with these tensors, then these numbers; the one result.
  lowering::Slot library(std::string function, const std::vector<lowering::Slot>& slots,
                         const TensorType& result, const std::vector<Expr>& numbers = {});
  lowering::Slot view(lowering::Slot source, TensorType type);
  void output(lowering::Slot slot);

  /// Outputs, as flat row-major bytes one after the other.
  std::vector<std::vector<std::byte>> run(const lowering::LoweredProgram& of) const;
  /// Fuses in place; results must stay the same to the bit.
  FusionReport fuse_and_compare(const FusionOptions& options = {});
  /// Kernels left, as text; those of epilogues at the place of their calls.
  std::vector<std::string> kernel_texts() const;

  const TensorType& type(lowering::Slot slot) const { return types_[static_cast<size_t>(slot)]; }

  lowering::Plan& plan() { return program.plans[0]; }

  ExprPool pool;
  Bindings bindings;
  lowering::LoweredProgram program;

 private:
  lowering::Slot new_slot(const TensorType& type);

  std::vector<TensorType> types_;  ///< By slot.
};

}  // namespace litz::fusion
