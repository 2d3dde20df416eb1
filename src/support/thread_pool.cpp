// Loops are posted as jobs on the stack of their caller. Workers and the caller claim piece numbers
// from the job; a worker holds a job only between entering and leaving it under the mutex, so the
// caller can drop it as soon as nobody is inside. Idle workers spin briefly before they sleep,
// because kernels follow each other within microseconds.

#include "support/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace litz {
namespace {

// About 20 us: longer than the gap between two kernels, short beside a scheduler's time slice.
constexpr int kSpins = 2000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

struct Job {
  ThreadPool::PieceFn body;
  int64_t pieces;
  std::atomic<int64_t> next{0};
  std::atomic<int> workers_inside{0};  // Changed under the pool's mutex.
  std::mutex failure_mutex;
  std::exception_ptr failure;

  bool has_work() const { return next.load(std::memory_order_relaxed) < pieces; }

  void run() {
    for (;;) {
      const int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) return;
      try {
        body(piece);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        // Pieces not yet started are dropped: their result would be thrown away.
        next.store(pieces, std::memory_order_relaxed);
      }
    }
  }
};

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work_posted;
  std::condition_variable job_left;
  std::vector<Job*> jobs;
  // The number of posts so far: spinning workers watch it instead of the mutex.
  std::atomic<uint64_t> posts{0};
  std::atomic<bool> stopping{false};
  std::vector<std::jthread> workers;

  Job* job_with_work() const {
    const auto found = std::ranges::find_if(jobs, &Job::has_work);
    return found == jobs.end() ? nullptr : *found;
  }

  void work() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      if (Job* const job = job_with_work()) {
        job->workers_inside.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
        job->run();
        lock.lock();
        // The release pairs with the caller's acquire: what the pieces wrote is visible to it.
        if (job->workers_inside.fetch_sub(1, std::memory_order_release) == 1) {
          job_left.notify_all();
        }
        continue;
      }
      const uint64_t seen = posts.load(std::memory_order_relaxed);
      lock.unlock();
      for (int i = 0; i < kSpins && posts.load(std::memory_order_relaxed) == seen; ++i) pause();
      lock.lock();
      if (posts.load(std::memory_order_relaxed) == seen && !stopping) {
        work_posted.wait(lock, [&] { return posts != seen || stopping; });
      }
    }
  }

  void post(Job& job) {
    {
      const std::lock_guard lock(mutex);
      jobs.push_back(&job);
      posts.fetch_add(1, std::memory_order_relaxed);
    }
    work_posted.notify_all();
  }

  // Takes the job off the list and waits until no worker is inside it.
  void retire(Job& job) {
    {
      const std::lock_guard lock(mutex);
      std::erase(jobs, &job);
    }
    for (int i = 0; i < kSpins; ++i) {
      if (job.workers_inside.load(std::memory_order_acquire) == 0) break;
      pause();
    }
    // Also taken when the spin saw zero: the last worker may still hold the mutex.
    std::unique_lock lock(mutex);
    job_left.wait(lock, [&] { return job.workers_inside.load(std::memory_order_acquire) == 0; });
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  const int count = threads > 0 ? threads : available_cpus();
  for (int i = 1; i < count; ++i) {
    state_->workers.emplace_back([state = state_.get()] { state->work(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->work_posted.notify_all();
  state_->workers.clear();  // Joins.
}

int ThreadPool::size() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::parallel_for(int64_t count, int64_t grain, RangeFn body) {
  if (count <= 0) return;
  const int64_t most = std::max<int64_t>(1, count / std::max<int64_t>(1, grain));
  const int64_t pieces = std::min<int64_t>(size(), most);
  if (pieces == 1) return body(0, count);
  // The first `longer` pieces take one element more; no product that could overflow.
  const int64_t length = count / pieces;
  const int64_t longer = count % pieces;
  parallel_pieces(pieces, [&](int64_t piece) {
    const int64_t begin = piece * length + std::min(piece, longer);
    body(begin, begin + length + (piece < longer ? 1 : 0));
  });
}

void ThreadPool::parallel_pieces(int64_t pieces, PieceFn body) {
  if (pieces <= 1 || state_->workers.empty()) {
    for (int64_t piece = 0; piece < pieces; ++piece) body(piece);
    return;
  }
  Job job{.body = body, .pieces = pieces, .failure_mutex = {}, .failure = {}};
  state_->post(job);
  job.run();
  state_->retire(job);
  if (job.failure) std::rethrow_exception(job.failure);
}

int ThreadPool::available_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace litz
