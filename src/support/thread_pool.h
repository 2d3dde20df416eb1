// A fixed set of threads that share a loop of tasks.
//
// Which tasks form a block depends only on their number and the pool's size, so what a thread finds
// in its caches from the last kernel is what it needs for the next, and results do not depend on
// timing. The caller works too. Nobody waits for a thread that has not started: the caller takes
// over the block of a thread that is late, and a second caller, or a task that calls the pool
// again, runs its tasks itself.

#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace litz {

namespace detail {

/// A reference to a callable: two words, no allocation, valid during the call it is passed to.
template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F>

  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& callable)  // NOLINT(google-explicit-constructor): reads like the callable.
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace detail

/// Threads that live as long as the pool. Thread-safe.
class ThreadPool {
 public:
  using TaskFn = detail::FunctionRef<void(int64_t task)>;

  /// More than any loop can use; what people ask for is refused beyond it.
  static constexpr int kMostThreads = 1024;
  /// Work that outweighs handing it to another thread, which takes about a microsecond while the
  /// thread still looks for work and more once it sleeps.
  static constexpr double kHandoverNanoseconds = 5000;

  /// A pool in which `threads` threads work, the caller included; 0 takes one per CPU that this
  /// process may use. Where the system starts fewer, the pool has those, and a warning is logged.
  explicit ThreadPool(int threads = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  /// No call may be running.
  ~ThreadPool();

  /// The number of threads that share a loop, the caller included.
  int threads() const;

  /// Calls `body` for every task in [0, tasks) and returns when all are done. Tasks are divided
  /// into contiguous blocks of equal size, one a thread; a block runs its tasks in order and stops
  /// at the first that throws. The exception of the lowest such task is thrown here.
  void parallel(int64_t tasks, TaskFn body);

  /// How many threads should share work that takes one of them so many nanoseconds: each gets a
  /// piece worth handing over. `pool` may be null, which is the caller alone.
  static int64_t worthwhile_threads(const ThreadPool* pool, double nanoseconds);

  /// The number of CPUs that this process may use.
  static int available_cpus();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace litz
