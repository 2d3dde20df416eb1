// Uses plain system calls relative to the open directory: every file is checked through the
// descriptor that is then read, so it cannot be swapped in between.

#include "compiler/kernels/kernel_cache.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "loops/instrs.h"
#include "support/check.h"
#include "support/hash.h"
#include "support/whole_file.h"

namespace litz::compiler {
namespace {

constexpr std::string_view kSuffix = ".kernel";
constexpr std::string_view kUnfinished = ".writing";
/// Limits disk space; evicted kernels are compiled again.
constexpr uint64_t kDefaultBytes = uint64_t{1} << 30;
/// Real kernels are far smaller.
constexpr int64_t kLargestEntry = int64_t{64} << 20;
/// Marking used entries more rarely saves writes; this often is enough to recognise old ones.
constexpr time_t kTouchSeconds = 3600;
/// A writer that is silent for this long counts as dead.
constexpr time_t kWriterSeconds = 3600;

/// Owns a file descriptor.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}

  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }

  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string file_name(const artifact::KernelKey& key) {
  return to_string(key) + std::string(kSuffix);
}

std::vector<std::byte> read_all(int file, size_t size) {
  std::vector<std::byte> bytes(size);
  size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(file, bytes.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

bool make_directories(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && end == std::string::npos) {
      return false;
    }
    if (end == std::string::npos) return true;
  }
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Entry {
  std::string name;
  uint64_t bytes = 0;
  struct timespec used = {};
};

/// The cache's own files in the directory, including unfinished ones.
std::vector<Entry> list(int directory) {
  std::vector<Entry> entries;
  const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = own >= 0 ? ::fdopendir(own) : nullptr;
  if (stream == nullptr) {
    if (own >= 0) ::close(own);
    return entries;
  }
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(kSuffix) && !name.ends_with(kUnfinished)) continue;
    struct stat status = {};
    if (::fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(status.st_mode)) continue;
    entries.push_back({std::string(name), static_cast<uint64_t>(status.st_size), status.st_mtim});
  }
  ::closedir(stream);
  return entries;
}

class SymbolCollector {
 public:
  explicit SymbolCollector(const ExprPool& pool) : pool_(pool) {}

  void add(const Expr& expr) {
    if (expr.is_constant()) return;
    for (const SymbolId symbol : free_symbols(expr)) {
      if (pool_.symbol(symbol).kind != SymbolKind::index) symbols_.push_back(symbol);
    }
  }

  void add(const loops::Kernel& kernel) {
    for (const loops::Buffer& buffer : kernel.buffers) {
      for (const Expr size : buffer.type.sizes) add(size);
      for (const Expr stride : buffer.type.strides) add(stride);
      add(buffer.type.offset);
    }
    loops::for_each_instr(kernel.body, [&](const loops::Instr& instr) {
      add(instr.expr);
      for (const loops::LoopVar& var : instr.vars) add(var.extent);
      add(instr.position.extent);
      for (const loops::Index& index : instr.indices) {
        if (const auto* expr = std::get_if<Expr>(&index)) add(*expr);
      }
    });
  }

  std::vector<SymbolId> take() {
    std::ranges::sort(symbols_);
    // Clang 14 cannot compile libstdc++'s std::ranges::unique.
    symbols_.erase(std::unique(symbols_.begin(), symbols_.end()), symbols_.end());
    return std::move(symbols_);
  }

 private:
  const ExprPool& pool_;
  std::vector<SymbolId> symbols_;
};

/// Canonical loop variables are i0, i1, ...: a size with such a name would read as one.
bool reads_as_loop_variable(std::string_view name) {
  return name.size() > 1 && name[0] == 'i' &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

std::optional<artifact::KernelKey> kernel_key(const loops::Kernel& kernel, std::string_view text,
                                              const Backend& backend) {
  SymbolCollector collector(*kernel.pool);
  collector.add(kernel);
  const std::vector<SymbolId> symbols = collector.take();
  const auto hash = [&](uint64_t seed) {
    Hasher hasher(seed);
    hasher.add(LITZ_VERSION);
    backend.add_to_key(hasher);
    hasher.add(hash_bytes(text, seed));
    for (const SymbolId symbol : symbols) {
      // Facts about a size change the generated code.
      const SymbolInfo& info = kernel.pool->symbol(symbol);
      hasher.add(info.name).add(static_cast<int>(info.kind));
      hasher.add(info.range.lo).add(info.range.hi);
    }
    return hasher.value();
  };
  for (const SymbolId symbol : symbols) {
    if (reads_as_loop_variable(kernel.pool->symbol(symbol).name)) return std::nullopt;
  }
  return artifact::KernelKey{hash(1), hash(2)};
}

CacheSettings CacheSettings::from_environment() {
  CacheSettings settings{.directory = environment("LITZ_CACHE_DIR"), .most_bytes = kDefaultBytes};
  if (settings.directory.empty()) {
    const std::string shared = environment("XDG_CACHE_HOME");
    const std::string home = environment("HOME");
    if (!shared.empty()) {
      settings.directory = shared + "/litz";
    } else if (!home.empty()) {
      settings.directory = home + "/.cache/litz";
    }
  }
  if (const std::string size = environment("LITZ_CACHE_SIZE"); !size.empty()) {
    uint64_t mebibytes = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), mebibytes);
    require(error == std::errc() && end == size.data() + size.size() && mebibytes < 1U << 30,
            "LITZ_CACHE_SIZE must be a number of MiB, 0 for no cache, got", size);
    settings.most_bytes = mebibytes << 20;
  }
  return settings;
}

