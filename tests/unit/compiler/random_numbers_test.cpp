// Programs that draw random numbers are bound once; the seed is told with every call.

#include <algorithm>
#include <cstring>
#include <latch>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "compiler/compile_report.h"
#include "compiler/executable.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

constexpr int kCalls = 20;

// Numbers in a kernel of their own, in one with others, in the epilogue of a product.
constexpr char kText[] = R"(
sym s0 in [1, 64] hint 8
graph @main(%x: f32[s0, 32], %w: f32[32, 32]) -> (f32[s0, 32], f32[s0, 32], f32[s0, 32]) {
  %r = aten.rand_like(%x)
  %d = aten.dropout(%x, 0.5, true)
  %h = aten.linear(%x, %w)
  %e = aten.dropout(%h, 0.25, true)
  return %r, %d, %e
})";

std::vector<Leaf> inputs_of(int64_t rows) {
  return {fill_floats(DType::f32, {rows, 32}, 1, 1, 0), fill_floats(DType::f32, {32, 32}, 2, 1, 0)};
}

std::string bytes_of(const std::vector<Leaf>& leaves) {
  std::string bytes;
  for (const Leaf& leaf : leaves) {
    const Tensor tensor = std::get<Tensor>(leaf).contiguous();
    bytes.append(reinterpret_cast<const char*>(tensor.data()),
                 static_cast<size_t>(tensor.numel() * item_size(tensor.dtype())));
  }
  return bytes;
}

std::vector<std::string> calls(Executable& executable, int64_t rows) {
  std::vector<std::string> results;
  for (int call = 0; call < kCalls; ++call) {
    results.push_back(bytes_of(executable.run(inputs_of(rows))));
  }
  return results;
}

void expect_near(Executable& have, Executable& want) {
  for (int call = 0; call < 3; ++call) {
    const std::vector<Leaf> h = have.run(inputs_of(5));
    const std::vector<Leaf> w = want.run(inputs_of(5));
    for (size_t i = 0; i < h.size(); ++i) {
      const auto* a = reinterpret_cast<const float*>(std::get<Tensor>(h[i]).data());
      const auto* b = reinterpret_cast<const float*>(std::get<Tensor>(w[i]).data());
      for (int64_t k = 0; k < 5 * 32; ++k) ASSERT_NEAR(a[k], b[k], 1e-4) << i << " " << k;
    }
  }
}

TEST(RandomNumbers, ArePlannedAndAsInterpreted) {
  Executable planned(text_program(kText), {.keep_report = true});
  EXPECT_EQ(planned.report(inputs_of(5)).memory.reason_not_planned, "");
  Executable interpreted(text_program(kText),
                         {.executor = ExecutorKind::interpreter, .fuse = false});
  expect_near(planned, interpreted);
}

TEST(RandomNumbers, DifferByCallAndRepeatByProgram) {
  Executable first(text_program(kText), {.threads = 1});
  Executable second(text_program(kText), {.threads = 3});
  const std::vector<std::string> results = calls(first, 8);
  EXPECT_EQ(std::set(results.begin(), results.end()).size(), results.size());
  EXPECT_EQ(calls(second, 8), results);
}

TEST(RandomNumbers, OfCallsAtTheSameTime) {
  Executable alone(text_program(kText), {.threads = 1});
  std::vector<std::string> expected = calls(alone, 8);
  Executable shared(text_program(kText), {.threads = 1});
  std::vector<std::string> results(kCalls);
  constexpr int kThreads = 4;
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int call = thread; call < kCalls; call += kThreads) {
        results[static_cast<size_t>(call)] = bytes_of(shared.run(inputs_of(8)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Which call came first is not known; every seed was used once.
  std::ranges::sort(expected);
  std::ranges::sort(results);
  EXPECT_EQ(results, expected);
}

// One graph, run for every row.
TEST(RandomNumbers, IterationsOfALoopDrawTheirOwn) {
  const char* text = R"(
graph @main(%x: f32[4, 8]) -> (f32[4, 8]) {
  %y = higher_order.map_impl(body=@body, xs=[%x]) : f32[4, 8]
  return %y
}
graph @body(%x: f32[8]) -> (f32[8]) {
  %r = aten.rand_like(%x)
  return %r
})";
  for (const ExecutorKind kind : {ExecutorKind::cpu, ExecutorKind::interpreter}) {
    Executable executable(text_program(text), {.executor = kind, .threads = 1});
    std::set<std::string> rows;
    for (int call = 0; call < 2; ++call) {
      const std::string bytes =
          bytes_of(executable.run(std::vector<Leaf>{fill_floats(DType::f32, {4, 8}, 1, 1, 0)}));
      for (size_t row = 0; row < 4; ++row) rows.insert(bytes.substr(row * 32, 32));
    }
    EXPECT_EQ(rows.size(), 8U);
  }
}

}  // namespace
}  // namespace litz::compiler
