// A fixed set of threads that share a loop of tasks.
//
// The blocks of tasks depend only on the number of tasks and the pool's size. So a thread finds the
// data of its last kernel in its caches. Who is done with a block takes tasks of the others, so that
// a thread whose processor is busy with something else delays a call by one task at most. The
// caller also works, and never waits for a thread that has not started. A second caller, or a task
// that calls the pool again, runs its tasks itself.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  using ThreadTaskFn = detail::FunctionRef<void(int64_t task, int64_t thread)>;

  /// The most threads of a pool. More would be useless for any loop; options beyond it are refused.
  static constexpr int kMostThreads = 1024;
  /// Work that takes longer than its handover to another thread: 0.6 to 1.8 us while the thread
  /// still spins, 5 us and more once it sleeps (bench_launch_list).
  static constexpr double kHandoverNanoseconds = 5000;
  /// The length of a task of long work. To take a task costs less than a hundredth of it.
  static constexpr double kTaskNanoseconds = 50'000;
  static constexpr double kMostTasksPerThread = 32;

  /// Makes a pool of `threads` threads, the caller included; 0 takes one per CPU that this process
  /// may use. If the system starts fewer, the pool has those, and a warning is logged. Thread i, from
  /// 1 on, stays on CPU `cpus[i % cpus.size()]` if there are CPUs; where callers run is theirs to
  /// decide. Throws Error{invalid_argument} for a CPU that this process may not use.
  explicit ThreadPool(int threads = 0, std::span<const int> cpus = {});
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  /// No call may be running.
  ~ThreadPool();

  /// The number of threads that share a loop, the caller included.
  int threads() const;

  /// Calls `body` for every task in [0, tasks) and returns when all are done. Tasks are divided
  /// into contiguous blocks of equal size, one per thread, whose tasks begin in order. Throws the
  /// exception of the lowest task that throws; tasks above it may not run.
  void parallel(int64_t tasks, TaskFn body);

  /// Like parallel, by at most `threads` threads; `thread` is a number below that, which no other
  /// task has at the same time, for memory that tasks use in turn.
  void parallel_by_thread(int64_t tasks, int64_t threads, ThreadTaskFn body);

  /// Returns how many threads should share work that takes one of them so many nanoseconds, so that
  /// each piece is worth its handover. `pool` may be null: the caller alone.
  static int64_t worthwhile_threads(const ThreadPool* pool, double nanoseconds);

  /// Returns how many tasks such work should be: several for each of these threads if it is long, so
  /// that others can take over from a thread whose processor is busy with something else.
  static int64_t worthwhile_tasks(const ThreadPool* pool, double nanoseconds);

  /// The number of CPUs that this process may use: by its affinity, and by the quota of its control
  /// group, as containers have it.
  static int available_cpus();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The first of `total` items that belong to chunk `index` of `chunks`: equal shares, the longer ones
/// spread evenly. No product of the two, so no overflow.
inline int64_t chunk_begin(int64_t total, int64_t chunks, int64_t index) {
  return total / chunks * index + total % chunks * index / chunks;
}

}  // namespace litz
