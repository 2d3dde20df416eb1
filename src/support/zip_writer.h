// Writes zip archives whose entries are stored uncompressed, with data at multiples of 64 bytes, so
// that a reader can map the file and use the data in place. For .npz output and for tests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace litz {

/// Writes entries one after another; `finish` writes the directory. Entries and archives beyond
/// 4 GiB use zip64. Throws Error{io} when the file cannot be written.
class ZipWriter {
 public:
  static constexpr uint64_t kAlignment = 64;

  /// Writes to a file, which gets its name only when `finish` succeeds.
  static ZipWriter to_file(const std::string& path);
  /// Collects the archive in memory, for `take_bytes`.
  static ZipWriter to_memory();

  ZipWriter(ZipWriter&&) noexcept;
  ZipWriter& operator=(ZipWriter&&) noexcept;
  /// Deletes an unfinished file.
  ~ZipWriter();

  /// Adds an entry. Names must be unique, relative, without empty, "." or ".." components.
  void add(std::string_view name, std::span<const std::byte> data);
  void add(std::string_view name, std::string_view text);
  /// Writes the directory. Nothing may be added after it.
  void finish();
  /// Returns the finished archive of a `to_memory` writer.
  std::vector<std::byte> take_bytes();

 private:
  struct State;
  explicit ZipWriter(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace litz
