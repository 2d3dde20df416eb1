// Makes a kernel smaller without changing what it computes.
//
//   dead instructions    pure and unused ones go, and loops that are left empty
//   constants            pure operations on constants become constants, as the interpreter has them
//   identities           cast to the own dtype, select on a constant, load_if on a constant
//   trivial loops        a range of one becomes its body; a range of none, nothing or the identity
//
// bound_index stays even if unused, and so does a check that is not known to hold: failing is part
// of the kernel's behaviour.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Returns true if it changed the kernel; a second call then returns false. The kernel must be
/// valid, and stays so.
bool simplify(Kernel& kernel);

}  // namespace litz::loops
