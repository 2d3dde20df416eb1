// Finds the slots that a step reads, and the step after which each slot is dead.

#pragma once

#include <vector>

#include "lowering/plan.h"

namespace litz::lowering {

/// Returns the slots that a step reads, which may include kNoSlot; a kernel's outputs count as
/// read.
std::vector<Slot> slots_read(const Step& step);

/// Recomputes Step::dead: the last step that reads or makes a slot frees it, unless it is an
/// output.
void mark_dead_slots(Plan& plan);

}  // namespace litz::lowering
