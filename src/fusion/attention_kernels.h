// Attention as a kernel, on machines whose code generator has one.
//
//   %y = library attention(%q, %k, %v, none, 0.125, true)
//     =>
//   kernel @attention(%b0: bf16[2, 12, 128, 64], ..., out %b3: bf16[2, 12, 128, 64]) {
//     attend safe %b3, %b0, %b1, %b2 scale 0.125
//   }

#pragma once

#include "lowering/plan.h"
#include "machine/machine.h"

namespace litz::fusion {

/// Replaces calls of the library that Machine::attends. Runs after loops are fused, which must not
/// look into such kernels. `pool` is the module's.
void make_attention_kernels(lowering::Plan& plan, const machine::Machine& machine, ExprPool* pool);

}  // namespace litz::fusion
