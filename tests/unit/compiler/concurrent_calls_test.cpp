// One executable, called by many threads at once from its first call on: results are those of calls
// one after the other. Run it under the thread sanitizer after changes of what calls share.

#include <algorithm>
#include <cstring>
#include <functional>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

constexpr int kThreads = 8;
constexpr int kCalls = 50;

// More sizes than an executor keeps programs for, so that programs are built and dropped all along.
constexpr int kSizes = 24;

Tensor numbers(std::vector<int64_t> sizes, uint64_t seed) {
  return fill_floats(DType::f32, std::move(sizes), seed, 1, 0);
}

// Inputs named in `weights` are parameters, the others are given by calls.
ir::Program program_of(const char* text, std::vector<Tensor> weights) {
  ir::Program program = text_program(text);
  for (size_t i = 0; i < weights.size(); ++i) {
    program.inputs[i].kind = ir::InputKind::parameter;
    program.inputs[i].target = program.graph().input(i).name();
    program.inputs[i].data = std::move(weights[i]);
  }
  return program;
}

const std::string kRefused = "refused: ";

std::string result_of(Executable& executable, const std::vector<Leaf>& inputs) {
  try {
    return bytes_of(executable.run(inputs));
  } catch (const Error& error) {
    return kRefused + error.what();
  }
}

/// What every call gave, by thread and call. All threads begin together.
std::vector<std::string> call_from_threads(
    Executable& executable, const std::function<std::vector<Leaf>(int thread, int call)>& inputs) {
  std::vector<std::string> results(size_t{kThreads} * kCalls);
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int call = 0; call < kCalls; ++call) {
        results[static_cast<size_t>(thread * kCalls + call)] =
            result_of(executable, inputs(thread, call));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

int64_t size_of(int thread, int call) { return 1 + (5 * thread + 7 * call) % kSizes; }

/// Every call must give what an executable of its own gives to one thread for the same size, and
/// that many sizes be refused.
void expect_as_one_by_one(const std::function<ir::Program()>& program, const Options& options,
                          const std::function<std::vector<Leaf>(int64_t size)>& inputs,
                          int64_t refused = 0) {
  Options alone_options = options;
  alone_options.threads = 1;
  Executable alone(program(), alone_options);
  std::vector<std::string> expected(kSizes + 1);
  for (int64_t size = 1; size <= kSizes; ++size) {
    expected[static_cast<size_t>(size)] = result_of(alone, inputs(size));
  }
  ASSERT_EQ(std::ranges::count_if(
                expected, [](const std::string& text) { return text.starts_with(kRefused); }),
            refused)
      << expected[1];
  Executable shared(program(), options);
  const std::vector<std::string> results = call_from_threads(
      shared, [&](int thread, int call) { return inputs(size_of(thread, call)); });
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int call = 0; call < kCalls; ++call) {
      const auto size = static_cast<size_t>(size_of(thread, call));
      ASSERT_EQ(results[static_cast<size_t>(thread * kCalls + call)], expected[size])
          << "thread " << thread << ", call " << call << ", size " << size;
    }
  }
}

// Library calls with constants that are packed at first use, and kernels between them.
ir::Program network() {
  return program_of(R"(
sym s0 in [1, 64]
graph @main(%w0: f32[96, 32], %b0: f32[96], %w1: f32[32, 96], %x: f32[s0, 32]) -> (f32[s0, 32]) {
  %h = aten.linear(%x, %w0, %b0)
  %g = aten.gelu(%h)
  %o = aten.linear(%g, %w1)
  %s = aten.softmax.int(%o, 1)
  return %s
})",
                    {numbers({96, 32}, 1), numbers({96}, 2), numbers({32, 96}, 3)});
}

std::vector<Leaf> rows(int64_t size) { return {numbers({size, 32}, static_cast<uint64_t>(size))}; }

TEST(ConcurrentCalls, OfPlannedProgramsAtManySizes) {
  expect_as_one_by_one(network, {.threads = 1}, rows);
}

TEST(ConcurrentCalls, ShareThePoolOfThreads) {
  expect_as_one_by_one(network, {.threads = 3}, rows);
}

TEST(ConcurrentCalls, OfInterpretedPrograms) {
  expect_as_one_by_one(network, {.executor = ExecutorKind::interpreter, .threads = 2}, rows);
}

