// An uncompiled program as bytes: signature, graphs as text, and weights, in a frame
// (file_frame.h). The text is a plain field, since this layer does not know graphs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/file_frame.h"
#include "types/tensor.h"

namespace litz::artifact {

inline constexpr FileKind kGraphFile{.magic = "litzgrph", .format = 3};

enum class LiteralKind : uint8_t { none, scalar, text };

struct StoredInput {
  uint8_t kind = 0;  ///< InputKind
  bool persistent = true;
  int64_t tensor = -1;  ///< Indexes GraphFile::tensors; -1: no data.
  LiteralKind literal_kind = LiteralKind::none;
  std::string target;
  std::string label;
  std::string literal;  ///< A text, or a scalar as an expression.
};

struct StoredOutput {
  uint8_t kind = 0;  ///< OutputKind
  int64_t input = -1;
  std::string label;
};

struct StoredGuard {
  std::string condition;  ///< An expression.
  std::string text;
};

struct GraphFile {
  bool functional = true;        ///< ir::Program::functional
  bool weights_missing = false;  ///< ir::Program::weights_missing
  std::string torch_version;
  std::string schema_version;
  std::string dialect;
  std::string main;   ///< Name of the main graph.
  std::string graph;  ///< The module's text, with the ranges of its symbols.
  std::vector<StoredInput> inputs;
  std::vector<StoredOutput> outputs;
  std::vector<StoredGuard> guards;
  std::vector<Tensor> tensors;  ///< Tensors that share storage still share it after reading.
};

std::vector<std::byte> write_graph_file(const GraphFile& file);

/// Reads a file whose bytes `keeper` owns; tensors are views of them. Throws what unframed()
/// throws, and Error{corrupt}.
GraphFile read_graph_file(std::span<const std::byte> bytes,
                          const std::shared_ptr<const void>& keeper);

}  // namespace litz::artifact
