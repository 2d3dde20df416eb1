// Which device a program runs on.

#pragma once

#include "ir/program.h"

namespace litz::compiler {

/// Puts all tensors of the program on one device, wherever it was exported. The types say the host,
/// whatever device runs the program.
void place(ir::Program& program);

}  // namespace litz::compiler
