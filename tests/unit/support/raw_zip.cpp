#include "raw_zip.h"

#include <algorithm>

#include <zlib.h>

#include "support/check.h"
#include "support/zip_format.h"

namespace litz::testing_support {
namespace {

using zip::append_u16;
using zip::append_u32;
using zip::append_u64;

struct Placed {
  uint64_t offset;
  uint64_t compressed_size;
  uint32_t crc;
};

uint32_t crc_of(std::string_view data) {
  return static_cast<uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
}

Placed append_entry(std::string& out, const RawEntry& entry) {
  const std::string stored = entry.method == 8 ? deflated(entry.data) : entry.data;
  const Placed placed{out.size(), stored.size(), crc_of(entry.data)};
  const std::string name = entry.local_name.value_or(entry.name);
  const size_t unpadded = out.size() + 30 + name.size() + 4;
  const size_t padding = (64 - unpadded % 64) % 64;
  append_u32(out, entry.local_signature.value_or(zip::kLocalSignature));
  append_u16(out, 0);
  append_u16(out, entry.flags);
  append_u16(out, entry.method);
  append_u32(out, 0);    // Time and date.
  out.append(12, '\0');  // Checksum and sizes are in the descriptor.
  append_u16(out, static_cast<uint16_t>(name.size()));
  append_u16(out, static_cast<uint16_t>(4 + padding));
  out += name;
  append_u16(out, zip::kPaddingExtra);
  append_u16(out, static_cast<uint16_t>(padding));
  out.append(padding, 'Z');
  out += stored;
  append_u32(out, 0x08074b50);
  append_u32(out, placed.crc);
  append_u32(out, static_cast<uint32_t>(stored.size()));
  append_u32(out, static_cast<uint32_t>(entry.data.size()));
  return placed;
}

void append_central(std::string& out, const RawEntry& entry, const Placed& placed) {
  const uint64_t size = entry.size.value_or(entry.data.size());
  const uint64_t compressed = entry.compressed_size.value_or(placed.compressed_size);
  const uint64_t offset = entry.header_offset.value_or(placed.offset);
  std::string extra;
  if (entry.zip64) {
    append_u16(extra, zip::kZip64Extra);
    append_u16(extra, 24);
    append_u64(extra, size);
    append_u64(extra, compressed);
    append_u64(extra, offset);
  }
  extra = entry.central_extra.value_or(extra);
  const auto narrow = [&](uint64_t value) {
    return entry.zip64 ? zip::kSaturated32 : static_cast<uint32_t>(value);
  };
  append_u32(out, entry.central_signature.value_or(zip::kCentralSignature));
  append_u32(out, 0);  // Versions.
  append_u16(out, entry.flags);
  append_u16(out, entry.method);
  append_u32(out, 0);
  append_u32(out, entry.crc.value_or(placed.crc));
  append_u32(out, narrow(compressed));
  append_u32(out, narrow(size));
  append_u16(out, static_cast<uint16_t>(entry.name.size()));
  append_u16(out, static_cast<uint16_t>(extra.size()));
  append_u16(out, 0);
  append_u16(out, entry.disk);
  append_u16(out, 0);
  append_u32(out, 0);
  append_u32(out, narrow(offset));
  out += entry.name;
  out += extra;
}

}  // namespace

std::string RawZip::build() const {
  std::string out = prefix;
  std::vector<Placed> placed;
  for (const RawEntry& entry : entries) placed.push_back(append_entry(out, entry));
  const uint64_t offset = directory_offset.value_or(out.size());
  std::string directory;
  for (size_t i = 0; i < entries.size(); ++i) append_central(directory, entries[i], placed[i]);
  const uint64_t size = directory_size.value_or(directory.size());
  const uint64_t announced = count.value_or(entries.size());
  out += directory;
  if (zip64) {
    const uint64_t zip64_end = out.size();
    append_u32(out, zip::kZip64EndSignature);
    append_u64(out, zip64_end_size.value_or(44));
    append_u16(out, 798);
    append_u16(out, 45);
    append_u64(out, 0);
    append_u64(out, announced);
    append_u64(out, announced);
    append_u64(out, size);
    append_u64(out, offset);
    append_u32(out, zip::kZip64LocatorSignature);
    append_u32(out, 0);
    append_u64(out, locator_offset.value_or(zip64_end));
    append_u32(out, total_disks.value_or(1));
  }
  append_u32(out, zip::kEndSignature);
  append_u16(out, disk.value_or(0));
  append_u16(out, disk.value_or(0));
  const auto count16 = static_cast<uint16_t>(std::min<uint64_t>(announced, 0xffff));
  append_u16(out, end_count_on_disk.value_or(end_count.value_or(count16)));
  append_u16(out, end_count.value_or(count16));
  append_u32(out, static_cast<uint32_t>(std::min<uint64_t>(size, zip::kSaturated32)));
  append_u32(out, end_offset.value_or(
                      static_cast<uint32_t>(std::min<uint64_t>(offset, zip::kSaturated32))));
  append_u16(out, static_cast<uint16_t>(comment.size()));
  return out + comment + suffix;
}

RawZip small_archive() {
  RawZip archive;
  archive.entries.push_back({.name = "net/archive_format", .data = "pt2"});
  archive.entries.push_back({.name = "net/models/model.json", .data = "{\"a\": 1}"});
  archive.entries.push_back({.name = "net/data/weights/weight_0", .data = std::string(256, 'w')});
  return archive;
}

std::string deflated(std::string_view data) {
  z_stream stream{};
  check(::deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib must start");
  std::string out(::deflateBound(&stream, data.size()), '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  check(::deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate must finish");
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

}  // namespace litz::testing_support
