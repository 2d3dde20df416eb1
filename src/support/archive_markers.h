// The small entries by which a .pt2 archive says what it is (C13).

#pragma once

#include <string>

#include "support/zip_reader.h"

namespace litz {

/// What the markers say about the payloads.
struct ArchiveMarkers {
  bool little_endian = true;
  bool states_version = true;  ///< False when `archive_version` is missing: read as 0, warn.
};

/// True when the archive calls itself an archive of exported programs.
bool has_archive_format(const ZipReader& archive);

/// Reads `archive_format`, `archive_version` and `byteorder`, checksums included. Throws
/// Error{corrupt} when a marker has an unknown value, Error{unsupported} for another version.
ArchiveMarkers read_archive_markers(const ZipReader& archive);

}  // namespace litz
