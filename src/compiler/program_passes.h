// The passes that options of compiling ask for, in order.

#pragma once

#include <vector>

#include "compiler/executable.h"
#include "compiler/kernels/kernel_set.h"
#include "passes/pass_driver.h"

namespace litz::compiler {

class Backend;

/// True if parts become programs of their own and the rest runs operator by operator.
bool outlines_regions(const Options& options);

/// Runs the passes of importing, those of the options about collectives and, unless regions are
/// outlined, the ones that optimise. Constants are folded with `kernels`. Returns what passes did, in
/// order. `backend` is null for interpreted programs.
std::vector<passes::PassStatistics> run_passes(ir::Program& program, const Options& options,
                                               const Backend* backend,
                                               const KernelSetOptions& kernels);

}  // namespace litz::compiler
