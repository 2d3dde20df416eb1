// Finds the end records, walks the central directory, and follows each entry to its local header.
//
//   [local header | name | extra | data | descriptor]...
//   [central header | name | extra | comment]...
//   [zip64 end] [zip64 locator] [end record | comment]
//
// Sizes and checksums come from the central directory only: native files leave them zero in the
// local headers. Every sum is done in a way that cannot wrap, because all fields are hostile.

#include "support/zip_directory.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>

#include "support/check.h"
#include "support/text.h"
#include "support/zip_format.h"

namespace litz::zip {
namespace {

// Reads little-endian fields. A read beyond the end is a bug of ours, because every structure is
// checked to be inside the file before its fields are read.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t size() const { return bytes_.size(); }

  uint16_t u16(uint64_t at) const { return load<uint16_t>(at); }

  uint32_t u32(uint64_t at) const { return load<uint32_t>(at); }

  uint64_t u64(uint64_t at) const { return load<uint64_t>(at); }

  /// True if [at, at + count) is below `limit` and inside the file.
  bool holds(uint64_t at, uint64_t count, uint64_t limit) const {
    return limit <= size() && at <= limit && count <= limit - at;
  }

  std::string_view text(uint64_t at, uint64_t count) const {
    check(holds(at, count, size()), "a field must lie in the archive:", at, count);
    return {reinterpret_cast<const char*>(bytes_.data()) + at, count};
  }

 private:
  template <typename T>
  T load(uint64_t at) const {
    check(holds(at, sizeof(T), size()), "a field must lie in the archive:", at);
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }

  std::span<const std::byte> bytes_;
};

struct EndRecord {
  uint64_t count = 0;
  uint64_t directory_size = 0;
  uint64_t directory_offset = 0;
  uint64_t first_end = 0;  // The start of the end records.
};

uint64_t find_end_record(const Bytes& bytes, const std::string& origin) {
  constexpr const char* kAdvice = "(it is cut short or damaged: download or write it again)";
  require(bytes.size() >= kEndRecord, ErrorCode::corrupt,
          "zip C1: an archive has at least 22 bytes:", origin, bytes.size(), kAdvice);
  const uint64_t last = bytes.size() - kEndRecord;
  const uint64_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    if (bytes.u32(at) == kEndSignature && at + kEndRecord + bytes.u16(at + 20) == bytes.size()) {
      return at;
    }
  }
  fail(ErrorCode::corrupt, "zip C1: an archive must end with an end record:", origin, kAdvice);
}

// A classic field either leaves the value to zip64 or agrees with it.
void require_agreement(uint64_t classic, uint64_t saturated, uint64_t wide, const char* what,
                       const std::string& origin) {
  require(classic == saturated || classic == wide, ErrorCode::corrupt,
          "zip C2: end record and zip64 end record must agree:", origin, what, classic, wide);
}

void read_zip64_end(const Bytes& bytes, uint64_t end, const std::string& origin,
                    EndRecord& record) {
  const uint64_t locator = end - kZip64Locator;
  require(bytes.u32(locator + 4) == 0 && bytes.u32(locator + 16) <= 1, ErrorCode::unsupported,
          "zip C10: archives of several disks are not supported:", origin);
  const uint64_t at = bytes.u64(locator + 8);
  require(bytes.holds(at, kZip64EndRecord, locator) && bytes.u32(at) == kZip64EndSignature,
          ErrorCode::corrupt, "zip C2: the locator must point at a zip64 end record:", origin, at);
  const uint64_t size = bytes.u64(at + 4);
  require(size >= kZip64EndRecord - 12 && bytes.holds(at + 12, size, locator), ErrorCode::corrupt,
          "zip C2: the zip64 end record must lie before its locator:", origin, size);
  require(bytes.u32(at + 16) == 0 && bytes.u32(at + 20) == 0 &&
              bytes.u64(at + 24) == bytes.u64(at + 32),
          ErrorCode::unsupported, "zip C10: archives of several disks are not supported:", origin);
  record = {.count = bytes.u64(at + 32),
            .directory_size = bytes.u64(at + 40),
            .directory_offset = bytes.u64(at + 48),
            .first_end = at};
  require_agreement(bytes.u16(end + 10), kSaturated16, record.count, "entries", origin);
  require_agreement(bytes.u32(end + 12), kSaturated32, record.directory_size, "size", origin);
  require_agreement(bytes.u32(end + 16), kSaturated32, record.directory_offset, "offset", origin);
}

