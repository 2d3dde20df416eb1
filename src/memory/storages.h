// Which slots share memory, and how long each piece of memory is in use.

#pragma once

#include <vector>

#include "lowering/plan.h"

namespace litz::memory {

/// A piece of memory that a step makes or an input brings; views of it and updates share it.
struct StorageUse {
  lowering::Slot slot = lowering::kNoSlot;  ///< Whose element 0 is the first byte.
  TensorType type;
  /// The runner allocates it from the type, and nothing outlives the plan. Others are inputs,
  /// outputs, what control flow passes on, and results whose size is known late.
  bool is_internal = false;
  int first = 0;  ///< The step that makes it; -1 for inputs.
  int last = 0;   ///< The last step that uses it, or the number of steps for what outlives them.
};

struct Storages {
  std::vector<StorageUse> all;
  std::vector<int> of_slot;  ///< Indexes `all`; -1 for slots that nothing makes.
};

/// Steps are numbered within the part.
Storages find_storages(const lowering::PlanPart& part);
Storages find_storages(const lowering::Plan& plan);

}  // namespace litz::memory
