// Notices changes of files that are mapped.
//
// A mapping shows what others write to its file, and an access behind the end of a file that was cut
// raises SIGBUS. The first mapping therefore installs a handler of that signal, which puts zeros in the
// place of the lost pages and remembers it. Signals for other addresses go to the handler before it,
// so a program keeps its own. Who computes with bytes of a mapped file asks `require_unchanged`
// afterwards, and takes the results only if it does not throw.

#pragma once

#include <atomic>
#include <cstddef>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace litz {

struct MappedRange;

/// One mapped file. It may outlive the mapping. Thread-safe.
class FileWatch {
 public:
  /// Watches a file that is mapped at these bytes; takes the descriptor over, also if it throws.
  static std::shared_ptr<FileWatch> begin(std::string path, int descriptor,
                                          std::span<const std::byte> mapping);
  /// The watch of the mapping that has this address; null: there is none.
  static std::shared_ptr<const FileWatch> at(const void* address);

  /// True once a part of any mapped file was lost.
  static bool has_any_lost();

  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Call it before the file is unmapped: the addresses belong to others afterwards.
  void end() noexcept;

  /// Throws Error{io} if the file was cut or written since it was mapped. A new file of its name is no
  /// change.
  void require_unchanged() const;

 private:
  FileWatch(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
  off_t bytes_ = 0;        ///< When it was mapped.
  timespec written_ = {};  ///< The last time that it was written before that.
  MappedRange* range_ = nullptr;
  std::atomic<bool> is_lost_ = false;  ///< Zeros have replaced a part.
  std::atomic<bool> has_ended_ = false;
};

/// The files that a computation reads, each once.
class FileWatches {
 public:
  /// Adds the file that is mapped at an address, if one is.
  void add(const void* address);

  void require_unchanged() const {
    for (const std::shared_ptr<const FileWatch>& file : files_) file->require_unchanged();
  }

 private:
  std::vector<std::shared_ptr<const FileWatch>> files_;
};

}  // namespace litz
