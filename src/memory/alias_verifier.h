// Checks that nothing is read before it is written, or while something else writes it.
//
// Knows nothing of how kernels were put together: it looks at the finished plan, so that a mistake
// in a rewrite is an error at compile time and not a wrong number. What it cannot show to be right
// it rejects.

#pragma once

#include "lowering/plan.h"

namespace litz::memory {

/// Slots are made once, before they are read, and not freed while something reads them; kernels
/// store to their own results only, and read none of them through another buffer. Throws
/// InternalError naming the step.
void verify_slots(const lowering::Plan& plan);

/// Within one kernel: an element that is loaded from a buffer that the kernel stores to was stored
/// before, by the same iteration of every loop around both; iterations that may run at the same
/// time store to different elements. Throws InternalError naming kernel and buffer.
void verify_accesses(const loops::Kernel& kernel);

}  // namespace litz::memory