TEST(ConcurrentCalls, OfInputsInOtherLayouts) {
  expect_as_one_by_one(network, {.threads = 2}, [](int64_t size) {
    const Tensor turned = numbers({32, size}, static_cast<uint64_t>(size));
    return std::vector<Leaf>{turned.view({size, 32}, {1, size}, 0)};
  });
}

// Sizes outside of the range are refused while other calls run.
TEST(ConcurrentCalls, OfWhichSomeFail) {
  const auto inputs = [](int64_t size) { return rows(size % 3 == 0 ? size + 64 : size); };
  expect_as_one_by_one(network, {.threads = 2}, inputs, kSizes / 3);
}

TEST(ConcurrentCalls, OfControlFlow) {
  const auto program = [] {
    return program_of(R"(
sym s0 in [1, 64]
graph @cond(%n: i64[], %x: f32[s0, 8]) -> (bool[]) {
  %p = aten.gt.Scalar(%n, 0)
  return %p
}
graph @body(%n: i64[], %x: f32[s0, 8]) -> (i64[], f32[s0, 8]) {
  %m = aten.sub.Tensor(%n, 1)
  %y = aten.sin(%x)
  return %m, %y
}
graph @main(%w: f32[8, 8], %n: i64[], %x: f32[s0, 8]) -> (i64[], f32[s0, 8]) {
  %y = aten.linear(%x, %w)
  %r:2 = higher_order.while_loop(@cond, @body, [%n, %y])
  return %r#0, %r#1
})",
                      {numbers({8, 8}, 1)});
  };
  expect_as_one_by_one(program, {.threads = 2}, [](int64_t size) {
    return std::vector<Leaf>{Tensor::scalar_int(DType::i64, size % 4),
                             numbers({size, 8}, static_cast<uint64_t>(size))};
  });
}

// Every call adds one to a buffer, and none is lost: which it was is what it gives.
TEST(ConcurrentCalls, LoseNoUpdates) {
  for (const ExecutorKind kind : {ExecutorKind::cpu, ExecutorKind::interpreter}) {
    ir::Program program = program_of(R"(
graph @main(%c: f32[4], %x: f32[4]) -> (f32[4], f32[4]) {
  %s = aten.add.Tensor(%c, %x)
  %t = aten.mul.Tensor(%s, 1.0)
  return %s, %t
})",
                                     {});
    program.inputs[0] = {.kind = ir::InputKind::buffer,
                         .target = "c",
                         .label = "c",
                         .data = Tensor::zeros(DType::f32, {4})};
    program.outputs[0] = {.kind = ir::OutputKind::buffer_mutation, .input = 0};
    Executable shared(std::move(program), {.executor = kind, .threads = 1});
    const Tensor one = Tensor::of<float>(DType::f32, {4}, {1, 1, 1, 1});
    constexpr int kUpdates = 200;
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const std::vector<Leaf> inputs{one};
        for (int call = 0; call < kUpdates; ++call) shared.run(inputs);
      });
    }
    for (std::thread& thread : threads) thread.join();
    const std::vector<Leaf> last = shared.run(std::vector<Leaf>{Tensor::zeros(DType::f32, {4})});
    EXPECT_EQ(std::get<Tensor>(last[0]).at({3}), kThreads * kUpdates);  // 1600
  }
}

// Every call draws the numbers of one seed, whichever thread it comes from.
TEST(ConcurrentCalls, DrawEachSeedOnce) {
  const auto program = [] {
    return program_of(R"(
graph @main(%x: f32[4]) -> (f32[4]) {
  %r = aten.rand([4])
  %s = aten.add.Tensor(%x, %r)
  return %s
})",
                      {});
  };
  const std::vector<Leaf> inputs{numbers({4}, 1)};
  Executable alone(program(), {.threads = 1});
  std::vector<std::string> expected;
  for (int i = 0; i < kThreads * kCalls; ++i) expected.push_back(result_of(alone, inputs));
  Executable shared(program(), {.threads = 2});
  std::vector<std::string> results = call_from_threads(shared, [&](int, int) { return inputs; });
  std::ranges::sort(expected);
  EXPECT_EQ(std::ranges::adjacent_find(expected), expected.end());  // No two alike, no errors.
  std::ranges::sort(results);
  EXPECT_EQ(results, expected);
}

}  // namespace
}  // namespace litz::compiler
