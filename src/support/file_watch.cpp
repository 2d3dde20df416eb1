#include "support/file_watch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "support/check.h"

namespace litz {

/// The addresses of one mapping, as the handler finds them: without a lock, in a list whose entries
/// are used again and never freed.
struct MappedRange {
  std::atomic<uintptr_t> begin = 0;
  std::atomic<size_t> bytes = 0;  ///< 0: nothing is mapped there.
  std::atomic<std::atomic<bool>*> is_lost = nullptr;
  MappedRange* next = nullptr;
};

namespace {

// --- The handler

// What a handler reads is written before it is installed, or atomic. It reaches nothing but globals.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<MappedRange*> first_range = nullptr;

struct sigaction handler_before {};

uintptr_t page_bytes = 0;
std::atomic<bool> has_lost_pages = false;

// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Puts zeros in place of the rest of a mapping, from the page of an address on. False: it is none.
bool replace_pages(uintptr_t address) {
  for (MappedRange* range = first_range.load(); range != nullptr; range = range->next) {
    const size_t bytes = range->bytes.load();
    const uintptr_t begin = range->begin.load();
    if (address - begin >= bytes) continue;
    range->is_lost.load()->store(true);
    has_lost_pages.store(true);
    const uintptr_t page = address & ~(page_bytes - 1);
    // Not mmap, which sanitizers watch: they would take it for a write beside the reads of others.
    return ::syscall(SYS_mmap, page, begin + bytes - page, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != -1;
  }
  return false;
}

/// Does what the process would do without our handler.
void pass_on(int signal, siginfo_t* info, void* context) {
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);
    // An access is repeated when the handler returns; a signal that somebody sent is not.
    if (info->si_code <= 0) ::raise(signal);
  }
}

void handle_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_ours =
      info->si_code == BUS_ADRERR && replace_pages(reinterpret_cast<uintptr_t>(info->si_addr));
  if (!is_ours) pass_on(signal, info, context);
  errno = error;
}

void install_handler() {
  page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));

  struct sigaction ours {};

  ours.sa_sigaction = handle_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&ours.sa_mask);
  ::sigaction(SIGBUS, &ours, &handler_before);
}

// --- The mappings

/// The watches by where their mappings begin, and ranges to be used again.
struct Registry {
  std::mutex mutex;
  std::map<uintptr_t, std::weak_ptr<const FileWatch>> watches;
  std::vector<MappedRange*> spare;
};

// Never destroyed, since static objects may own files.
Registry& registry() {
  static Registry* const made = [] {
    install_handler();
    return new Registry();
  }();
  return *made;
}

MappedRange* add_range(Registry& all, std::span<const std::byte> mapping,
                       std::atomic<bool>& is_lost) {
  const bool is_new = all.spare.empty();
  MappedRange* const range = is_new ? new MappedRange() : all.spare.back();
  if (!is_new) all.spare.pop_back();
  range->is_lost.store(&is_lost);
  range->begin.store(reinterpret_cast<uintptr_t>(mapping.data()));
  range->bytes.store(mapping.size());
  if (is_new) {
    range->next = first_range.load();
    first_range.store(range);
  }
  return range;
}

/// The size of a file and when it was written last.
struct stat state_of(int descriptor, const std::string& path) {
  struct stat state {};

  require(::fstat(descriptor, &state) == 0, ErrorCode::io, "file must be readable:", path);
  return state;
}

}  // namespace

std::shared_ptr<FileWatch> FileWatch::begin(std::string path, int descriptor,
                                            std::span<const std::byte> mapping) {
  const std::shared_ptr<FileWatch> watch(new FileWatch(std::move(path), descriptor));
  const struct stat state = state_of(descriptor, watch->path_);
  watch->bytes_ = state.st_size;
  watch->written_ = state.st_mtim;
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  watch->range_ = add_range(all, mapping, watch->is_lost_);
  all.watches[watch->range_->begin.load()] = watch;
  return watch;
}

std::shared_ptr<const FileWatch> FileWatch::at(const void* address) {
  Registry& all = registry();
  const auto place = reinterpret_cast<uintptr_t>(address);
  const std::scoped_lock lock(all.mutex);
  auto next = all.watches.upper_bound(place);
  if (next == all.watches.begin()) return nullptr;
  std::shared_ptr<const FileWatch> watch = std::prev(next)->second.lock();
  if (watch == nullptr || place - watch->range_->begin >= watch->range_->bytes) return nullptr;
  return watch;
}

bool FileWatch::has_any_lost() { return has_lost_pages.load(std::memory_order_relaxed); }

FileWatch::~FileWatch() { ::close(descriptor_); }

void FileWatch::end() noexcept {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  has_ended_.store(true);
  range_->bytes.store(0);
  all.watches.erase(range_->begin.load());
  all.spare.push_back(range_);
}

void FileWatch::require_unchanged() const {
  constexpr const char* kAdvice =
      "replace a file by a new one of its name, or load it with Options::copy_file (--copy-file)";
  require(!is_lost_.load(), ErrorCode::io,
          "a file must not be cut or go away while a program that reads it lives:", path_ + ";",
          kAdvice);
  if (has_ended_.load()) return;
  const struct stat state = state_of(descriptor_, path_);
  require(state.st_size == bytes_ && state.st_mtim.tv_sec == written_.tv_sec &&
              state.st_mtim.tv_nsec == written_.tv_nsec,
          ErrorCode::io,
          "a file must not be written while a program that reads it lives:", path_ + ";", kAdvice);
}

void FileWatches::add(const void* address) {
  std::shared_ptr<const FileWatch> file = FileWatch::at(address);
  if (file == nullptr || std::ranges::find(files_, file) != files_.end()) return;
  files_.push_back(std::move(file));
}

}  // namespace litz
