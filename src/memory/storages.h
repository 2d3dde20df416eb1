// Finds which slots share memory, and the live range of each storage.

#pragma once

#include <vector>

#include "lowering/plan.h"

namespace litz::memory {

/// Memory that a step makes or an input provides. Views of it and updates share it.
struct StorageUse {
  lowering::Slot slot = lowering::kNoSlot;  ///< Its element 0 is the first byte.
  TensorType type;
  /// The runner allocates it from the type, and it dies within the plan. Others are inputs,
  /// outputs, operands of control flow, and results whose size is known late.
  bool is_internal = false;
  int first = 0;  ///< The step that makes it; -1 for inputs.
  int last = 0;   ///< The last step that uses it; the number of steps if it outlives them.
};

struct Storages {
  std::vector<StorageUse> all;
  std::vector<int> of_slot;  ///< Indexes `all`; -1 for slots that no step makes.
};

/// Steps are numbered within the part.
Storages find_storages(const lowering::PlanPart& part);
Storages find_storages(const lowering::Plan& plan);

}  // namespace litz::memory
