// A summary of an archive for people: its inputs, outputs and contents.
//
// Reads only the zip directory and the program's JSON; weights are counted, not read. Unknown
// operators are not an error here.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "import/archive.h"
#include "types/tensor_type.h"

namespace litz::import_ {

struct ArchiveInfo {
  struct Leaf {
    std::string label;  ///< "x", "opts['k']"
    std::string type;   ///< "f32[4, s0]", "int", or the literal.
  };

  struct Tensors {
    size_t count = 0;
    int64_t elements = 0;
    int64_t bytes = 0;
  };

  std::string layout;
  std::string model;
  std::vector<std::string> models;
  std::string torch_version;
  std::string schema_version;
  std::string dialect;
  std::vector<Device> devices;  ///< The devices of its tensors, in file order.
  std::vector<Leaf> inputs;
  std::vector<Leaf> outputs;
  std::vector<std::string> symbols;  ///< "2 <= s0 <= 512"
  std::vector<std::string> guards;   ///< As recorded.
  /// Operators and the number of nodes that call them, child graphs included.
  std::map<std::string, size_t, std::less<>> operators;
  size_t nodes = 0;
  size_t child_graphs = 0;
  Tensors parameters;
  Tensors buffers;
  Tensors constants;
  /// The peak memory of results that run node by node, at the sizes of the export.
  int64_t result_bytes = 0;
  bool weights_missing = false;
  bool has_sample_inputs = false;
  std::vector<std::string> mutated;  ///< Buffers and inputs that a call writes, if stated.
  std::vector<std::string> warnings;
};

/// Throws Error like import_program, but not for conditions that only matter for running.
ArchiveInfo read_archive_info(const Archive& archive);
ArchiveInfo read_archive_info(const std::string& path, const std::string& model = {});

}  // namespace litz::import_
