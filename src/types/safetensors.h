// The safetensors format: a JSON header with names, dtypes, shapes and offsets, then raw data.
//
// A file is mapped, and aligned tensors use the mapping without a copy. The whole header is checked
// before any tensor is created: offsets must tile the data exactly, without holes or overlaps, and
// sizes must agree with shapes.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "types/npz.h"
#include "types/tensor.h"

namespace litz {

struct Safetensors {
  std::vector<NamedTensor> tensors;  ///< In header order.
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// Reads a file. Tensors may be read-only views of the mapping; `clone` one to write to it. Throws
/// Error{not_found, io, corrupt, unsupported, limit_exceeded}.
Safetensors read_safetensors(const std::string& path);
/// Reads a file's bytes, which `keeper` keeps alive; with a null keeper tensors are copies.
Safetensors parse_safetensors(std::span<const std::byte> bytes,
                              const std::shared_ptr<const void>& keeper,
                              const std::string& origin = "safetensors");

/// Writes a file, widest elements first so that all data is aligned. Names must be unique. Throws
/// Error{unsupported} for dtypes that the format lacks, Error{io} if the file cannot be written.
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       std::span<const std::pair<std::string, std::string>> metadata = {});

}  // namespace litz
