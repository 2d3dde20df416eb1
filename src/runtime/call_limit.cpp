#include "runtime/call_limit.h"

#include "support/check.h"

namespace litz::runtime {
namespace {

thread_local const CallLimit* limit_of_thread = nullptr;

}  // namespace

void CallLimit::check() const {
  const bool is_stopped =
      stop.stop_requested() ||
      (stop_flag != nullptr && __atomic_load_n(stop_flag, __ATOMIC_RELAXED) != 0);
  require(!is_stopped, ErrorCode::cancelled, "a call runs until its caller stops it");
  require(!deadline || std::chrono::steady_clock::now() < *deadline, ErrorCode::cancelled,
          "a call must end before its deadline");
}

LimitedCalls::LimitedCalls(const CallLimit& limit) : outer_(limit_of_thread) {
  limit_of_thread = &limit;
}

LimitedCalls::~LimitedCalls() { limit_of_thread = outer_; }

const CallLimit* current_limit() { return limit_of_thread; }

}  // namespace litz::runtime
