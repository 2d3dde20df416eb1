#include "support/whole_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

namespace litz {
namespace {

/// Existing names belong to other writers, or to files of writers that were killed.
constexpr int kMostNames = 100;

struct NewFile {
  int descriptor = -1;
  std::string path;
};

// O_EXCL refuses existing names, links included, so no other process can prepare the file.
NewFile create_beside(const std::string& path) {
  static std::atomic<uint64_t> count = 0;
  NewFile file;
  for (int i = 0; i < kMostNames && file.descriptor < 0; ++i) {
    file.path =
        path + "." + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".writing";
    file.descriptor =
        ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file.descriptor < 0 && errno != EEXIST) break;
  }
  return file;
}

}  // namespace

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

void write_whole_file(const std::string& path, std::span<const std::byte> bytes) {
  write_whole_parts(path, std::span(&bytes, 1));
}

void write_whole_parts(const std::string& path, std::span<const std::span<const std::byte>> parts) {
  struct stat there = {};
  const bool is_there = ::lstat(path.c_str(), &there) == 0;
  // A rename would replace a link, a device or a pipe by a file.
  require(!is_there || S_ISREG(there.st_mode), ErrorCode::io,
          "what is written must be a new or a regular file:", path);
  const NewFile file = create_beside(path);
  require(file.descriptor >= 0, ErrorCode::io, "a file must be writable:", path,
          std::strerror(errno));
  bool is_whole = std::ranges::all_of(
      parts, [&](std::span<const std::byte> bytes) { return write_all(file.descriptor, bytes); });
  int error = errno;
  if (is_whole && is_there) (void)::fchmod(file.descriptor, there.st_mode & 07777);
  if (::close(file.descriptor) != 0 && is_whole) {
    is_whole = false;
    error = errno;
  }
  if (is_whole && ::rename(file.path.c_str(), path.c_str()) == 0) return;
  if (is_whole) error = errno;
  ::unlink(file.path.c_str());
  fail(ErrorCode::io, "a file must be written whole:", path, std::strerror(error));
}

}  // namespace litz
