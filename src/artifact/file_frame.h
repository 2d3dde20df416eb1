// The frame of stored programs: the kind of a file, a check that it is complete, and its two parts.
//
//   magic (8)  format version (8)  size of all (8)  checksum of what follows (8)
//   size of the body (8)  body  zeros up to a multiple of 64  data
//
// The checksum notices damage, not malice; a signature may follow (file_signature.h). Nothing depends
// on the process.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "artifact/tensor_table.h"

namespace litz::artifact {

struct FileKind {
  std::string_view magic;  ///< 8 characters.
  uint64_t format = 0;     ///< Other formats are refused.
};

/// True if the bytes begin like a file of that kind, of any format.
bool is_file_of(std::span<const std::byte> bytes, const FileKind& kind);

/// The size of all that the header states, which may be more or less than there is; 0 for bytes that do
/// not begin like a file of that kind.
uint64_t stated_size(const FileKind& kind, std::span<const std::byte> bytes);

/// Makes a file from a body and the storages of tensors.
std::vector<std::byte> framed(const FileKind& kind, std::span<const std::byte> body,
                              const TensorTableWriter& data);

struct FileParts {
  std::span<const std::byte> body;
  std::span<const std::byte> data;
};

/// Throws Error{corrupt}, with "Invalid header" for another kind of file, and Error{unsupported}
/// for another format.
FileParts unframed(const FileKind& kind, std::span<const std::byte> bytes);

/// Adds header and checksum to the content that follows the checksum. Tests use it to damage the
/// content.
std::vector<std::byte> frame_content(const FileKind& kind, std::span<const std::byte> content);

}  // namespace litz::artifact
