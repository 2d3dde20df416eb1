// What a busy neighbour costs: kernels that two threads share, alone and beside a process that keeps
// one of their two CPUs busy.
//
//   busy_neighbour [CPU CPU]      0 1 unless given; the neighbour is on the second one
//
// Shown is the time of kernels of some length, as a multiple of what two threads would take without
// any loss: 2 is the time of one thread. A neighbour that gets half of a CPU leaves 1.33.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support/thread_pool.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kCallMicroseconds = 30'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

volatile double sink = 0;

void work(int64_t steps) {
  double x = 1;
  for (int64_t i = 0; i < steps; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
}

/// The best of several tries, since others may run, too.
double steps_per_nanosecond() {
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    constexpr int64_t kSteps = 2'000'000;
    const Clock::time_point start = Clock::now();
    work(kSteps);
    best = std::max(best, kSteps / (1e9 * seconds_since(start)));
  }
  return best;
}

void stay_on(std::initializer_list<int> cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) std::perror("sched_setaffinity");
}

/// A process that never waits.
class Neighbour {
 public:
  explicit Neighbour(int cpu) : child_(::fork()) {
    if (child_ != 0) return;
    stay_on({cpu});
    for (;;) work(1000);
  }

  ~Neighbour() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

 private:
  pid_t child_;
};

/// The median over calls of a number of kernels.
double measured(litz::ThreadPool& pool, double kernel_microseconds, double speed) {
  const double nanoseconds = 1000 * kernel_microseconds;
  const int64_t tasks = litz::ThreadPool::worthwhile_tasks(&pool, nanoseconds);
  const auto steps = static_cast<int64_t>(nanoseconds * speed / static_cast<double>(tasks));
  const int kernels = std::max(1, static_cast<int>(2 * kCallMicroseconds / kernel_microseconds));
  std::vector<double> times;
  for (const Clock::time_point start = Clock::now();
       times.size() < 5 || seconds_since(start) < 1;) {
    const Clock::time_point call = Clock::now();
    for (int i = 0; i < kernels; ++i) pool.parallel(tasks, [&](int64_t /*task*/) { work(steps); });
    times.push_back(1e6 * seconds_since(call) / (kernels * kernel_microseconds / 2));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int first = argc > 2 ? std::atoi(argv[1]) : 0;
  const int second = argc > 2 ? std::atoi(argv[2]) : 1;
  stay_on({first, second});
  const double speed = steps_per_nanosecond();
  litz::ThreadPool pool(2);
  std::printf("%12s %10s %10s\n", "kernel", "alone", "beside");
  for (const double microseconds : {20.0, 100.0, 500.0, 5000.0, 30000.0}) {
    const double alone = measured(pool, microseconds, speed);
    const Neighbour neighbour(second);
    const double beside = measured(pool, microseconds, speed);
    std::printf("%9.0f us %10.2f %10.2f\n", microseconds, alone, beside);
    std::fflush(stdout);
  }
}
