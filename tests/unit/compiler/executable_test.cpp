// Programs: state that carries over, mutation of inputs, results that share nothing.

#include "compiler/executable.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using ir::InputKind;
using ir::OutputKind;
using ::testing::HasSubstr;

ir::Program program_of(const char* text, std::vector<ir::InputSpec> inputs,
                       std::vector<ir::OutputSpec> outputs) {
  ir::Program program;
  program.module = ir::read_module(text, ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.inputs = std::move(inputs);
  program.outputs = std::move(outputs);
  program.functional = true;
  return program;
}

Tensor floats(std::vector<int64_t> sizes, std::initializer_list<float> values) {
  return Tensor::of<float>(DType::f32, std::move(sizes), values);
}

double at(const Leaf& leaf, int64_t i) { return std::get<Tensor>(leaf).at({i}); }

std::vector<Leaf> call(Executable& executable, std::vector<Leaf> inputs) {
  return executable.run(inputs);
}

TEST(Executable, RefusesNumbersOfThreadsThatNobodyCanMean) {
  const auto program = [] {
    return program_of("graph @main(%x: f32[2]) -> (f32[2]) {\n  return %x\n}", {{.label = "x"}},
                      {{.kind = OutputKind::user}});
  };
  for (const int threads : {-1, 1025, 100000}) {
    try {
      const Executable executable(program(), {.threads = threads});
      ADD_FAILURE() << threads;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), HasSubstr("threads must be 0"));
      EXPECT_THAT(error.what(), HasSubstr(std::to_string(threads)));
    }
  }
}

// Phases are named in order, passes among them; calls have none.
TEST(Executable, NamesItsPhases) {
  std::mutex mutex;
  std::vector<std::string> phases;
  Options options{.threads = 1, .use_cache = false};
  options.on_phase = [&](std::string_view phase) {
    const std::lock_guard lock(mutex);
    phases.emplace_back(phase);
  };
  Executable executable(
      program_of("graph @main(%x: f32[2]) -> (f32[2]) {\n  %y = aten.exp(%x)\n  return %y\n}",
                 {{.label = "x"}}, {{.kind = OutputKind::user}}),
      options);
  const auto place_of = [&](std::string_view phase) {
    return std::ranges::find(phases, phase) - phases.begin();
  };
  EXPECT_LT(place_of("eliminate-dead-nodes"), place_of("lowering"));
  EXPECT_LT(place_of("lowering"), place_of("fusing"));
  EXPECT_LT(place_of("fusing"), place_of("compiling kernel 0 of 1"));
  EXPECT_LT(place_of("compiling kernel 0 of 1"), place_of("building the program"));
  EXPECT_LT(place_of("building the program"), static_cast<std::ptrdiff_t>(phases.size()));
  const size_t count = phases.size();
  call(executable, {floats({2}, {1, 2})});
  EXPECT_EQ(phases.size(), count);
}

constexpr const char* kCounter = R"(
graph @main(%count: f32[2], %x: f32[2]) -> (f32[2], f32[2]) {
  %next = aten.add.Tensor(%count, %x)
  return %next, %count
})";

Executable counter(const Tensor& initial) {
  return Executable(
      program_of(kCounter,
                 {{.kind = InputKind::buffer, .target = "count", .data = initial},
                  {.kind = InputKind::user, .label = "x"}},
                 {{.kind = OutputKind::buffer_mutation, .input = 0}, {.kind = OutputKind::user}}),
      {.verify = true});
}

TEST(Executable, BuffersCarryOverAndTheOriginalStays) {
  const Tensor initial = floats({2}, {1, 2});
  Executable executable = counter(initial);
  const Tensor x = floats({2}, {10, 20});
  EXPECT_EQ(at(call(executable, {x})[0], 0), 1);  // What was read, not what was written.
  EXPECT_EQ(at(call(executable, {x})[0], 0), 11);
  EXPECT_EQ(at(call(executable, {x})[0], 1), 42);
  EXPECT_EQ(initial.at({0}), 1);
}

TEST(Executable, ResultsDoNotChangeUnderLaterCalls) {
  Executable executable = counter(floats({2}, {1, 2}));
  const Leaf first = call(executable, {floats({2}, {10, 20})})[0];
  call(executable, {floats({2}, {10, 20})});
  EXPECT_EQ(at(first, 0), 1);
}

TEST(Executable, WritesTheCallersTensorAfterAllReads) {
  Executable executable(program_of(R"(
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %s = aten.add.Tensor(%x, %y)
  return %y, %x, %s
})",
                                   {{.label = "x"}, {.label = "y"}},
                                   {{.kind = OutputKind::input_mutation, .input = 0},
                                    {.kind = OutputKind::input_mutation, .input = 1},
                                    {.kind = OutputKind::user}}),
                        {});
  Tensor x = floats({2}, {1, 2});
  Tensor y = floats({2}, {3, 4});
  EXPECT_EQ(at(call(executable, {x, y})[0], 0), 4);
  EXPECT_EQ(x.at({0}), 3);  // Exchanged.
  EXPECT_EQ(y.at({0}), 1);
}