EndRecord read_end(const Bytes& bytes, const std::string& origin, const ZipLimits& limits) {
  const uint64_t end = find_end_record(bytes, origin);
  EndRecord record{.count = bytes.u16(end + 10),
                   .directory_size = bytes.u32(end + 12),
                   .directory_offset = bytes.u32(end + 16),
                   .first_end = end};
  const uint16_t disk = bytes.u16(end + 4);
  const uint16_t directory_disk = bytes.u16(end + 6);
  const bool one_disk = (disk == 0 || disk == kSaturated16) &&
                        (directory_disk == 0 || directory_disk == kSaturated16) &&
                        bytes.u16(end + 8) == bytes.u16(end + 10);
  require(one_disk, ErrorCode::unsupported,
          "zip C10: archives of several disks are not supported:", origin);
  if (end >= kZip64Locator && bytes.u32(end - kZip64Locator) == kZip64LocatorSignature) {
    read_zip64_end(bytes, end, origin, record);
  } else {
    require(record.count != kSaturated16 && record.directory_size != kSaturated32 &&
                record.directory_offset != kSaturated32,
            ErrorCode::corrupt,
            "zip C2: saturated end record must come with zip64 records:", origin);
  }
  require(bytes.holds(record.directory_offset, record.directory_size, record.first_end),
          ErrorCode::corrupt, "zip C2: the directory must lie before the end record:", origin,
          record.directory_offset, record.directory_size);
  require(record.count <= limits.max_entries, ErrorCode::limit_exceeded,
          "zip C3: an archive must not exceed the limit in entries:", origin, record.count,
          limits.max_entries);
  require(record.count <= record.directory_size / kCentralHeader, ErrorCode::corrupt,
          "zip C3: the directory must have room for its entries:", origin, record.count,
          record.directory_size);
  return record;
}

// Fills in the fields whose 32-bit form is saturated, in the order that the format fixes.
void apply_zip64(const Bytes& bytes, uint64_t extra, uint64_t extra_size, const std::string& origin,
                 ZipEntry& entry) {
  uint64_t* wanted[3];
  size_t wanted_count = 0;
  for (uint64_t* field : {&entry.size, &entry.compressed_size, &entry.header_offset}) {
    if (*field == kSaturated32) wanted[wanted_count++] = field;
  }
  if (wanted_count == 0) return;
  const uint64_t end = extra + extra_size;
  for (uint64_t at = extra; end - at >= 4;) {
    const uint64_t length = bytes.u16(at + 2);
    require(length <= end - at - 4, ErrorCode::corrupt,
            "zip C2: extra fields must lie in their header:", origin, quote(entry.name));
    if (bytes.u16(at) == kZip64Extra) {
      require(length >= wanted_count * 8, ErrorCode::corrupt,
              "zip C2: the zip64 field must hold every saturated value:", origin,
              quote(entry.name));
      for (size_t i = 0; i < wanted_count; ++i) *wanted[i] = bytes.u64(at + 4 + i * 8);
      return;
    }
    at += 4 + length;
  }
  fail(ErrorCode::corrupt, "zip C2: saturated sizes must come with a zip64 field:", origin,
       quote(entry.name));
}