std::unique_ptr<KernelCache> KernelCache::open(const CacheSettings& settings, std::string* reason) {
  const auto refuse = [&](std::string why) {
    if (reason != nullptr) *reason = std::move(why);
    return nullptr;
  };
  if (settings.most_bytes == 0) return refuse("switched off by LITZ_CACHE_SIZE=0");
  if (settings.directory.empty()) return refuse("neither LITZ_CACHE_DIR nor HOME is set");
  const char* path = settings.directory.c_str();
  if (!make_directories(settings.directory)) return refuse(std::strerror(errno));
  const int directory = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return refuse(std::strerror(errno));
  if (::faccessat(directory, ".", W_OK | X_OK, AT_EACCESS) != 0) {
    const int error = errno;
    ::close(directory);
    return refuse(std::strerror(error));
  }
  return std::unique_ptr<KernelCache>(new KernelCache(directory, settings.most_bytes));
}

KernelCache::~KernelCache() {
  if (has_grown_) trim();
  ::close(directory_);
}

std::optional<artifact::KernelCode> KernelCache::find(const artifact::KernelKey& key,
                                                      ExprPool& pool) {
  const std::string name = file_name(key);
  const File file(
      ::openat(directory_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return std::nullopt;
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  // The contents of the file are executed.
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  try {
    require(status.st_size <= kLargestEntry, ErrorCode::corrupt, "a stored kernel must be small");
    const std::vector<std::byte> bytes = read_all(file.get(), static_cast<size_t>(status.st_size));
    artifact::KernelCode code =
        artifact::parse_kernel_payload(artifact::unseal(bytes, key), key, pool);
    if (::time(nullptr) - status.st_mtime > kTouchSeconds) ::futimens(file.get(), nullptr);
    return code;
  } catch (const Error&) {
    remove(key);
    return std::nullopt;
  }
}

void KernelCache::store(const artifact::KernelKey& key, const artifact::KernelCode& code,
                        const ExprPool& pool) {
  const std::vector<std::byte> bytes = artifact::seal(artifact::kernel_payload(code, pool), key);
  const std::string name = file_name(key);
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  // Unique among the threads, processes and machines that share the directory; a clash is refused.
  const std::string unfinished = to_string(key) + "-" + std::to_string(::getpid()) + "-" +
                                 std::to_string(now.tv_nsec) + std::string(kUnfinished);
  bool is_written = false;
  {
    const File file(::openat(directory_, unfinished.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return;
    is_written = write_all(file.get(), bytes);
  }
  if (is_written && ::renameat(directory_, unfinished.c_str(), directory_, name.c_str()) == 0) {
    has_grown_ = true;
    return;
  }
  ::unlinkat(directory_, unfinished.c_str(), 0);
}

void KernelCache::remove(const artifact::KernelKey& key) {
  ::unlinkat(directory_, file_name(key).c_str(), 0);
}

CacheUsage KernelCache::usage() const {
  CacheUsage usage;
  for (const Entry& entry : list(directory_)) {
    if (entry.name.ends_with(kSuffix)) ++usage.entries;
    usage.bytes += entry.bytes;
  }
  return usage;
}

void KernelCache::clear() {
  for (const Entry& entry : list(directory_)) ::unlinkat(directory_, entry.name.c_str(), 0);
}

void KernelCache::trim() {
  has_grown_ = false;
  const time_t now = ::time(nullptr);
  std::vector<Entry> entries = list(directory_);
  std::erase_if(entries, [&](const Entry& entry) {
    if (!entry.name.ends_with(kUnfinished)) return false;
    if (now - entry.used.tv_sec > kWriterSeconds) ::unlinkat(directory_, entry.name.c_str(), 0);
    return true;
  });
  uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  if (bytes <= most_bytes_) return;
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
    if (a.used.tv_nsec != b.used.tv_nsec) return a.used.tv_nsec < b.used.tv_nsec;
    return a.name < b.name;
  });
  // Leaves some room, so that not every program that adds a kernel has to search for old ones.
  for (const Entry& entry : entries) {
    if (bytes <= most_bytes_ / 4 * 3) return;
    if (::unlinkat(directory_, entry.name.c_str(), 0) == 0) bytes -= entry.bytes;
  }
}

}  // namespace litz::compiler
