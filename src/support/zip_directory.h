// The directory of a zip archive, parsed and checked; ZipReader is the interface to use.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/zip_reader.h"

namespace litz::zip {

/// What the directory says: files in its order, and the folder they share.
struct Directory {
  std::vector<ZipEntry> files;
  std::string_view root;  ///< Empty when the files share no top folder.
};

/// Parses and checks the whole directory; throws as ZipReader::open does.
Directory read_directory(std::span<const std::byte> archive, const std::string& origin,
                         const ZipOptions& options);

/// Throws Error{corrupt} (C7) for a name that must not appear in an archive.
void require_safe_name(std::string_view name, const std::string& origin, const ZipLimits& limits);

}  // namespace litz::zip
