// Which device a program runs on.

#pragma once

#include <optional>

#include "ir/program.h"

namespace litz::compiler {

/// Puts all tensors of the program where it runs: on `device`, or on the host by default. Throws
/// Error{unsupported} for a device that no back end runs on yet.
void place(ir::Program& program, std::optional<Device> device);

}  // namespace litz::compiler
