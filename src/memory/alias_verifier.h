// Checks that no step reads memory before it is written, or while another step writes it.
//
// It does not know how kernels were fused: it checks the finished plan, so a mistake in a rewrite
// is an error at compile time instead of a wrong number. It rejects what it cannot prove.

#pragma once

#include "lowering/plan.h"

namespace litz::memory {

/// Checks that slots are made once, before they are read, and are not freed before their last
/// reader; and that kernels store only to their own results, and read none of them through another
/// buffer. Throws InternalError naming the step.
void verify_slots(const lowering::Plan& plan);

/// Checks one kernel. If it loads an element of a buffer that it stores to, the same iteration of
/// every loop around both must have stored that element before. Iterations that may run at the same
/// time must store to different elements. Throws InternalError naming kernel and buffer.
void verify_accesses(const loops::Kernel& kernel);

}  // namespace litz::memory
