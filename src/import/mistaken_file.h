// Recognises files that people open by mistake by their content, and tells for each how to get a
// .pt2.

#pragma once

#include <span>
#include <string>

#include "support/zip_reader.h"

namespace litz::import_ {

/// Throws Error{unsupported or corrupt} that names the file's kind, if it is not a zip archive.
/// Returns if it may be one.
void refuse_other_formats(std::span<const std::byte> bytes, const std::string& origin);

/// Throws Error{unsupported} that names the kind of an archive without an exported program:
/// TorchScript, a state dict or pickled module, a compiled package, arrays, or an incomplete
/// export.
[[noreturn]] void refuse_other_archive(const ZipReader& zip);

}  // namespace litz::import_
