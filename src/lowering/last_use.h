// Which slots a step reads, and when slots die.

#pragma once

#include <vector>

#include "lowering/plan.h"

namespace litz::lowering {

/// The slots that a step reads, kNoSlot among them; a kernel's outputs count as read.
std::vector<Slot> slots_read(const Step& step);

/// Fills Step::dead anew: each slot is freed by the last step that reads or makes it, unless it is
/// an output.
void mark_dead_slots(Plan& plan);

}  // namespace litz::lowering
