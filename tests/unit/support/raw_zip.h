// Builds zip archives with any field bent, for tests of the reader.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace litz::testing_support {

/// One entry; unset fields take their honest value.
struct RawEntry {
  std::string name;
  std::string data;
  uint16_t flags = 0x0808;  ///< As native files: descriptor and UTF-8 name.
  uint16_t method = 0;      ///< 8 deflates the data.
  uint16_t disk = 0;
  bool zip64 = false;  ///< Saturate the central fields and add the zip64 field.
  std::optional<std::string> local_name;
  std::optional<uint32_t> local_signature;
  std::optional<uint32_t> central_signature;
  std::optional<uint64_t> header_offset;
  std::optional<uint64_t> compressed_size;
  std::optional<uint64_t> size;
  std::optional<uint32_t> crc;
  std::optional<std::string> central_extra;
};

/// An archive in the manner of PyTorch's writer: aligned data, descriptors, zip64 end records.
struct RawZip {
  std::vector<RawEntry> entries;
  bool zip64 = true;
  std::string prefix;   ///< Before the first entry.
  std::string comment;  ///< Of the end record.
  std::string suffix;   ///< After the comment.
  std::optional<uint64_t> count;
  std::optional<uint64_t> directory_size;
  std::optional<uint64_t> directory_offset;
  std::optional<uint16_t> end_count;  ///< In the classic record only.
  std::optional<uint16_t> end_count_on_disk;
  std::optional<uint32_t> end_offset;
  std::optional<uint16_t> disk;
  std::optional<uint64_t> locator_offset;
  std::optional<uint64_t> zip64_end_size;
  std::optional<uint32_t> total_disks;

  std::string build() const;
};

/// A small honest archive: net/archive_format, net/models/model.json, net/data/weights/weight_0.
RawZip small_archive();

/// Raw deflate.
std::string deflated(std::string_view data);

}  // namespace litz::testing_support
