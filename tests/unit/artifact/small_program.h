// A program for tests with a list, a routine of each kind of step and weights.

#pragma once

#include "artifact/program.h"

namespace litz::artifact {

/// In symbols of its own. Its kernel has no code.
Program small_program();

}  // namespace litz::artifact
