// Updates in place: buffers and tensors of the caller that a program changes without a copy of them.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "lowering/lower.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "text_program.h"
#include "types/compare.h"

namespace litz::compiler {
namespace {

using ir::InputKind;
using ir::OutputKind;
using ::testing::HasSubstr;

// One step of a decoder: a position of the cache is written, all of it is read.
constexpr const char* kStep = R"(
graph @main(%cache: f32[2, 6, 4], %at: i64[1], %k: f32[2, 1, 4], %q: f32[2, 1, 4]) -> (
    f32[2, 6, 4], f32[2, 1, 6]) {
  %n = aten.index_copy(%cache, 1, %at, %k)
  %t = aten.transpose.int(%n, 1, 2)
  %s = aten.bmm(%q, %t)
  return %n, %s
})";

ir::Program step_program(InputKind cache, Tensor data) {
  ir::Program program;
  program.module = ir::read_module(kStep, ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  const bool is_user = cache == InputKind::user;
  program.inputs = {{.kind = cache, .target = "cache", .label = "cache", .data = std::move(data)},
                    {.label = "at"},
                    {.label = "k"},
                    {.label = "q"}};
  program.outputs = {
      {.kind = is_user ? OutputKind::input_mutation : OutputKind::buffer_mutation, .input = 0},
      {.kind = OutputKind::user}};
  program.functional = true;
  return program;
}

Tensor counted(std::vector<int64_t> sizes, float first) {
  Tensor tensor = Tensor::zeros(DType::f32, std::move(sizes));
  auto* values = reinterpret_cast<float*>(tensor.mutable_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) values[i] = first + static_cast<float>(i);
  return tensor;
}

Tensor position(int64_t at) { return Tensor::of<int64_t>(DType::i64, {1}, {at}); }

class Updates : public ::testing::TestWithParam<ExecutorKind> {
 protected:
  Options options() const { return {.executor = GetParam(), .verify = true}; }
};

INSTANTIATE_TEST_SUITE_P(Executors, Updates,
                         ::testing::Values(ExecutorKind::interpreter, ExecutorKind::cpu));

TEST_P(Updates, BuffersAreWrittenWhereTheyLie) {
  const Tensor initial = counted({2, 6, 4}, 0);
  Executable executable(step_program(InputKind::buffer, initial), options());
  EXPECT_THAT(ir::to_string(*executable.program()->module), HasSubstr("aten.index_copy_("));
  const Tensor q = counted({2, 1, 4}, 1);
  const Tensor expected = counted({2, 6, 4}, 0);
  for (int64_t step = 0; step < 6; ++step) {
    const Tensor k = counted({2, 1, 4}, 100.0F * static_cast<float>(step));
    const std::vector<Leaf> inputs{position(step), k, q};
    const std::vector<Leaf> results = executable.run(inputs);
    for (int64_t b = 0; b < 2; ++b) {
      expected.view({4}, {1}, (b * 6 + step) * 4).copy_from(k.view({4}, {1}, b * 4));
    }
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t row = 0; row < 6; ++row) {
        double sum = 0;
        for (int64_t i = 0; i < 4; ++i) sum += expected.at({b, row, i}) * q.at({b, 0, i});
        EXPECT_NEAR(std::get<Tensor>(results[0]).at({b, 0, row}), sum, 1e-2);
      }
    }
  }
  EXPECT_EQ(initial.at({0, 0, 0}), 0);  // The archive's bytes stay.
  EXPECT_EQ(initial.at({1, 5, 3}), 47);
}

TEST_P(Updates, TheCallersTensorIsWritten) {
  Executable executable(step_program(InputKind::user, {}), options());
  Tensor cache = counted({2, 6, 4}, 0);
  const Tensor k = counted({2, 1, 4}, 500);
  const std::vector<Leaf> inputs{cache, position(2), k, counted({2, 1, 4}, 1)};
  executable.run(inputs);
  EXPECT_EQ(cache.at({0, 2, 1}), 501);
  EXPECT_EQ(cache.at({1, 2, 3}), 507);
  EXPECT_EQ(cache.at({1, 3, 3}), 39);
}

