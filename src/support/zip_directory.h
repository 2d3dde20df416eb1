// The directory of a zip archive, parsed and checked; ZipReader is the interface to use.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/zip_reader.h"

namespace litz::zip {

/// The content of the directory: files in its order, and the folder that they share.
struct Directory {
  std::vector<ZipEntry> files;
  std::string_view root;  ///< Empty if the files have no common top folder.
};

/// Parses and checks the whole directory; throws like ZipReader::open.
Directory read_directory(std::span<const std::byte> archive, const std::string& origin,
                         const ZipOptions& options);

/// Throws Error{corrupt} (C7) for a name that must not appear in an archive.
void require_safe_name(std::string_view name, const std::string& origin, const ZipLimits& limits);

}  // namespace litz::zip
