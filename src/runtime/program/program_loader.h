// Compiled programs from files, for the processor that this runs on.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "artifact/program.h"

namespace litz::runtime {

/// The version of this library and of what compiled programs rely on: its functions, by name and order
/// of arguments, and how kernels are called. Files of other builds are refused.
std::string build_name();

/// True when the bytes begin like a compiled program, damaged ones included.
bool is_compiled_program(std::span<const std::byte> bytes);

/// Why code of this target does not run here; empty when it does.
std::string reason_not_runnable(const artifact::CodeTarget& target);

/// Reads a compiled program, whose bytes `keeper` owns; weights are views of them. Throws Error{corrupt}
/// "Invalid header" for other files, and for damaged ones; Error{unsupported} for another format,
/// build or processor.
artifact::Program load_program(std::span<const std::byte> bytes,
                               const std::shared_ptr<const void>& keeper);

/// The same for a file, which is mapped.
artifact::Program load_program(const std::string& path);

}  // namespace litz::runtime