TEST_P(Updates, ATensorOfOtherStridesIsWritten) {
  Executable executable(step_program(InputKind::user, {}), options());
  Tensor memory = counted({4, 6, 2}, 0);
  Tensor cache = memory.view({2, 6, 4}, {1, 2, 12}, 0);
  const std::vector<Leaf> inputs{cache, position(5), counted({2, 1, 4}, 500),
                                 counted({2, 1, 4}, 1)};
  executable.run(inputs);
  EXPECT_EQ(memory.at({3, 5, 1}), 507);
  EXPECT_EQ(memory.at({3, 4, 1}), 45);
}

// Under several names each holds what it held when the call began.
TEST_P(Updates, OneTensorUnderTwoNames) {
  Executable executable(step_program(InputKind::user, {}), options());
  Tensor memory = counted({2, 6, 4}, 0);
  const Tensor k = memory.view({2, 1, 4}, {24, 4, 1}, 4);
  const std::vector<Leaf> inputs{memory, position(0), k, k};
  const Tensor scores = std::get<Tensor>(executable.run(inputs)[0]);
  EXPECT_EQ(memory.at({0, 0, 0}), 4);
  EXPECT_EQ(memory.at({1, 0, 3}), 31);
  EXPECT_NEAR(scores.at({0, 0, 0}), 4 * 4 + 5 * 5 + 6 * 6 + 7 * 7, 1e-3);
}

// Both are written back in order, as without updates in place.
TEST_P(Updates, OneTensorForTwoThatAreWritten) {
  const auto make = [](const Options& options) {
    ir::Program program = text_program(R"(
graph @main(%c: f32[4, 2], %d: f32[4, 2], %p: i64[2]) -> (f32[4, 2], f32[4, 2]) {
  %s = aten.slice.Tensor(%d, 0, 0, 2)
  %u = aten.mul.Tensor(%s, 2)
  %n = aten.index_copy(%c, 0, %p, %u)
  %v = aten.slice.Tensor(%n, 0, 0, 2)
  %w = aten.exp(%v)
  %m = aten.index_add(%d, 0, %p, %w)
  return %n, %m
})");
    for (int i = 0; i < 2; ++i) {
      program.outputs[static_cast<size_t>(i)] = {.kind = OutputKind::input_mutation, .input = i};
    }
    return Executable(std::move(program), options);
  };
  Executable plain =
      make({.executor = ExecutorKind::interpreter, .optimize = false, .fuse = false});
  Executable updating = make(options());
  EXPECT_THAT(ir::to_string(*updating.program()->module), HasSubstr("aten.index_copy_(%c"));
  const Tensor p = Tensor::of<int64_t>(DType::i64, {2}, {2, 1});
  const Tensor expected = counted({4, 2}, 1);
  const Tensor actual = counted({4, 2}, 1);
  plain.run(std::vector<Leaf>{expected, expected, p});
  updating.run(std::vector<Leaf>{actual, actual, p});
  EXPECT_TRUE(compare(actual, expected, 1e-6, 0).matches());
}

TEST_P(Updates, MemoryThatMustNotBeWrittenIsRefusedBeforeAnythingRuns) {
  Executable executable(step_program(InputKind::user, {}), options());
  static const std::vector<float> kBytes(48, 1.0F);
  const Tensor cache(DType::f32, {2, 6, 4}, {24, 4, 1}, 0,
                     Storage::borrow(std::as_bytes(std::span(kBytes)), nullptr));
  const std::vector<Leaf> inputs{cache, position(0), counted({2, 1, 4}, 0), counted({2, 1, 4}, 0)};
  try {
    executable.run(inputs);
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("must be writable"));
    EXPECT_THAT(error.what(), HasSubstr("cache"));
  }
}

