// A compiled program as a file that runs without the program it was exported as, and without a
// compiler: what the runtime loads (artifact/program_file.h).
//
// Code belongs to the version that made it, so other versions refuse it.

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

/// A program whose kernels have their objects, with these contents of its weights, by input. `symbols` owns the
/// program's symbols. Throws Error{unsupported} for kernels without code.
std::vector<std::byte> store_program(const artifact::Program& program, const ExprPool& symbols,
                                     std::span<const Tensor> weights,
                                     std::span<const artifact::PackedConstant> packed);

/// Compiles a program as it is after passes, and stores it with these contents of its weights.
std::vector<std::byte> store_program(const ir::Program& program, std::span<const Tensor> weights,
                                     std::span<const artifact::PackedConstant> packed,
                                     const Options& options);

/// The program of a file that store_program wrote. Of the options, those count that say how calls run.
/// Throws what runtime::load_program throws.
Executable load_program(const std::string& path, const Options& options);

/// The same; `keeper` owns the bytes, which weights are read from.
Executable load_program(std::span<const std::byte> bytes, const std::shared_ptr<const void>& keeper,
                        const Options& options);

/// True for files of this kind, damaged ones included.
bool is_stored_program(std::span<const std::byte> bytes);

}  // namespace litz::compiler
