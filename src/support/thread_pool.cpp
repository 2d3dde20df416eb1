// One job at a time. Each worker has its own word on its own cache line. The caller posts a call
// there; the worker helps only if it changes the word from `posted` to `idle` before the caller does.
// The job's data is read only after that, and changes only when all helpers are done. So a worker
// that wakes up late finds either nothing or the next job, never a stale one. Who helps takes tasks
// from counters, one per block.
//
//   idle -> posted           the caller, or a worker that leaves a job for a while
//   posted -> idle           the worker, or the caller when no task is left
//   idle -> asleep -> posted the worker after spinning; the caller, which then wakes it

#include "support/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <exception>
#include <fstream>
#include <limits>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <time.h>
#include <utility>
#include <vector>

#include "support/check.h"
#include "support/log.h"
#include "support/text.h"

namespace litz {
namespace {

// Kernels follow each other within microseconds, and waking a thread takes longer than that. Longer
// spinning would take CPU time from other threads.
constexpr std::chrono::microseconds kSpinTime{50};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True if `done` became true within the time to spin.
template <typename Condition>
bool spin_until(const Condition& done) {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

using Clock = std::chrono::steady_clock;

/// The time that this thread had a processor.
std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// The processor of this thread, shared with others. Who runs until the system takes it away loses
/// it within a task, for whose end all must wait; so a worker gives it up between tasks.
class Turn {
 public:
  void begin() {
    end_ = Clock::now() + length();
    used_before_ = processor_time();
  }

  bool is_over() {
    if (Clock::now() < end_) return false;
    // Who lost the processor meanwhile has just got it again.
    if (processor_time() - used_before_ >= length() / 2) return true;
    begin();
    return false;
  }

  /// Returns once other threads had the processor; at once if there are none.
  void pass_on() {
    ::sched_yield();
    begin();
  }

 private:
  /// Shorter than the time that the system leaves a processor to a thread if others want it: about
  /// 3 ms, until the next of its ticks.
  static std::chrono::nanoseconds length() {
    static const std::chrono::nanoseconds found = [] {
      constexpr std::chrono::nanoseconds kShare = std::chrono::milliseconds(3);
      timespec tick{};
      ::clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
      const std::chrono::nanoseconds step{std::clamp<int64_t>(tick.tv_nsec, 1, kShare.count() * 4)};
      return (kShare + step - std::chrono::nanoseconds(1)) / step * step -
             std::chrono::microseconds(500);
    }();
    return found;
  }

  Clock::time_point end_;
  std::chrono::nanoseconds used_before_{0};
};

/// Keeps a worker off the CPU of its caller: both of them on one CPU do the work of one, and systems
/// leave them there if another process keeps the rest busy. A CPU that others need more would make
/// the worker late, so it is on trial there now and then, and stays away from it after a failure.
class Placement {
 public:
  /// A job begins, whose caller was on that CPU.
  void begin_job(int caller_cpu) {
    const Clock::time_point now = Clock::now();
    if (!is_on_trial_ && now >= next_move_ && ::sched_getcpu() == caller_cpu) {
      is_on_trial_ = is_restricted_ = exclude(caller_cpu);
    } else if (!is_on_trial_ && is_restricted_ && now >= next_trial_) {
      is_on_trial_ = true;
    }
    if (!is_on_trial_) return;
    began_ = now;
    used_before_ = processor_time();
  }

  void end_job() {
    if (!is_on_trial_) return;
    const Clock::time_point now = Clock::now();
    wanted_ += now - began_;
    got_ += processor_time() - used_before_;
    if (wanted_ < kTrial) return;
    const bool is_good = got_ >= wanted_ / 4;
    is_on_trial_ = false;
    wanted_ = got_ = {};
    pause_ = is_good ? kTrial : std::min(8 * pause_, kLongestPause);
    next_move_ = now + pause_;
    next_trial_ = now + kBetweenTrials;
    if (!is_good) release();
  }

 private:
  static constexpr std::chrono::nanoseconds kTrial = std::chrono::milliseconds(10);
  static constexpr std::chrono::nanoseconds kBetweenTrials = std::chrono::milliseconds(200);
  static constexpr std::chrono::nanoseconds kLongestPause = std::chrono::seconds(10);

  /// Leaves the thread all CPUs but this one; false if there are no others.
  bool exclude(int cpu) {
    cpu_set_t present;
    if (::sched_getaffinity(0, sizeof present, &present) != 0) return false;
    // Another set than ours is the choice of somebody else.
    if (!CPU_EQUAL(&present, &others_)) usable_ = present;
    others_ = usable_;
    CPU_CLR(static_cast<size_t>(cpu), &others_);
    return CPU_COUNT(&others_) > 0 && ::sched_setaffinity(0, sizeof others_, &others_) == 0;
  }

  void release() {
    is_restricted_ = false;
    cpu_set_t present;
    const bool is_ours =
        ::sched_getaffinity(0, sizeof present, &present) == 0 && CPU_EQUAL(&present, &others_) != 0;
    if (is_ours) ::sched_setaffinity(0, sizeof usable_, &usable_);
  }

  bool is_on_trial_ = false;
  bool is_restricted_ = false;
  std::chrono::nanoseconds wanted_{0};
  std::chrono::nanoseconds got_{0};
  std::chrono::nanoseconds pause_ = kTrial;
  std::chrono::nanoseconds used_before_{0};
  Clock::time_point began_;
  Clock::time_point next_move_;
  Clock::time_point next_trial_;
  cpu_set_t usable_{};
  cpu_set_t others_{};
};

enum Word : int { idle, posted, asleep, stopping };

struct Block {
  int64_t begin;
  int64_t end;
};

Block block_of(int64_t tasks, int64_t count, int64_t index) {
  return {chunk_begin(tasks, count, index), chunk_begin(tasks, count, index + 1)};
}

}  // namespace

struct ThreadPool::State {
  // 64 bytes is the line of common processors.
  struct alignas(64) Worker {
    std::atomic<int> word{idle};  // An int, because those are waited for by a system call directly.
    std::thread thread;
  };

