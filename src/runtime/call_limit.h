// Ends calls early: a request to stop, or a deadline.
//
// A limit applies to the calls that a thread makes while its LimitedCalls lives. Calls look at it
// between launches, between the steps of a routine and in every turn of a loop; a launch that runs is
// not interrupted.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

namespace litz::runtime {

struct CallLimit {
  std::stop_token stop;
  const int32_t* stop_flag = nullptr;  ///< Any thread may set it to another value than 0.
  std::optional<std::chrono::steady_clock::time_point> deadline;

  /// Throws Error{cancelled} if the call shall end.
  void check() const;
};

/// Sets the limit of this thread's calls while it lives. The limit must outlive it.
class LimitedCalls {
 public:
  explicit LimitedCalls(const CallLimit& limit);
  LimitedCalls(const LimitedCalls&) = delete;
  LimitedCalls& operator=(const LimitedCalls&) = delete;
  ~LimitedCalls();

 private:
  const CallLimit* outer_;
};

/// The limit of this thread's calls; null: none.
const CallLimit* current_limit();

/// Throws Error{cancelled} if this thread's call shall end.
inline void check_limit() {
  const CallLimit* const limit = current_limit();
  if (limit != nullptr) limit->check();
}

}  // namespace litz::runtime
