// Which device a program runs on.

#pragma once

#include <optional>
#include <string_view>

#include "ir/program.h"

namespace litz::compiler {

/// Reads "cpu", "cuda", "cuda:N", "sim" or "sim:N"; throws Error{invalid_argument} for others.
Device parse_placement(std::string_view text);

/// Puts all tensors of the program where it runs: on `device`, or on the host by default. Throws
/// Error{unsupported} for a device that no back end runs on yet.
void place(ir::Program& program, std::optional<Device> device);

}  // namespace litz::compiler
