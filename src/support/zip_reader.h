// Reads zip archives without trusting them.
//
// Every offset is checked before it is followed, and every rule of the format that a hostile file
// could bend is a named refusal ("zip C4: ..."), with the entry and the value. Stored entries are
// spans of the file; deflated ones are inflated under a budget that nested archives share. The
// reader never writes files and never allocates more than the file's own size justifies.
//
//   C1 end record         C2 zip64 fields      C3 entry count        C4 overlapping data
//   C5 local header       C6 duplicate names   C7 unsafe names       C8 several roots
//   C9 compression        C10 encryption       C11 checksum          C12 nesting

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace litz {

class MappedFile;

/// The limits of what a reader accepts.
struct ZipLimits {
  uint64_t max_entries = 1'000'000;
  uint64_t max_name_bytes = 4096;
  uint64_t max_ratio = 1000;                        ///< Inflated to deflated size.
  uint64_t max_inflated_entry = uint64_t{1} << 30;  ///< Per deflated entry.
  uint64_t max_inflated_total = uint64_t{4} << 30;  ///< For all reads, nested ones included.
  int max_nesting = 1;                              ///< Archives inside archives.
};

/// The expected kind of archive.
struct ZipOptions {
  ZipLimits limits;
  /// Refuses archives whose entries are not all under one top folder, as in .pt2 and .pt files.
  /// Archives of old writers have no such folder: open them without this check, then inspect them.
  bool single_root = true;
  /// Names that differ only in case count as duplicates.
  bool fold_case = true;

  /// For .npz files: no top folder, and arrays `a` and `A` are two arrays.
  static ZipOptions flat() { return {.limits = {}, .single_root = false, .fold_case = false}; }
};

enum class ZipMethod : uint16_t { stored = 0, deflated = 8 };

/// One file of the archive, as the checked directory describes it.
struct ZipEntry {
  std::string_view name;  ///< With the root folder; points into the archive.
  uint64_t header_offset = 0;
  uint64_t data_offset = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint32_t crc = 0;
  ZipMethod method = ZipMethod::stored;
};

/// The content of an entry: a view of the archive, or allocated memory after inflating. The view is
/// valid as long as this object and the reader.
class ZipContent {
 public:
  explicit ZipContent(std::span<const std::byte> view) : view_(view) {}

  explicit ZipContent(std::vector<std::byte> owned)
      : owned_(std::make_shared<const std::vector<std::byte>>(std::move(owned))), view_(*owned_) {}

  std::span<const std::byte> bytes() const { return view_; }

  std::string_view text() const {
    return {reinterpret_cast<const char*>(view_.data()), view_.size()};
  }

  /// The allocated memory, or null if the bytes are a view of the archive.
  std::shared_ptr<const void> owner() const { return owned_; }

 private:
  std::shared_ptr<const std::vector<std::byte>> owned_;
  std::span<const std::byte> view_;
};

/// An archive whose whole directory has been read and checked. Reading entries is thread-safe.
class ZipReader {
 public:
  /// Maps a file; the reader keeps the mapping. Throws Error{not_found, io, corrupt, unsupported,
  /// limit_exceeded}.
  static ZipReader open_file(const std::string& path, const ZipOptions& options = {});
  /// The same for a file that is open.
  static ZipReader open(std::shared_ptr<const MappedFile> file, const ZipOptions& options = {});
  /// Reads an archive in memory that `owner` keeps alive; null: the caller does. `origin` names it in
  /// messages.
  static ZipReader open(std::span<const std::byte> bytes, std::string origin = "archive",
                        const ZipOptions& options = {},
                        std::shared_ptr<const void> owner = nullptr);

  ZipReader(ZipReader&&) noexcept;
  ZipReader& operator=(ZipReader&&) noexcept;
  ~ZipReader();

  /// The files in directory order; folders are left out.
  std::span<const ZipEntry> entries() const;
  /// The common top folder of all entries, without its slash; empty if there is none.
  std::string_view root() const;
  /// Throws Error{corrupt} (C8) unless all entries are under one top folder.
  void require_single_root() const;
  /// The name of an entry without the root folder.
  std::string_view path_of(const ZipEntry& entry) const;
  /// An entry by full name, or null.
  const ZipEntry* find(std::string_view full_name) const;
  /// An entry by its path below the root, or null.
  const ZipEntry* find_path(std::string_view path) const;

  /// The bytes of a stored entry, without a copy and without a checksum. Throws
  /// Error{unsupported} for a compressed one.
  std::span<const std::byte> stored_bytes(const ZipEntry& entry) const;
  /// The bytes of any entry, checksum not verified; inflates when necessary.
  ZipContent read(const ZipEntry& entry) const;
  /// As `read`, and verifies the checksum (C11).
  ZipContent read_verified(const ZipEntry& entry) const;
  /// True if the bytes have the checksum that the directory states.
  static bool checksum_matches(const ZipEntry& entry, std::span<const std::byte> bytes);

  /// Opens an archive stored inside this one (C12). It shares this one's inflation budget and owns
  /// the memory that it reads, so only memory that the caller passed to `open` must stay alive.
  ZipReader nested(const ZipEntry& entry) const;

  /// Keeps the archive's bytes alive for views that outlive the reader; null when the caller of
  /// `open` owns them.
  std::shared_ptr<const void> owner() const;
  /// The file whose mapping contains the bytes, kept alive by owner(); null if there is none.
  const MappedFile* file() const;
  const std::string& origin() const;

 private:
  struct State;
  explicit ZipReader(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace litz
