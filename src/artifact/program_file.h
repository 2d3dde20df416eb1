// A compiled program as bytes, in a frame (file_frame.h), and back.
//
//   body: build name   program   types of tensors       data: weights, packed constants, by program
//   program: expressions   fields   a program for each part
//
// Expressions are in a table that everything else refers to by number. Weights are used in place, and
// those that parts share are stored once.
// As with stored kernels, damage is detected but malice is not: loading a file means running its
// code.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/file_frame.h"
#include "artifact/program.h"

namespace litz::artifact {

inline constexpr FileKind kProgramFile{.magic = "litzprog", .format = 9};

/// `build` names the version that makes the file, since code calls functions of exactly that
/// version. Throws Error{unsupported} for programs with calls that only this process can make
/// (CallLaunch). `pool` is that of the program's symbols.
std::vector<std::byte> write_program_file(const Program& program, const ExprPool& pool,
                                          std::string_view build);

/// Reads a file whose bytes `keeper` owns; weights are views of them. A signature behind it is not
/// verified. Throws what unframed() throws, Error{unsupported} for files of another build, and Error{corrupt} for inconsistent
/// programs.
Program read_program_file(std::span<const std::byte> bytes,
                          const std::shared_ptr<const void>& keeper, std::string_view build);

struct ProgramOfBuild {
  Program program;
  std::string build;
};

/// The same for a file of any build with this format, to be looked at: its code may call functions that
/// this build lacks.
ProgramOfBuild read_any_program_file(std::span<const std::byte> bytes,
                                     const std::shared_ptr<const void>& keeper);

}  // namespace litz::artifact
