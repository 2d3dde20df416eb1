#include "support/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "support/check.h"
#include "support/file_watch.h"

namespace litz {
namespace {

// Closes a descriptor on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}

  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

[[noreturn]] void fail_system(const char* text, const std::string& path, int error) {
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  fail(is_missing        ? ErrorCode::not_found
       : error == ENOMEM ? ErrorCode::out_of_memory
                         : ErrorCode::io,
       text, path + ":", std::generic_category().message(error));
}

void read_whole(int fd, std::span<std::byte> into, const std::string& path) {
  while (!into.empty()) {
    const ssize_t count = ::read(fd, into.data(), into.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_system("file must be readable:", path, errno);
    require(count > 0, ErrorCode::io, "file must not shrink while it is read:", path);
    into = into.subspan(static_cast<size_t>(count));
  }
}

int open_regular(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail_system("file must exist and be readable:", path, errno);
  return descriptor;
}

size_t size_of(const Descriptor& file, const std::string& path) {
  struct stat status {};

  if (::fstat(file.get(), &status) != 0) fail_system("file must be readable:", path, errno);
  require(S_ISREG(status.st_mode), ErrorCode::io, "path must name a regular file:", path);
  return static_cast<size_t>(status.st_size);
}

}  // namespace

MappedFile MappedFile::open(const std::string& path, uint64_t copy_below) {
  Descriptor file(open_regular(path));
  MappedFile result;
  result.path_ = path;
  const size_t size = size_of(file, path);
  if (size <= copy_below) {
    result.copy_.resize(size);
    read_whole(file.get(), result.copy_, path);
    result.bytes_ = result.copy_;
    return result;
  }
  void* const mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapping == MAP_FAILED) fail_system("file must be mappable:", path, errno);
  result.mapping_ = mapping;
  result.bytes_ = {static_cast<const std::byte*>(mapping), size};
  result.watch_ = FileWatch::begin(path, file.release(), result.bytes_);
  // Otherwise a read of one byte would map a large page of the file, and reads of table rows all of
  // it.
  ::madvise(mapping, size, MADV_NOHUGEPAGE);
  return result;
}

MappedFile MappedFile::read(const std::string& path) {
  const Descriptor file(open_regular(path));
  MappedFile result;
  result.path_ = path;
  const size_t size = size_of(file, path);
  if (size == 0) return result;
  // Not a vector, which would write zeros first, and begin anywhere.
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, ErrorCode::out_of_memory,
          "memory must be available for a whole file:", path, size);
  result.mapping_ = memory;
  result.bytes_ = {static_cast<const std::byte*>(memory), size};
  read_whole(file.get(), {static_cast<std::byte*>(memory), size}, path);
  ::mprotect(memory, size, PROT_READ);
  return result;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, {})),
      mapping_(std::exchange(other.mapping_, nullptr)),
      watch_(std::move(other.watch_)),
      copy_(std::move(other.copy_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  unmap();
  path_ = std::move(other.path_);
  bytes_ = std::exchange(other.bytes_, {});
  mapping_ = std::exchange(other.mapping_, nullptr);
  watch_ = std::move(other.watch_);
  copy_ = std::move(other.copy_);
  return *this;
}

MappedFile::~MappedFile() { unmap(); }

void MappedFile::release_pages(std::span<const std::byte> part) const noexcept {
  if (!is_mapped() || part.empty()) return;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const auto base = static_cast<size_t>(part.data() - bytes_.data());
  const size_t begin = (base + page - 1) / page * page;
  const size_t end = (base + part.size()) / page * page;
  // The pages of a private mapping are clean, so nothing is lost. A kernel that refuses keeps the
  // memory.
  if (begin < end) ::madvise(static_cast<std::byte*>(mapping_) + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::require_unchanged() const {
  if (watch_ != nullptr) watch_->require_unchanged();
}

void MappedFile::unmap() noexcept {
  if (watch_ != nullptr) watch_->end();
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
  mapping_ = nullptr;
  watch_ = nullptr;
}

}  // namespace litz
