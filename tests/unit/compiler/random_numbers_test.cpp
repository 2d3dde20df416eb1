// Programs that draw random numbers are bound once; the seed is told with every call.

#include <algorithm>
#include <cstring>
#include <latch>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "compiler/bisect/bisect.h"
#include "compiler/executable.h"
#include "compiler/report/compile_report.h"
#include "compiler/stored_program.h"
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
      const size_t first = bytes.size() - size_t{4} * 32;  // After the sizes.
      for (size_t row = 0; row < 4; ++row) rows.insert(bytes.substr(first + row * 32, 32));
    }
    EXPECT_EQ(rows.size(), 8U);
  }
}

// --- seeds

// Draws whose numbers are the same bits however they are computed: no elementary functions.
constexpr char kExact[] = R"(
graph @main(%x: f32[8, 32], %p: f32[8, 32]) -> (f32[8, 32], f32[8, 32], i64[8, 32], f32[8, 32], i64[40]) {
  %unread = aten.rand([64])
  %r = aten.rand_like(%x)
  %d = aten.dropout(%x, 0.5, true)
  %i = aten.randint(1000, [8, 32])
  %b = aten.bernoulli(%p)
  %o = aten.randperm(40)
  return %r, %d, %i, %b, %o
})";

std::vector<Leaf> exact_inputs() {
  return {fill_floats(DType::f32, {8, 32}, 1, 1, 0),
          fill_floats(DType::f32, {8, 32}, 2, 0.5F, 0.5F)};
}

std::string drawn(Executable& executable) { return bytes_of(executable.run(exact_inputs())); }

TEST(RandomSeed, TellsTheNumbersOfEveryCall) {
  Executable first(text_program(kExact), {.threads = 1, .seed = 7});
  Executable same(text_program(kExact), {.threads = 2, .seed = 7});
  Executable other(text_program(kExact), {.threads = 1, .seed = 8});
  std::set<std::string> seen;
  for (int call = 0; call < 4; ++call) {
    const std::string bytes = drawn(first);
    EXPECT_EQ(drawn(same), bytes);
    seen.insert(bytes);
    seen.insert(drawn(other));
  }
  EXPECT_EQ(seen.size(), 8U);
}

TEST(RandomSeed, DrawsTheSameHoweverAProgramIsCompiled) {
  Executable reference(text_program(kExact), {.executor = ExecutorKind::interpreter,
                                              .threads = 1,
                                              .seed = 3,
                                              .optimize = false,
                                              .fuse = false});
  const std::string expected = drawn(reference);
  const std::vector<Options> ways{
      {.threads = 1, .seed = 3},
      {.threads = 4, .seed = 3},
      {.threads = 1, .seed = 3, .optimize = false},
      {.threads = 1, .seed = 3, .fuse = false},
      {.executor = ExecutorKind::interpreter, .threads = 1, .seed = 3},
      {.threads = 1, .seed = 3, .cuda_graphs = true},
      {.threads = 1, .seed = 3, .regional = true},
  };
  for (size_t i = 0; i < ways.size(); ++i) {
    Executable executable(text_program(kExact), ways[i]);
    EXPECT_EQ(drawn(executable), expected) << i;
  }
}

TEST(RandomSeed, StaysWithAFile) {
  Executable original(text_program(kExact), {.threads = 1, .seed = 5});
  const std::vector<std::byte> bytes = original.to_bytes();
  Executable loaded = load_program(bytes, nullptr, {.threads = 1, .seed = 5});
  for (int call = 0; call < 3; ++call) EXPECT_EQ(drawn(loaded), drawn(original)) << call;
}

// Marked nodes, and others around them, draw as without regions.
TEST(RandomSeed, RegionsDrawAsTheProgramDoes) {
  constexpr char kMarked[] = R"(
graph @main(%x: f32[8, 32], %p: f32[8, 32]) -> (f32[8, 32], f32[8, 32], f32[8, 32]) {
  %a = aten.rand_like(%x)
  %b = aten.dropout(%x, 0.5, true) #{compile_with_inductor = "0"}
  %c = aten.relu(%b) #{compile_with_inductor = "0"}
  %d = aten.bernoulli(%p)
  return %a, %c, %d
})";
  Executable whole(text_program(kMarked), {.threads = 1, .seed = 9});
  Executable regional(text_program(kMarked), {.threads = 1, .seed = 9, .regional = true});
  ASSERT_EQ(regional.regions().size(), 1U);
  for (int call = 0; call < 3; ++call) EXPECT_EQ(drawn(regional), drawn(whole)) << call;
}

// A graph that is called twice draws twice; whether the calls are inlined changes nothing.
TEST(RandomSeed, CallsOfOneGraphDrawTheirOwn) {
  constexpr char kCalled[] = R"(
sym s0 in [1, 64]
graph @body(%x: f32[ROWS, 32]) -> (f32[ROWS, 32]) {
  %r = aten.rand_like(%x)
  return %r
}
graph @main(%x: f32[8, 32], %p: f32[8, 32]) -> (f32[8, 32], f32[8, 32]) {
  %a = higher_order.invoke_subgraph(@body, [%x])TYPE
  %b = higher_order.invoke_subgraph(@body, [%p])TYPE
  return %a, %b
})";
  const auto text = [&](std::string_view rows, std::string_view type) {
    std::string made = kCalled;
    for (const auto& [from, to] :
         {std::pair<std::string_view, std::string_view>("TYPE", type), {"ROWS", rows}}) {
      for (size_t at = made.find(from); at != std::string::npos; at = made.find(from)) {
        made.replace(at, from.size(), to);
      }
    }
    return made;
  };
  Executable inlined(text_program(text("8", "")), {.threads = 1});
  Executable called(text_program(text("s0", " : f32[8, 32]")), {.threads = 1});
  const std::vector<Leaf> results = inlined.run(exact_inputs());
  EXPECT_NE(bytes_of({results[0]}), bytes_of({results[1]}));
  EXPECT_EQ(drawn(called), bytes_of(results));
}

TEST(RandomSeed, LoopsDrawAlikeInAllExecutors) {
  constexpr char kLooped[] = R"(
graph @main(%x: f32[8, 32], %p: f32[8, 32]) -> (f32[8, 32]) {
  %y = higher_order.map_impl(body=@body, xs=[%x]) : f32[8, 32]
  return %y
}
graph @body(%x: f32[32]) -> (f32[32]) {
  %r = aten.rand_like(%x)
  return %r
})";
  Executable compiled(text_program(kLooped), {.threads = 1, .seed = 2});
  Executable interpreted(text_program(kLooped),
                         {.executor = ExecutorKind::interpreter, .threads = 1, .seed = 2});
  EXPECT_EQ(drawn(compiled), drawn(interpreted));
}

TEST(RandomSeed, BisectBlamesNobody) {
  for (const uint64_t seed : {0, 11}) {
    const BisectSubject subject = usual_subject([] { return text_program(kExact); }, exact_inputs(),
                                                {.threads = 1, .seed = seed}, nullptr);
    EXPECT_EQ(bisect(subject).culprit, Culprit::none);
  }
}

}  // namespace
}  // namespace litz::compiler
