// Finds the results of a program that depend on unrepeatable values: random numbers and
// uninitialised memory.

#pragma once

#include <vector>

#include "ir/program.h"

namespace litz::corpus {

/// Returns one entry per output of the main graph, mutations included. The program must be
/// functional: a result depends on everything that its operands depend on. Calls of child graphs
/// depend on all random numbers that their graphs draw.
std::vector<bool> unrepeatable_outputs(const ir::Program& program);

}  // namespace litz::corpus
