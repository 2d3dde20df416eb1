// One job at a time. Each worker has its own word on its own cache line. The caller posts a block
// there; the first thread that changes the word from `posted` to `idle`, worker or caller, runs the
// block. The job's data is read only after that, and changes only when all blocks are done. So a
// worker that wakes up late finds either nothing or the next job, never a stale one.
//
//   idle -> posted           the caller
//   posted -> idle           the worker, or the caller when its own block is done
//   idle -> asleep -> posted the worker after spinning; the caller, which then wakes it

#include "support/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <exception>
#include <fstream>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
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

enum Word : int { idle, posted, asleep, stopping };

struct Block {
  int64_t begin;
  int64_t end;
};

// The `index`th of `count` blocks: the first ones are one task longer. No product, so no overflow.
Block block_of(int64_t tasks, int64_t count, int64_t index) {
  const int64_t length = tasks / count;
  const int64_t longer = tasks % count;
  const int64_t begin = index * length + std::min(index, longer);
  return {begin, begin + length + (index < longer ? 1 : 0)};
}

}  // namespace

struct ThreadPool::State {
  // 64 bytes is the line of common processors.
  struct alignas(64) Worker {
    std::atomic<int> word{idle};  // An int, because those are waited for by a system call directly.
    std::exception_ptr failure;   // Of its block; written by the thread that runs it.
    std::thread thread;
  };

  explicit State(int threads) : workers(static_cast<size_t>(threads - 1)) {}

  std::vector<Worker> workers;  // Worker i runs block i + 1; the caller runs block 0.
  std::atomic<bool> is_busy{false};
  std::atomic<int> pending{0};  // Posted blocks that are not done.
  const TaskFn* body = nullptr;
  int64_t tasks = 0;
  int64_t blocks = 0;

  // Takes and runs the worker's block unless another thread has; false then.
  bool try_run(size_t index) {
    Worker& worker = workers[index];
    int expected = posted;
    if (!worker.word.compare_exchange_strong(expected, idle, std::memory_order_acquire)) {
      return false;
    }
    try {
      const Block block = block_of(tasks, blocks, static_cast<int64_t>(index) + 1);
      for (int64_t task = block.begin; task < block.end; ++task) (*body)(task);
    } catch (...) {
      worker.failure = std::current_exception();
    }
    if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1) pending.notify_one();
    return true;
  }

  void work(size_t index) {
    std::atomic<int>& word = workers[index].word;
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
      }
      if (!try_run(index) && word.load(std::memory_order_relaxed) == stopping) return;
    }
  }

  void post(size_t index, Word value) {
    std::atomic<int>& word = workers[index].word;
    if (word.exchange(value, std::memory_order_release) == asleep) word.notify_one();
  }

  // Runs the caller's share; the exception that ends it, or null.
  std::exception_ptr run_own_block() const {
    try {
      const Block block = block_of(tasks, blocks, 0);
      for (int64_t task = block.begin; task < block.end; ++task) (*body)(task);
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  void wait_for_workers() {
    if (spin_until([&] { return pending.load(std::memory_order_acquire) == 0; })) return;
    for (int left = pending.load(std::memory_order_acquire); left != 0;
         left = pending.load(std::memory_order_acquire)) {
      pending.wait(left, std::memory_order_acquire);
    }
  }

  void run(int64_t task_count, const TaskFn& task_body) {
    tasks = task_count;
    body = &task_body;
    blocks = std::min<int64_t>(task_count, static_cast<int64_t>(workers.size()) + 1);
    const auto helpers = static_cast<size_t>(blocks - 1);
    pending.store(static_cast<int>(helpers), std::memory_order_relaxed);
    for (size_t i = 0; i < helpers; ++i) post(i, posted);
    std::exception_ptr failure = run_own_block();
    for (size_t i = 0; i < helpers; ++i) try_run(i);
    wait_for_workers();
    // Blocks are in task order, so the first failure is that of the lowest task.
    for (size_t i = 0; i < helpers; ++i) {
      std::exception_ptr other = std::exchange(workers[i].failure, nullptr);
      if (!failure) failure = std::move(other);
    }
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
  const bool is_alone = tasks <= 1 || state_->workers.empty();
  if (is_alone || state_->is_busy.exchange(true, std::memory_order_acquire)) {
    for (int64_t task = 0; task < tasks; ++task) body(task);
    return;
  }
  state_->run(tasks, body);
}

int64_t ThreadPool::worthwhile_threads(const ThreadPool* pool, double nanoseconds) {
  const double most = pool != nullptr ? pool->threads() : 1;
  return static_cast<int64_t>(std::clamp(nanoseconds / kHandoverNanoseconds, 1.0, most));
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
