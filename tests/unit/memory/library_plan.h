// Plans of library calls on tensors of one dimension.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lowering/plan.h"

namespace litz::memory {

inline lowering::Step library_step(std::vector<lowering::Slot> reads, lowering::Slot result,
                                   int64_t elements) {
  lowering::LibraryStep work;
  for (const lowering::Slot slot : reads) work.arguments.push_back({{slot}, false, {}});
  lowering::Step step;
  step.work = std::move(work);
  step.results.push_back({result, contiguous_type(DType::f32, {elements}), true});
  step.label = "step";
  return step;
}

inline lowering::Plan empty_plan(int slots) {
  lowering::Plan plan;
  plan.slot_count = slots;
  plan.input_slots = {0};
  plan.input_types = {contiguous_type(DType::f32, {16})};
  return plan;
}

inline void add_output(lowering::Plan& plan, lowering::Slot slot) {
  lowering::ControlOperand output;
  output.slot = slot;
  plan.outputs.push_back(std::move(output));
}

}  // namespace litz::memory
