// Which results of a program depend on values that nobody can repeat: random numbers and
// uninitialised memory.

#pragma once

#include <vector>

#include "ir/program.h"

namespace litz::corpus {

/// One entry per output of the main graph, mutations included. A functional program is assumed: a
/// result depends on what its operands depend on. Calls of child graphs depend on all that their
/// graphs draw.
std::vector<bool> unrepeatable_outputs(const ir::Program& program);

}  // namespace litz::corpus
