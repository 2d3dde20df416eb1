// The small entries that identify a .pt2 archive (C13).

#pragma once

#include <string>

#include "support/zip_reader.h"

namespace litz {

/// The properties of the payloads that the markers state.
struct ArchiveMarkers {
  bool little_endian = true;
  bool states_version = true;  ///< If false, the version is treated as 0, with a warning.
};

/// True if the archive is marked as one of exported programs.
bool has_archive_format(const ZipReader& archive);

/// Reads `archive_format`, `archive_version` and `byteorder`, checksums included. Throws
/// Error{corrupt} when a marker has an unknown value, Error{unsupported} for another version.
ArchiveMarkers read_archive_markers(const ZipReader& archive);

}  // namespace litz
