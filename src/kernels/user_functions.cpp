#include "kernels/user_functions.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "kernels/user_call.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

struct Registered {
  UserFunction function;
  LibraryEntry entry;
  std::mutex turn;  ///< Serialises functions that are not thread-safe.
};

/// One per process: functions of a shared object are found only by name.
class Registry {
 public:
  void add(UserFunction function, LibraryFunction run) {
    const std::lock_guard lock(mutex_);
    auto added = std::make_unique<Registered>();
    added->function = std::move(function);
    added->entry = {added->function.name, run};
    const bool is_new = by_name_.emplace(added->entry.name, std::move(added)).second;
    check(is_new, "a user's function must have a name of its own");
  }

  Registered* find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::string_view, std::unique_ptr<Registered>> by_name_;
};

Registry& registry() {
  static Registry registry;
  return registry;
}

void run_registered(LibraryCall& call) {
  Registered* registered = registry().find(call.function);
  check(registered != nullptr, "a user's function must be registered:", call.function);
  std::unique_lock lock(registered->turn, std::defer_lock);
  if ((registered->function.table.flags & LITZ_OPERATOR_NOT_THREAD_SAFE) != 0) lock.lock();
  UserCall(registered->function, call).run();
}

}  // namespace

void add_user_function(UserFunction function) {
  registry().add(std::move(function), run_registered);
}

const LibraryEntry* find_user_function(std::string_view name) {
  Registered* registered = registry().find(name);
  return registered == nullptr ? nullptr : &registered->entry;
}

}  // namespace litz::kernels
