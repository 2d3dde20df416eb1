#include "support/archive_markers.h"

#include <optional>
#include <string_view>

#include "support/check.h"
#include "support/text.h"

namespace litz {
namespace {

// Markers have no line end in native files, but a person may have added one.
std::optional<std::string> read_marker(const ZipReader& archive, std::string_view path) {
  const ZipEntry* const entry = archive.find_path(path);
  if (entry == nullptr) return std::nullopt;
  require(entry->size <= 64, ErrorCode::corrupt,
          "zip C13: a marker is one short word:", archive.origin(), path, entry->size);
  return std::string(trim(archive.read_verified(*entry).text()));
}

}  // namespace

bool has_archive_format(const ZipReader& archive) {
  return archive.find_path("archive_format") != nullptr;
}

ArchiveMarkers read_archive_markers(const ZipReader& archive) {
  ArchiveMarkers markers;
  const std::optional<std::string> format = read_marker(archive, "archive_format");
  require(format == "pt2", ErrorCode::corrupt,
          "zip C13: archive_format must be \"pt2\":", archive.origin(),
          format ? quote(*format) : "missing");
  const std::optional<std::string> version = read_marker(archive, "archive_version");
  markers.states_version = version.has_value();
  require(version.value_or("0") == "0", ErrorCode::unsupported,
          "zip C13: archive_version must be 0:", archive.origin(), quote(version.value_or("0")));
  const std::string order = read_marker(archive, "byteorder").value_or("little");
  require(order == "little" || order == "big", ErrorCode::corrupt,
          "zip C13: byteorder must be little or big:", archive.origin(), quote(order));
  markers.little_endian = order == "little";
  return markers;
}

}  // namespace litz
