// The cost of a replay on the host besides the kernels: per step, launch and patch, and of handing
// a block to another thread.
//
// Usage: bench_launch_list

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/cpu/host_device.h"
#include "runtime/program/bound_list.h"
#include "support/thread_pool.h"

namespace {

using litz::runtime::GraphBuilder;
using litz::runtime::GraphExec;
using litz::runtime::HostDevice;
using litz::runtime::NodeId;
using Clock = std::chrono::steady_clock;

// The least work of a kernel that is not empty.
int32_t increment(const litz::artifact::KernelArguments* arguments, int64_t, int64_t) {
  *static_cast<int64_t*>(arguments->buffers[0]) += arguments->scalars[0];
  return 0;
}

// Nanoseconds of one call: the median of many rounds.
template <typename Action>
double nanoseconds(int rounds, int calls, const Action& action) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point begin = Clock::now();
    for (int call = 0; call < calls; ++call) action();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls);
  }
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[static_cast<size_t>(rounds) / 2];
}

std::unique_ptr<GraphExec> chain(HostDevice& device, int steps, int64_t& counter) {
  const litz::runtime::KernelId kernel =
      device.add_kernel({.name = "increment", .phases = {{.function = increment}}, .checks = {}});
  const std::unique_ptr<GraphBuilder> graph = device.begin();
  const litz::runtime::Ref pointer{0, 0};
  const int64_t one = 1;
  std::vector<NodeId> last;
  for (int step = 0; step < steps; ++step) {
    last = {graph->kernel(last, {kernel, {&pointer, 1}, {&one, 1}, {&one, 1}, {}})};
  }
  const litz::runtime::Binding binding{reinterpret_cast<std::byte*>(&counter), sizeof(counter)};
  return device.instantiate(*graph, {&binding, 1});
}

void measure_replay() {
  HostDevice device;
  int64_t counter = 0;
  for (const int steps : {1, 10, 100, 1000, 10000}) {
    const std::unique_ptr<GraphExec> exec = chain(device, steps, counter);
    const double launch = nanoseconds(51, std::max(1, 20000 / steps), [&] { exec->launch({}); });
    std::printf("replay of %5d steps: %10.1f ns, %5.2f ns a step\n", steps, launch, launch / steps);
  }
  const std::unique_ptr<GraphExec> exec = chain(device, 10, counter);
  const litz::runtime::Patch patch =
      litz::runtime::BindBuffer{0, {reinterpret_cast<std::byte*>(&counter), sizeof(counter)}};
  const double time = nanoseconds(51, 2000, [&] { exec->patch({&patch, 1}); });
  std::printf("patch of a buffer with 10 uses: %.1f ns\n", time);
}

litz::artifact::Program program_of(litz::artifact::LaunchList list) {
  litz::artifact::Program program;
  program.signature.inputs.resize(list.inputs.size());
  program.signature.outputs.resize(list.outputs.size());
  program.lists.push_back(std::move(list));
  return program;
}

// A whole call of a bound list: placing an input, a fresh output, one launch, the result.
void measure_call() {
  using litz::artifact::StorageKind;
  HostDevice device;
  const litz::TensorType row = litz::contiguous_type(litz::DType::f32, {16});
  litz::artifact::LaunchList list;
  list.storages = {{.name = "x", .kind = StorageKind::input, .bytes = 64},
                   {.name = "y", .kind = StorageKind::output, .bytes = 64}};
  list.launches = {{.work = litz::artifact::CopyLaunch{.to = {1, 0}, .from = {0, 0}, .bytes = 64},
                    .accesses = {{{0, 0}, 64, false}, {{1, 0}, 64, true}}}};
  list.outputs = {litz::artifact::TensorSlot{{1, 0}, row}};
  list.inputs = {row};
  const litz::runtime::LoadedProgram loaded(program_of(list), device);
  litz::runtime::BoundList bound(loaded, loaded.program().lists[0], {}, {});
  const std::vector<litz::runtime::Value> inputs{litz::Tensor::zeros(litz::DType::f32, {16})};
  const double time = nanoseconds(51, 2000, [&] { bound.run(inputs); });
  std::printf("call of a bound list, one input, one output, one launch: %.1f ns\n", time);
}

/// Products in a row, all of [rows, depth] and [depth, columns] at the begin of the arena.
litz::artifact::LaunchList products(int count, int64_t rows, int64_t depth, int64_t columns) {
  using litz::artifact::TensorSlot;
  const auto matrix = [](int64_t a, int64_t b) {
    return litz::contiguous_type(litz::DType::f32, {a, b});
  };
  litz::artifact::LaunchList list;
  list.storages = {{.name = "l", .offset = 0, .bytes = 4096, .last = count - 1},
                   {.name = "r", .offset = 4096, .bytes = 4096, .last = count - 1},
                   {.name = "p", .offset = 8192, .bytes = 4096, .last = count - 1}};
  list.arena_bytes = 3 * 4096;
  for (int i = 0; i < count; ++i) {
    list.launches.push_back({.work = litz::artifact::LibraryLaunch{
                                 .function = "matmul",
                                 .arguments = {TensorSlot{{0, 0}, matrix(rows, depth)},
                                               TensorSlot{{1, 0}, matrix(depth, columns)}},
                                 .results = {{{2, 0}, matrix(rows, columns)}}}});
  }
  return list;
}

// A step that calls the library: with an empty function, and with the least work.
void measure_library() {
  struct Shape {
    int64_t rows, depth, columns;
  };

  constexpr int kSteps = 100;
  for (const Shape& shape : {Shape{0, 4, 4}, Shape{1, 1, 1}, Shape{1, 4, 4}, Shape{8, 8, 8}}) {
    HostDevice device;
    const auto library = device.make_library({});
    const litz::runtime::ListMemory memory{.library = library.get()};
    const auto time = [&](int steps) {
      const litz::runtime::LoadedProgram loaded(
          program_of(products(steps, shape.rows, shape.depth, shape.columns)), device);
      litz::runtime::BoundList bound(loaded, loaded.program().lists[0], {}, memory);
      return nanoseconds(51, 500, [&] { bound.run({}); });
    };
    const double first = time(1);
    std::printf("product [%ld, %ld] x [%ld, %ld]: %.1f ns a step\n", shape.rows, shape.depth,
                shape.depth, shape.columns, (time(1 + kSteps) - first) / kSteps);
  }
}

// Time from the call until another thread has begun its task.
double hand_over(litz::ThreadPool& pool) {
  std::atomic<bool> has_begun{false};
  const Clock::time_point begin = Clock::now();
  Clock::time_point there;
  pool.parallel(2, [&](int64_t task) {
    if (task == 1) {
      there = Clock::now();
      has_begun = true;
    } else {
      while (!has_begun) std::this_thread::yield();
    }
  });
  return std::chrono::duration<double, std::micro>(there - begin).count();
}

void measure_threads() {
  litz::ThreadPool pool(2);
  for (const bool is_asleep : {false, true}) {
    std::vector<double> times;
    for (int round = 0; round < 501; ++round) {
      if (is_asleep) std::this_thread::sleep_for(std::chrono::microseconds(500));
      times.push_back(hand_over(pool));
    }
    std::ranges::sort(times);
    std::printf("another thread %s: begins after %.2f us (median), %.2f us (best tenth)\n",
                is_asleep ? "asleep  " : "spinning", times[250], times[50]);
  }
}

}  // namespace

int main() {
  measure_replay();
  measure_call();
  measure_library();
  measure_threads();
  return 0;
}