  // What is left of a thread's block, and the lowest task that failed in that thread.
  struct alignas(64) Share {
    std::atomic<int64_t> taken{0};
    int64_t failed = kNone;
    std::exception_ptr failure;
  };

  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  explicit State(int threads)
      : workers(static_cast<size_t>(threads - 1)), shares(static_cast<size_t>(threads)) {}

  std::vector<Worker> workers;  // Worker i is thread i + 1; the caller is thread 0.
  std::vector<Share> shares;    // By thread.
  std::atomic<bool> is_busy{false};
  std::atomic<int> pending{0};  // Workers that were called and are not done.
  std::atomic<int64_t> failed{kNone};
  const ThreadTaskFn* body = nullptr;
  int64_t tasks = 0;
  int64_t blocks = 0;
  int caller_cpu = -1;
  bool is_placed = false;  // The user chose CPUs for the workers.

  // Runs the thread's own block, then what is left of the others. Returns false if the thread's turn
  // ended before.
  bool run_blocks(int64_t thread, Turn* turn) {
    for (int64_t i = 0; i < blocks; ++i) {
      if (!run_block((thread + i) % blocks, thread, turn)) return false;
    }
    return true;
  }

  // Tasks of a block are taken in order, so what is left once one is above a failure is so too.
  bool run_block(int64_t index, int64_t thread, Turn* turn) {
    const Block block = block_of(tasks, blocks, index);
    const int64_t count = block.end - block.begin;
    std::atomic<int64_t>& taken = shares[static_cast<size_t>(index)].taken;
    while (taken.load(std::memory_order_relaxed) < count) {
      if (turn != nullptr && turn->is_over()) return false;
      const int64_t task = block.begin + taken.fetch_add(1, std::memory_order_relaxed);
      if (task >= block.end || task > failed.load(std::memory_order_relaxed)) return true;
      try {
        (*body)(task, thread);
      } catch (...) {
        keep_failure(task, thread);
      }
    }
    return true;
  }

