// A compiled program as a file that runs without the program it was exported as: signature, graph,
// weights and code (artifact/program_file.h).
//
// The graph is stored as text after all passes. Whoever loads it lowers and fuses it again, which is
// cheap and always comes out the same, and finds the code of every kernel by its key: nothing is
// optimised or compiled. Code belongs to the version that made it, so other versions refuse it.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/executable.h"
#include "compiler/weights.h"
#include "ir/program.h"

namespace litz::compiler {

/// The program after passes, with the weights' current contents. Compiles its kernels. Throws
/// Error{unsupported} for interpreted programs and for kernels whose code cannot be stored.
std::vector<std::byte> store_program(const ir::Program& program, const Weights& weights,
                                     const Options& options);

/// Writes the file beside and renames it, so that it is whole or as it was. Throws Error{io}.
void write_stored_program(const std::string& path, std::span<const std::byte> bytes);

/// The version of this library and of the code that it makes.
std::string build_name();

/// True for files of this kind, damaged ones included.
bool is_stored_program(std::span<const std::byte> bytes);

/// Makes a program of what store_program wrote; `keeper` owns the bytes, which weights are read
/// from. Of the options, threads, verify, enforce_guards and keep_report count. Throws
/// Error{corrupt} "Invalid header" for other files, and for damaged ones; Error{unsupported} for
/// another format, build or processor.
Executable load_program(std::span<const std::byte> bytes, const std::shared_ptr<const void>& keeper,
                        const Options& options);

/// The same for a file, which is mapped.
Executable load_program(const std::string& path, const Options& options);

}  // namespace litz::compiler
