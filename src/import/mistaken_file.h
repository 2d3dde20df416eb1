// Files that people open by mistake, recognised by their content, each with the way to a .pt2.

#pragma once

#include <span>
#include <string>

#include "support/zip_reader.h"

namespace litz::import_ {

/// Throws Error{unsupported or corrupt} that says what the file is, when it is not a zip archive.
/// Returns when it may be one.
void refuse_other_formats(std::span<const std::byte> bytes, const std::string& origin);

/// Throws Error{unsupported} that says what an archive without an exported program is: TorchScript,
/// a state dict or pickled module, a compiled package, arrays, or an incomplete export.
[[noreturn]] void refuse_other_archive(const ZipReader& zip);

}  // namespace litz::import_
