#include "compiler/api/saved_storages.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace litz::compiler {
namespace {

struct Watched {
  uint64_t writes = 0;
  uint64_t watchers = 0;
};

struct WatchedStorages {
  std::mutex mutex;
  std::unordered_map<const Storage*, Watched> all;
  std::atomic<size_t> count = 0;  ///< Of `all`, so that programs without watchers take no lock.
};

WatchedStorages& watched() {
  static WatchedStorages storages;
  return storages;
}

}  // namespace

uint64_t count_writes(const Storage* storage) {
  const std::lock_guard lock(watched().mutex);
  Watched& found = watched().all[storage];
  ++found.watchers;
  watched().count = watched().all.size();
  return found.writes;
}

void forget_writes(const Storage* storage) {
  const std::lock_guard lock(watched().mutex);
  const auto found = watched().all.find(storage);
  if (found == watched().all.end()) return;
  if (--found->second.watchers == 0) watched().all.erase(found);
  watched().count = watched().all.size();
}

void note_write(const Storage* storage) {
  if (watched().count == 0) return;
  const std::lock_guard lock(watched().mutex);
  const auto found = watched().all.find(storage);
  if (found != watched().all.end()) ++found->second.writes;
}

}  // namespace litz::compiler
