// A compiled program as a file that needs neither the exported program nor a compiler: the runtime
// loads it (artifact/program_file.h).
//
// Code belongs to the version that generated it, so other versions refuse it.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/program.h"
#include "compiler/executable.h"
#include "ir/program.h"

namespace litz::compiler {

/// Stores a program whose kernels have their objects, with these contents of its weights, by input.
/// `symbols` owns the program's symbols. Throws Error{unsupported} for kernels without code.
std::vector<std::byte> store_program(const artifact::Program& program, const ExprPool& symbols,
                                     std::span<const Tensor> weights,
                                     std::span<const artifact::PackedConstant> packed);

/// Compiles a program that passes have already rewritten, and stores it with these weights.
std::vector<std::byte> store_program(const ir::Program& program, std::span<const Tensor> weights,
                                     std::span<const artifact::PackedConstant> packed,
                                     const Options& options);

/// Loads a file of store_program. Only the options about running calls and trusted keys apply. Throws
/// what runtime::load_program throws.
Executable load_program(const std::string& path, const Options& options);

/// The same; weights are read from the bytes, which `keeper` owns.
Executable load_program(std::span<const std::byte> bytes, const std::shared_ptr<const void>& keeper,
                        const Options& options);

/// True for files of this kind, even damaged ones.
bool is_stored_program(std::span<const std::byte> bytes);

}  // namespace litz::compiler