TEST_P(Updates, AnIndexOutOfRangeIsAnError) {
  Executable executable(step_program(InputKind::user, {}), options());
  const std::vector<Leaf> inputs{counted({2, 6, 4}, 0), position(6), counted({2, 1, 4}, 0),
                                 counted({2, 1, 4}, 0)};
  try {
    executable.run(inputs);
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("index_copy"));
  }
}

// What fusion would compute later, or in the update, from the memory that is overwritten.
TEST_P(Updates, ReadersStayInFrontOfUpdates) {
  for (const char* text : {R"(
graph @main(%x: f32[4, 4], %i: i64[2], %v: f32[2, 4]) -> (f32[4, 4]) {
  %a = aten.mm(%x, %x)
  %p = aten.neg(%a)
  %y = aten.index_copy(%a, 0, %i, %v)
  %z = aten.add.Tensor(%p, %y)
  return %z
})",
                           R"(
graph @main(%x: f32[4, 4], %i: i64[2], %v: f32[2, 4]) -> (f32[4, 4]) {
  %a = aten.mm(%x, %x)
  %s = aten.slice.Tensor(%a, 0, 0, 3)
  %p = aten.neg(%s)
  %y = aten.slice_scatter(%a, %p, 0, 1, 4)
  return %y
})",
                           R"(
graph @main(%x: f32[4, 4], %i: i64[2], %v: f32[2, 4]) -> (f32[4, 4], f32[4]) {
  %a = aten.mm(%x, %x)
  %t = aten.transpose.int(%a, 0, 1)
  %m = aten.amax(%t, [0])
  %y = aten.index_add(%a, 0, %i, %v)
  %u = aten.index_add(%y, 0, %i, %v)
  %n = aten.sub.Tensor(%m, 1)
  %z = aten.add.Tensor(%n, %u)
  return %z, %n
})"}) {
    const std::vector<Leaf> inputs{
        counted({4, 4}, -3), Tensor::of<int64_t>(DType::i64, {2}, {3, 0}), counted({2, 4}, 50)};
    Executable plain(text_program(text),
                     {.executor = ExecutorKind::interpreter, .optimize = false, .fuse = false});
    Executable updating(text_program(text), options());
    EXPECT_THAT(ir::to_string(*updating.program()->module), HasSubstr("_(%a, "));
    const std::vector<Leaf> expected = plain.run(inputs);
    const std::vector<Leaf> actual = updating.run(inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      const Tensor& want = std::get<Tensor>(expected[i]);
      const Tensor& have = std::get<Tensor>(actual[i]);
      EXPECT_TRUE(compare(have, want, 0, 0).matches()) << text;
    }
  }
}

TEST(LowerUpdates, WhatIsReadLaterIsNotOverwritten) {
  const auto module = ir::read_module(R"(
graph @main(%x: f32[4, 4], %i: i64[2], %v: f32[2, 4]) -> (f32[4, 4], f32[4, 4]) {
  %a = aten.mm(%x, %x)
  %b = aten.index_copy_(%a, 0, %i, %v)
  %c = aten.exp(%a)
  return %b, %c
})",
                                      ops::standard_ops());
  try {
    lowering::lower(*module->find_graph("main"));
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("after its memory was overwritten"));
  }
}

// An input of a lone graph is not the program's to write: the update is made on a copy.
TEST(LowerUpdates, InputsAreCopied) {
  const auto module = ir::read_module(R"(
graph @main(%x: f32[4, 4], %i: i64[2], %v: f32[2, 4]) -> (f32[4, 4]) {
  %b = aten.index_copy_(%x, 0, %i, %v)
  return %b
})",
                                      ops::standard_ops());
  const std::string plan = lowering::to_string(lowering::lower(*module->find_graph("main")));
  EXPECT_THAT(plan, ::testing::Not(HasSubstr("over")));
}

}  // namespace
}  // namespace litz::compiler