  // Every task below the lowest failure runs, so the lowest failure is always found.
  void keep_failure(int64_t task, int64_t thread) {
    Share& share = shares[static_cast<size_t>(thread)];
    if (task >= share.failed) return;
    share.failed = task;
    share.failure = std::current_exception();
    int64_t lowest = failed.load(std::memory_order_relaxed);
    while (task < lowest &&
           !failed.compare_exchange_weak(lowest, task, std::memory_order_relaxed)) {
    }
  }

  // Takes the call from the worker's word; false if another thread has.
  bool take_call(size_t index) {
    int expected = posted;
    return workers[index].word.compare_exchange_strong(expected, idle, std::memory_order_acquire);
  }

  void work(size_t index) {
    std::atomic<int>& word = workers[index].word;
    Turn turn;
    turn.begin();
    Placement placement;
    for (;;) {
      const bool is_called = spin_until([&] {
        const int seen = word.load(std::memory_order_relaxed);
        return seen == posted || seen == stopping;
      });
      if (!is_called) {
        int expected = idle;
        word.compare_exchange_strong(expected, asleep, std::memory_order_relaxed);
        // Returns at once if the word has changed.
        word.wait(asleep, std::memory_order_relaxed);
        turn.begin();
      }
      if (take_call(index)) {
        help(index, turn, placement);
      } else if (word.load(std::memory_order_relaxed) == stopping) {
        return;
      }
    }
  }

  // Works on the job until no task is left; or until the turn ends, and then asks itself to go on.
  void help(size_t index, Turn& turn, Placement& placement) {
    if (!is_placed) placement.begin_job(caller_cpu);
    const bool is_done = run_blocks(static_cast<int64_t>(index) + 1, &turn);
    if (!is_placed) placement.end_job();
    if (!is_done) {
      workers[index].word.store(posted, std::memory_order_release);
    } else if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      pending.notify_one();
    }
    if (turn.is_over()) turn.pass_on();
  }

  void post(size_t index, Word value) {
    std::atomic<int>& word = workers[index].word;
    if (word.exchange(value, std::memory_order_release) == asleep) word.notify_one();
  }

  // Calls nobody to help any more.
  void withdraw_calls(size_t helpers) {
    for (size_t i = 0; i < helpers; ++i) {
      if (workers[i].word.load(std::memory_order_relaxed) == posted && take_call(i)) {
        pending.fetch_sub(1, std::memory_order_relaxed);
      }
    }
  }

  void wait_for_workers(size_t helpers) {
    const bool are_done = spin_until([&] {
      withdraw_calls(helpers);  // Of workers that have just left for a while.
      return pending.load(std::memory_order_acquire) == 0;
    });
    if (are_done) return;
    for (int left = pending.load(std::memory_order_acquire); left != 0;
         left = pending.load(std::memory_order_acquire)) {
      pending.wait(left, std::memory_order_acquire);
    }
  }

  // The failure of the lowest task, or null. Leaves none behind.
  std::exception_ptr take_failure() {
    if (failed.load(std::memory_order_relaxed) == kNone) return nullptr;
    std::exception_ptr lowest;
    for (Share& share : shares) {
      std::exception_ptr failure = std::exchange(share.failure, nullptr);
      if (std::exchange(share.failed, kNone) == failed.load(std::memory_order_relaxed)) {
        lowest = std::move(failure);
      }
    }
    failed.store(kNone, std::memory_order_relaxed);
    return lowest;
  }

  void run(int64_t task_count, int64_t threads, const ThreadTaskFn& task_body) {
    tasks = task_count;
    body = &task_body;
    caller_cpu = ::sched_getcpu();
    blocks = std::min({task_count, threads, static_cast<int64_t>(shares.size())});
    for (int64_t i = 0; i < blocks; ++i) {
      shares[static_cast<size_t>(i)].taken.store(0, std::memory_order_relaxed);
    }
    const auto helpers = static_cast<size_t>(blocks - 1);
    pending.store(static_cast<int>(helpers), std::memory_order_relaxed);
    for (size_t i = 0; i < helpers; ++i) post(i, posted);
    run_blocks(0, nullptr);
    wait_for_workers(helpers);
    const std::exception_ptr failure = take_failure();
    is_busy.store(false, std::memory_order_release);
    if (failure) std::rethrow_exception(failure);
  }
};

namespace {

cpu_set_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) CPU_ZERO(&set);
  return set;
}

