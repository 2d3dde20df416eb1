// A fixed set of threads that share loops.
//
// Work is cut into as many pieces as there are threads, at places that depend only on the loop, so
// results do not depend on timing. The caller works too. Several threads may call at once, and a
// piece may start a loop of its own: whoever waits only waits for pieces that are already running.

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
  /// Called with one piece of the range: [begin, end).
  using RangeFn = detail::FunctionRef<void(int64_t begin, int64_t end)>;
  /// Called once per piece number.
  using PieceFn = detail::FunctionRef<void(int64_t piece)>;

  /// A pool in which `threads` threads work, the caller included; 0 takes one per CPU that this
  /// process may use.
  explicit ThreadPool(int threads = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// The number of threads that share a loop, the caller included.
  int size() const;

  /// Calls `body` for pieces of [0, count) of at least `grain` elements each (except when count is
  /// smaller), at most one piece per thread. Returns when all are done; the first exception that a
  /// piece throws is thrown here.
  void parallel_for(int64_t count, int64_t grain, RangeFn body);
  /// Calls `body` for every piece number in [0, pieces), in any order, on any thread.
  void parallel_pieces(int64_t pieces, PieceFn body);

  /// The number of CPUs that this process may use.
  static int available_cpus();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace litz
