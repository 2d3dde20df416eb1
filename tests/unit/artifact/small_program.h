// A program for tests with one launch of each kind.

#pragma once

#include "artifact/program.h"

namespace litz::artifact {

/// Sizes depend on `n`, which may be a constant. Its kernel has no code.
Program small_program(Expr n);

}  // namespace litz::artifact