void require_readable(uint16_t flags, uint16_t method, const ZipEntry& entry,
                      const std::string& origin) {
  constexpr uint16_t kRefused =
      kEncryptedFlag | kStrongEncryptionFlag | kPatchFlag | kMaskedHeaderFlag;
  require((flags & kRefused) == 0, ErrorCode::unsupported,
          "zip C10: encrypted or patched entries are not supported:", origin, quote(entry.name));
  require(method == static_cast<uint16_t>(ZipMethod::stored) ||
              method == static_cast<uint16_t>(ZipMethod::deflated),
          ErrorCode::unsupported,
          "zip C9: compression must be none or deflate (save the program again):", origin,
          quote(entry.name), method);
  require(method != static_cast<uint16_t>(ZipMethod::stored) || entry.compressed_size == entry.size,
          ErrorCode::corrupt, "zip C9: a stored entry has one size:", origin, quote(entry.name),
          entry.compressed_size, entry.size);
}

// Reads one central header at `at`, and moves `at` past it.
ZipEntry read_central(const Bytes& bytes, uint64_t& at, uint64_t end, const std::string& origin) {
  require(bytes.holds(at, kCentralHeader, end) && bytes.u32(at) == kCentralSignature,
          ErrorCode::corrupt, "zip C3: the directory must hold the announced entries:", origin, at);
  const uint64_t name_size = bytes.u16(at + 28);
  const uint64_t extra_size = bytes.u16(at + 30);
  const uint64_t comment_size = bytes.u16(at + 32);
  const uint64_t total = kCentralHeader + name_size + extra_size + comment_size;
  require(bytes.holds(at, total, end), ErrorCode::corrupt,
          "zip C3: a directory entry must lie in the directory:", origin, at);
  ZipEntry entry{.name = bytes.text(at + kCentralHeader, name_size),
                 .header_offset = bytes.u32(at + 42),
                 .data_offset = 0,
                 .compressed_size = bytes.u32(at + 20),
                 .size = bytes.u32(at + 24),
                 .crc = bytes.u32(at + 16),
                 .method = static_cast<ZipMethod>(bytes.u16(at + 10))};
  require(bytes.u16(at + 34) == 0, ErrorCode::unsupported,
          "zip C10: archives of several disks are not supported:", origin);
  apply_zip64(bytes, at + kCentralHeader + name_size, extra_size, origin, entry);
  require_readable(bytes.u16(at + 8), bytes.u16(at + 10), entry, origin);
  at += total;
  return entry;
}

// Follows an entry to its data.
void locate_data(const Bytes& bytes, uint64_t directory, const std::string& origin,
                 ZipEntry& entry) {
  const uint64_t at = entry.header_offset;
  require(bytes.holds(at, kLocalHeader, directory), ErrorCode::corrupt,
          "zip C4: a local header must lie before the directory:", origin, quote(entry.name), at);
  require(bytes.u32(at) == kLocalSignature, ErrorCode::corrupt,
          "zip C5: a local header must start with its signature:", origin, quote(entry.name), at);
  const uint64_t name_size = bytes.u16(at + 26);
  const uint64_t head = kLocalHeader + name_size + bytes.u16(at + 28);
  require(bytes.holds(at, head, directory), ErrorCode::corrupt,
          "zip C4: a local header must lie before the directory:", origin, quote(entry.name), at);
  require(bytes.text(at + kLocalHeader, name_size) == entry.name, ErrorCode::corrupt,
          "zip C5: local and central name must agree:", origin, quote(entry.name),
          quote(bytes.text(at + kLocalHeader, name_size)));
  entry.data_offset = at + head;
  require(bytes.holds(entry.data_offset, entry.compressed_size, directory), ErrorCode::corrupt,
          "zip C4: entry data must lie before the directory:", origin, quote(entry.name),
          entry.compressed_size);
}

