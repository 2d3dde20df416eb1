// A program as bytes: signature, graph and weights, and, once it is compiled, code.
//
//   "litzprog", or "litzgrph" without code  format version (8)  size of all (8)  checksum of what follows (8)
//   size of the body (8)  body  zeros up to a multiple of 64  storages, each at a multiple of 64
//
// The body holds lengths and texts; the graph is one of them, since this layer knows none. Storages
// lie as they lie in memory, so a mapped file is used in place. Nothing depends on the process. As
// with stored kernels, the checksum notices damage, not malice: loading a file means running its
// code.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "artifact/kernel_file.h"
#include "types/tensor.h"

namespace litz::artifact {

enum class LiteralKind : uint8_t { none, scalar, text };

struct StoredInput {
  uint8_t kind = 0;  ///< ir::InputKind
  bool persistent = true;
  int64_t tensor = -1;  ///< Of ProgramFile::tensors; -1: it has no data.
  LiteralKind literal_kind = LiteralKind::none;
  std::string target;
  std::string label;
  std::string literal;  ///< A text, or a scalar as an expression.
};

struct StoredOutput {
  uint8_t kind = 0;  ///< ir::OutputKind
  int64_t input = -1;
  std::string label;
};

struct StoredGuard {
  std::string condition;  ///< An expression.
  std::string text;
};

/// What the first bytes say.
enum class FileKind : uint8_t {
  compiled,  ///< The graph is what passes left, and all code is there.
  graph,     ///< The graph may be anything that a program is made of.
};

struct ProgramFile {
  FileKind kind = FileKind::compiled;
  bool functional = true;        ///< ir::Program::functional
  bool weights_missing = false;  ///< ir::Program::weights_missing
  std::string torch_version;
  std::string schema_version;
  std::string dialect;
  std::string build;   ///< Which version of which library made it.
  std::string target;  ///< Name of the processor, and what code was made for:
  std::string triple;
  std::string features;
  bool fuse = true;
  std::string main;   ///< Name of the main graph.
  std::string graph;  ///< The module's text, with the ranges of its symbols.
  std::vector<StoredInput> inputs;
  std::vector<StoredOutput> outputs;
  std::vector<StoredGuard> guards;
  std::vector<Tensor> tensors;  ///< Those that share storage still share it once read.
  /// By key, what kernel_payload wrote. They point into the file that was read.
  std::vector<std::pair<KernelKey, std::span<const std::byte>>> kernels;
};

std::vector<std::byte> write_program_file(const ProgramFile& file);

/// True when the bytes begin like a program file of that kind.
bool is_program_file(std::span<const std::byte> bytes, FileKind kind);

/// Reads a file whose bytes `keeper` owns; tensors are views of them. Throws Error{corrupt}, with
/// "Invalid header" for another kind of file, and Error{unsupported} for another format.
ProgramFile read_program_file(std::span<const std::byte> bytes,
                              const std::shared_ptr<const void>& keeper);

/// Puts header and checksum around everything that follows the checksum. For tests that damage it.
std::vector<std::byte> frame_program(FileKind kind, std::span<const std::byte> content);

}  // namespace litz::artifact
