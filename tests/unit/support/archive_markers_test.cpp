#include "support/archive_markers.h"

#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "raw_zip.h"
#include "support/check.h"

namespace litz {
namespace {

using testing_support::RawZip;
using testing_support::small_archive;

std::string with_markers(const char* format, const char* version, const char* order) {
  RawZip archive;
  archive.entries.push_back({.name = "net/models/model.json", .data = "{}"});
  if (format) archive.entries.push_back({.name = "net/archive_format", .data = format});
  if (version) archive.entries.push_back({.name = "net/archive_version", .data = version});
  if (order) archive.entries.push_back({.name = "net/byteorder", .data = order});
  return archive.build();
}

ArchiveMarkers markers_of(const std::string& archive) {
  return read_archive_markers(ZipReader::open(std::as_bytes(std::span(archive))));
}

TEST(ArchiveMarkers, ReadsNativeValues) {
  EXPECT_TRUE(markers_of(with_markers("pt2", "0", "little")).little_endian);
  EXPECT_FALSE(markers_of(with_markers("pt2", "0", "big")).little_endian);
  EXPECT_TRUE(markers_of(with_markers("pt2", "0", nullptr)).little_endian);
  EXPECT_FALSE(markers_of(with_markers("pt2", nullptr, nullptr)).states_version);
}

TEST(ArchiveMarkers, C13_RefusesUnknownValues) {
  const auto refused = [](const std::string& archive, const char* text) {
    try {
      markers_of(archive);
      FAIL() << "must be refused: " << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), testing::HasSubstr(text));
    }
  };
  refused(with_markers("pt3", "0", "little"), "zip C13: archive_format");
  refused(with_markers(nullptr, "0", "little"), "zip C13: archive_format");
  refused(with_markers("pt2", "1", "little"), "zip C13: archive_version");
  refused(with_markers("pt2", "0", "middle"), "zip C13: byteorder");
  refused(with_markers(std::string(100, 'p').c_str(), "0", "little"), "zip C13: a marker");
}

TEST(ArchiveMarkers, C11_ChecksumsOfMarkersAreVerified) {
  RawZip archive = small_archive();
  archive.entries[0].crc = 3;
  EXPECT_THROW(markers_of(archive.build()), Error);
}

}  // namespace
}  // namespace litz
