// A file mapped for reading.
//
// The size is read once, when the file is opened. Who cuts or writes the file while it is mapped is
// noticed (support/file_watch.h): readers state it by `require_unchanged`. Small files are copied, and
// `read` copies any file, so that nothing which happens to it later matters.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace litz {

class FileWatch;

/// Owns a read-only view of a whole file. Views into it become invalid with it. Move-only.
class MappedFile {
 public:
  /// Files up to this size are read into memory instead of mapped.
  static constexpr uint64_t kCopyBelow = 64 * 1024;

  /// Opens a regular file. Throws Error{not_found} or Error{io} with the path and the reason.
  static MappedFile open(const std::string& path, uint64_t copy_below = kCopyBelow);

  /// Reads a regular file into memory of its own, which begins at a page and is not written later.
  /// Throws as open, and Error{out_of_memory}.
  static MappedFile read(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  const std::string& path() const { return path_; }

  /// False when the content was copied.
  bool is_mapped() const { return watch_ != nullptr; }

  /// Throws Error{io} if the file is mapped and was cut or written since.
  void require_unchanged() const;

  /// What a reader of the bytes returns, or Error{io} in place of what it returns or throws if the file
  /// was cut or written meanwhile.
  template <typename Reader>
  auto reading(const Reader& reader) const {
    try {
      auto result = reader();
      require_unchanged();
      return result;
    } catch (...) {
      require_unchanged();
      throw;
    }
  }

  /// Releases the memory of whole pages inside `part`, a span of bytes(). The next access reads
  /// them from the file again. Does nothing for copied content.
  void release_pages(std::span<const std::byte> part) const noexcept;

 private:
  MappedFile() = default;
  void unmap() noexcept;

  std::string path_;
  std::span<const std::byte> bytes_;
  void* mapping_ = nullptr;           ///< Of the file, or of memory that holds its content.
  std::shared_ptr<FileWatch> watch_;  ///< Of a mapped file.
  std::vector<std::byte> copy_;
};

}  // namespace litz