TEST(Executable, ResultsShareNothingWithInputsOrEachOther) {
  Executable executable(
      program_of(
          R"(
graph @main(%x: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %a = aten.neg(%x)
  return %x, %a, %a
})",
          {{.label = "x"}},
          {{.kind = OutputKind::user}, {.kind = OutputKind::user}, {.kind = OutputKind::user}}),
      {});
  Tensor x = floats({2}, {1, 2});
  const auto results = call(executable, {x});
  const auto storage = [&](size_t i) { return std::get<Tensor>(results[i]).storage(); };
  EXPECT_NE(storage(0), x.storage());
  EXPECT_NE(storage(1), storage(2));
  EXPECT_EQ(at(results[2], 1), -2);
}

TEST(Executable, SharedWeightsChangeTogether) {
  const Tensor both = floats({4}, {1, 2, 3, 4});
  Executable executable(
      program_of(R"(
graph @main(%a: f32[2], %b: f32[4]) -> (f32[2], f32[4]) {
  %next = aten.neg(%a)
  %seen = aten.clone(%b)
  return %next, %seen
})",
                 {{.kind = InputKind::buffer, .target = "a", .data = both.view({2}, {1}, 1)},
                  {.kind = InputKind::buffer, .target = "b", .data = both}},
                 {{.kind = OutputKind::buffer_mutation, .input = 0}, {.kind = OutputKind::user}}),
      {});
  call(executable, {});
  EXPECT_EQ(at(call(executable, {})[0], 1), -2);
}

// Whether it repeats one entry or keeps all, only the sizes of a call tell.
TEST(Executable, ExpandFromASizeThatMayBeTheTarget) {
  for (const ExecutorKind executor : {ExecutorKind::interpreter, ExecutorKind::cpu}) {
    Executable executable(
        program_of(R"(
sym s0 in [1, 100]
sym s1 in [1, 100]
graph @main(%x: f32[s0], %y: f32[s1]) -> (f32[s1]) {
  %e = aten.expand(%x, [s1])
  %z = aten.mul.Tensor(%e, %y)
  return %z
})",
                   {{.label = "x"}, {.label = "y"}}, {{.kind = OutputKind::user}}),
        {.executor = executor});
    const Leaf all = call(executable, {floats({3}, {1, 2, 3}), floats({3}, {10, 20, 30})})[0];
    EXPECT_EQ(at(all, 1), 40);
    EXPECT_EQ(at(all, 2), 90);
    const Leaf one = call(executable, {floats({1}, {5}), floats({3}, {10, 20, 30})})[0];
    EXPECT_EQ(at(one, 2), 150);
    try {
      call(executable, {floats({2}, {5, 6}), floats({3}, {10, 20, 30})});
      ADD_FAILURE() << "must be refused";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("expand: a size must be 1 or the expanded size"));
    }
  }
}

TEST(Executable, FixedValuesMustBePassedUnchanged) {
  Executable executable(
      program_of("graph @main(%x: f32[1], %flag: int(3)) -> (f32[1]) {\n  return %x\n}",
                 {{.label = "x"},
                  {.kind = InputKind::constant_value, .label = "flag", .literal = Expr(3)}},
                 {{.kind = OutputKind::user}}),
      {});
  const Tensor x = floats({1}, {1});
  EXPECT_EQ(at(call(executable, {x, int64_t{3}})[0], 0), 1);
  EXPECT_THROW(call(executable, {x, int64_t{4}}), Error);
  EXPECT_THROW(call(executable, {x}), Error);
}

TEST(Executable, GuardsHold) {
  ir::Program program = program_of(R"(
sym s0 in [1, 100]
graph @main(%x: f32[s0]) -> (f32[s0]) {
  %y = aten.neg(%x)
  return %y
})",
                                   {{.label = "x"}}, {{.kind = OutputKind::user}});
  const Expr s0 = *program.module->exprs().find_symbol("s0");
  program.guards.push_back({eq(mod(s0, 2), 0), "x.size()[0] % 2 == 0"});
  Executable executable(std::move(program), {});
  EXPECT_EQ(at(call(executable, {floats({2}, {1, 2})})[0], 1), -2);
  try {
    call(executable, {floats({1}, {1})});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.size(0) % 2 == 0"));
  }
}

TEST(Executable, MissingWeightsAreNamed) {
  try {
    Executable executable(
        program_of("graph @main(%w: f32[1]) -> (f32[1]) {\n  %a = aten.neg(%w)\n  return %a\n}",
                   {{.kind = InputKind::parameter, .target = "fc.weight"}},
                   {{.kind = OutputKind::user}}),
        {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("fc.weight"));
  }
}

}  // namespace
}  // namespace litz::compiler