void require_disjoint(std::span<const ZipEntry> entries, const std::string& origin) {
  std::vector<const ZipEntry*> order;
  order.reserve(entries.size());
  for (const ZipEntry& entry : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, &ZipEntry::header_offset);
  if (order.empty()) return;
  // Data before the first entry would shift every offset.
  require(order.front()->header_offset == 0, ErrorCode::corrupt,
          "zip C4: the first entry must start the file:", origin, order.front()->header_offset);
  for (size_t i = 1; i < order.size(); ++i) {
    const ZipEntry& before = *order[i - 1];
    require(before.data_offset + before.compressed_size <= order[i]->header_offset,
            ErrorCode::corrupt, "zip C4: entries must not overlap:", origin, quote(before.name),
            quote(order[i]->name));
  }
}

std::string folded(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

void require_distinct(std::span<const ZipEntry> entries, bool fold_case,
                      const std::string& origin) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const ZipEntry& entry : entries) {
    names.push_back(fold_case ? folded(entry.name) : std::string(entry.name));
  }
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  if (twin != names.end()) {
    fail(ErrorCode::corrupt, "zip C6: entry names must differ:", origin, quote(*twin));
  }
}

bool is_safe_component(std::string_view part) {
  const bool has_drive =
      part.size() >= 2 && part[1] == ':' && std::isalpha(static_cast<unsigned char>(part[0]));
  return !part.empty() && part != "." && part != ".." && !has_drive;
}

// The common top folder of all entries; empty if there is none.
std::string_view shared_root(std::span<const ZipEntry> entries) {
  if (entries.empty()) return {};
  const std::string_view first = entries.front().name;
  const size_t slash = first.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view prefix = first.substr(0, slash + 1);
  const bool shared = std::ranges::all_of(
      entries, [prefix](const ZipEntry& entry) { return entry.name.starts_with(prefix); });
  return shared ? first.substr(0, slash) : std::string_view();
}

}  // namespace

void require_safe_name(std::string_view name, const std::string& origin, const ZipLimits& limits) {
  require(name.size() <= limits.max_name_bytes, ErrorCode::limit_exceeded,
          "zip C7: entry names must not exceed the limit in bytes:", origin, name.size());
  require(is_valid_utf8(name), ErrorCode::corrupt,
          "zip C7: entry names must be valid UTF-8:", origin);
  const bool plain = std::ranges::none_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\'; });
  require(plain, ErrorCode::corrupt,
          "zip C7: entry names must not contain backslashes or control characters:", origin,
          quote(name));
  const std::vector<std::string_view> parts = split(name, '/');
  require(std::ranges::all_of(parts, is_safe_component), ErrorCode::corrupt,
          "zip C7: entry names must be relative paths without empty, '.' or '..' parts:", origin,
          quote(name));
}

Directory read_directory(std::span<const std::byte> archive, const std::string& origin,
                         const ZipOptions& options) {
  const Bytes bytes(archive);
  const EndRecord record = read_end(bytes, origin, options.limits);
  std::vector<ZipEntry> all;
  all.reserve(record.count);
  uint64_t at = record.directory_offset;
  const uint64_t end = at + record.directory_size;
  for (uint64_t i = 0; i < record.count; ++i) {
    ZipEntry entry = read_central(bytes, at, end, origin);
    const bool is_folder = entry.name.ends_with('/') && entry.size == 0;
    require_safe_name(is_folder ? entry.name.substr(0, entry.name.size() - 1) : entry.name, origin,
                      options.limits);
    locate_data(bytes, record.directory_offset, origin, entry);
    all.push_back(entry);
  }
  require(at == end, ErrorCode::corrupt,
          "zip C3: the directory must end with its last entry:", origin, at, end);
  require_disjoint(all, origin);
  require_distinct(all, options.fold_case, origin);
  Directory directory{.files = {}, .root = shared_root(all)};
  directory.files.reserve(all.size());
  std::ranges::copy_if(all, std::back_inserter(directory.files),
                       [](const ZipEntry& entry) { return !entry.name.ends_with('/'); });
  return directory;
}

}  // namespace litz::zip
