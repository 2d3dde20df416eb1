// Runs programs with symbolic sizes at sizes other than the recorded ones.
//
// There is no recording to compare with. So the program is imported a second time with every symbol
// fixed to its value: all later stages are then static, from shape inference to loop extents.

#pragma once

#include "litz_corpus/run_program.h"

namespace litz::corpus {

/// Programs without symbolic input sizes are right without a comparison. Never throws.
Verdict run_at_other_sizes(const RecordedProgram& program, const compiler::Options& options);

}  // namespace litz::corpus
