#include "runtime/thread_slot.h"

#include <mutex>
#include <vector>

namespace litz::runtime {
namespace {

/// Never destroyed: threads may end after static objects.
struct Numbers {
  std::mutex mutex;
  std::vector<bool> is_taken;
};

Numbers& numbers() {
  static auto* const only = new Numbers;
  return *only;
}

class Number {
 public:
  Number() {
    const std::lock_guard lock(numbers().mutex);
    std::vector<bool>& is_taken = numbers().is_taken;
    while (value_ < is_taken.size() && is_taken[value_]) ++value_;
    if (value_ == is_taken.size()) is_taken.push_back(true);
    is_taken[value_] = true;
  }

  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  ~Number() {
    const std::lock_guard lock(numbers().mutex);
    numbers().is_taken[value_] = false;
  }

  size_t value() const { return value_; }

 private:
  size_t value_ = 0;
};

}  // namespace

size_t thread_slot(size_t count) {
  thread_local const Number number;
  return number.value() % count;
}

}  // namespace litz::runtime
