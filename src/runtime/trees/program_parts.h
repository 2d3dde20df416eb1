// The parts of a compiled program that are recorded, and why others are not.

#pragma once

#include <vector>

#include "artifact/program.h"
#include "runtime/trees/function.h"

namespace litz::runtime::trees {

/// In the order of the routines' steps. A program that is one list is one part.
std::vector<ProgramPart> parts_of(const artifact::Program& program);

}  // namespace litz::runtime::trees