void require_usable(std::span<const int> cpus) {
  const cpu_set_t usable = usable_cpus();
  for (const int cpu : cpus) {
    require(cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &usable),
            "threads must stay on CPUs that this process may use, not on", cpu);
  }
}

/// A thread that the system does not keep there still works.
void keep_on(std::thread& thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (::pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set) != 0) {
    log(LogLevel::warning, "a thread could not be kept on CPU " + std::to_string(cpu));
  }
}

}  // namespace

ThreadPool::ThreadPool(int threads, std::span<const int> cpus)
    : state_(std::make_unique<State>(
          std::min(kMostThreads, threads > 0 ? threads : available_cpus()))) {
  require_usable(cpus);
  state_->is_placed = !cpus.empty();
  std::vector<State::Worker>& workers = state_->workers;
  const size_t wanted = workers.size() + 1;
  for (size_t i = 0; i < workers.size(); ++i) {
    try {
      workers[i].thread = std::thread([state = state_.get(), i] { state->work(i); });
      if (!cpus.empty()) keep_on(workers[i].thread, cpus[(i + 1) % cpus.size()]);
    } catch (const std::system_error& error) {
      // Workers use only their own words, so those that never started can be removed.
      while (workers.size() > i) workers.pop_back();
      log(LogLevel::warning,
          "only " + std::to_string(i + 1) + " of " + std::to_string(wanted) +
              " threads could be started, so that many will work: " + error.what());
    }
  }
}

ThreadPool::~ThreadPool() {
  for (size_t i = 0; i < state_->workers.size(); ++i) state_->post(i, stopping);
  for (State::Worker& worker : state_->workers) worker.thread.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::parallel(int64_t tasks, TaskFn body) {
  parallel_by_thread(tasks, threads(), [&](int64_t task, int64_t /*thread*/) { body(task); });
}

void ThreadPool::parallel_by_thread(int64_t tasks, int64_t threads, ThreadTaskFn body) {
  const bool is_alone = tasks <= 1 || threads <= 1 || state_->workers.empty();
  if (is_alone || state_->is_busy.exchange(true, std::memory_order_acquire)) {
    for (int64_t task = 0; task < tasks; ++task) body(task, 0);
    return;
  }
  state_->run(tasks, threads, body);
}

int64_t ThreadPool::worthwhile_threads(const ThreadPool* pool, double nanoseconds) {
  const double most = pool != nullptr ? pool->threads() : 1;
  return static_cast<int64_t>(std::clamp(nanoseconds / kHandoverNanoseconds, 1.0, most));
}

int64_t ThreadPool::worthwhile_tasks(const ThreadPool* pool, double nanoseconds) {
  const int64_t threads = worthwhile_threads(pool, nanoseconds);
  if (threads == 1) return 1;
  const double each = nanoseconds / static_cast<double>(threads) / kTaskNanoseconds;
  return threads * static_cast<int64_t>(std::clamp(each, 1.0, kMostTasksPerThread));
}

namespace {

/// CPUs' worth of time that the control group of this process gets, rounded up; nothing if it is not
/// limited. "max 100000" and "150000 100000" are microseconds of a period.
std::optional<int> quota_cpus() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  int64_t period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  const std::optional<int64_t> time = parse_int(quota);
  if (!time || *time <= 0) return std::nullopt;
  return static_cast<int>(std::min<int64_t>((*time + period - 1) / period, INT_MAX));
}

}  // namespace

int ThreadPool::available_cpus() {
  const cpu_set_t set = usable_cpus();
  int cpus = CPU_COUNT(&set);
  if (cpus == 0) cpus = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, std::min(cpus, quota_cpus().value_or(cpus)));
}

}  // namespace litz
