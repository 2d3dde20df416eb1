// Graphs run by themselves: dynamic sizes, views, host scalars, control flow, data-dependent sizes.

#include "compiler/execution/run_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using ::testing::HasSubstr;

std::vector<Tensor> run(const char* text, const std::vector<Tensor>& inputs) {
  const auto module = ir::read_module(text, ops::standard_ops());
  return run_graph(*module->find_graph("main"), inputs);
}

std::string error_of(const char* text, const std::vector<Tensor>& inputs) {
  try {
    run(text, inputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Tensor floats(std::vector<int64_t> sizes, std::initializer_list<float> values) {
  return Tensor::of<float>(DType::f32, std::move(sizes), values);
}

std::vector<double> values(const Tensor& tensor) {
  const Tensor dense = tensor.to(DType::f64).contiguous();
  const auto* data = reinterpret_cast<const double*>(dense.data());
  return {data, data + dense.numel()};
}

using Doubles = std::vector<double>;

TEST(RunGraph, TakesSizesFromItsInputs) {
  constexpr const char* kText = R"(
sym s0 in [1, 100]
graph @main(%x: f32[s0, 2], %w: f32[2, 2]) -> (f32[s0, 2]) {
  %a = aten.mm(%x, %w)
  %b = aten.relu(%a)
  return %b
})";
  const Tensor swap = floats({2, 2}, {0, 1, 1, 0});
  EXPECT_EQ(values(run(kText, {floats({1, 2}, {1, -2}), swap})[0]), (Doubles{0, 1}));
  EXPECT_EQ(values(run(kText, {floats({2, 2}, {1, -2, 3, 4}), swap})[0]), (Doubles{0, 1, 4, 3}));
}

TEST(RunGraph, ViewsStartWhereTheirSourceStarts) {
  constexpr const char* kText = R"(
graph @main(%x: f32[4]) -> (f32[2]) {
  %a = aten.slice.Tensor(%x, 0, 1, 3)
  %b = aten.neg(%a)
  return %b
})";
  // The input itself is a slice: offsets count from there.
  const Tensor base = floats({6}, {0, 0, 1, 2, 3, 4});
  EXPECT_EQ(values(run(kText, {base.view({4}, {1}, 2)})[0]), (Doubles{-2, -3}));
}

TEST(RunGraph, CopiesInputsOfAnotherLayout) {
  const Tensor transposed = floats({2, 2}, {1, 2, 3, 4}).view({2, 2}, {1, 2}, 0);
  EXPECT_EQ(values(run(R"(
graph @main(%x: f32[2, 2]) -> (f32[4]) {
  %a = aten.view(%x, [4])
  %b = aten.neg(%a)
  return %b
})",
                       {transposed})[0]),
            (Doubles{-1, -3, -2, -4}));
}

constexpr const char* kCond = R"(
graph @yes(%x: f32[2]) -> (f32[2]) {
  %r = aten.relu(%x)
  return %r
}
graph @no(%x: f32[2]) -> (f32[2]) {
  return %x
}
graph @main(%p: bool[], %x: f32[2]) -> (f32[2]) {
  %y = higher_order.cond(%p, @yes, @no, [%x])
  return %y
})";

TEST(RunGraph, RunsOneBranch) {
  const Tensor x = floats({2}, {-1, 2});
  EXPECT_EQ(values(run(kCond, {Tensor::scalar(DType::bool_, 1), x})[0]), (Doubles{0, 2}));
  EXPECT_EQ(values(run(kCond, {Tensor::scalar(DType::bool_, 0), x})[0]), (Doubles{-1, 2}));
}

TEST(RunGraph, LoopsWhileTheConditionHolds) {
  const auto results = run(R"(
graph @cond(%n: i64[], %x: f32[2]) -> (bool[]) {
  %p = aten.gt.Scalar(%n, 0)
  return %p
}
graph @body(%n: i64[], %x: f32[2]) -> (i64[], f32[2]) {
  %m = aten.sub.Tensor(%n, 1)
  %y = aten.add.Tensor(%x, %x)
  return %m, %y
}
graph @main(%n: i64[], %x: f32[2]) -> (i64[], f32[2]) {
  %r:2 = higher_order.while_loop(@cond, @body, [%n, %x])
  return %r#0, %r#1
})",
                           {Tensor::scalar_int(DType::i64, 3), floats({2}, {1, 2})});
  EXPECT_EQ(values(results[0]), (Doubles{0}));
  EXPECT_EQ(values(results[1]), (Doubles{8, 16}));
}

TEST(RunGraph, ScansAndStacks) {
  const auto results = run(R"(
sym s0 in [0, 100]
graph @step(%carry: f32[2], %x: f32[2]) -> (f32[2], f32[2]) {
  %next = aten.add.Tensor(%carry, %x)
  %out = aten.neg(%next)
  return %next, %out
}
graph @main(%init: f32[2], %xs: f32[s0, 2]) -> (f32[2], f32[s0, 2]) {
  %r:2 = higher_order.scan(@step, [%init], [%xs])
  return %r#0, %r#1
})",
                           {floats({2}, {10, 20}), floats({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(values(results[0]), (Doubles{14, 26}));
  EXPECT_EQ(values(results[1]), (Doubles{-11, -22, -14, -26}));
}

TEST(RunGraph, AssociativeScanIsInclusive) {
  const auto results = run(R"(
graph @combine(%a: f32[], %b: f32[]) -> (f32[]) {
  %c = aten.mul.Tensor(%a, %b)
  return %c
}
graph @main(%xs: f32[3]) -> (f32[3]) {
  %r = higher_order.associative_scan(@combine, [%xs])
  return %r
})",
                           {floats({3}, {2, 3, 4})});
  EXPECT_EQ(values(results[0]), (Doubles{2, 6, 24}));
}

TEST(RunGraph, MapsOverEntries) {
  const auto results = run(R"(
graph @body(%x: f32[2], %y: f32[2]) -> (f32[2]) {
  %z = aten.mul.Tensor(%x, %y)
  return %z
}
graph @main(%xs: f32[2, 2], %y: f32[2]) -> (f32[2, 2]) {
  %r = higher_order.map_impl(@body, [%xs], [%y])
  return %r
})",
                           {floats({2, 2}, {1, 2, 3, 4}), floats({2}, {10, 100})});
  EXPECT_EQ(values(results[0]), (Doubles{10, 200, 30, 400}));
}

TEST(RunGraph, ReadsHostScalarsFromTensors) {
  constexpr const char* kText = R"(
sym u0 in [0, 3]
graph @main(%n: i64[], %x: f32[4]) -> (f32[u0]) {
  %k = aten.item(%n) : int(u0)
  %y = aten.slice.Tensor(%x, 0, 0, %k) : f32[u0]
  %z = aten.neg(%y)
  return %z
})";
  const Tensor x = floats({4}, {1, 2, 3, 4});
  EXPECT_EQ(values(run(kText, {Tensor::scalar_int(DType::i64, 2), x})[0]), (Doubles{-1, -2}));
  const std::string error = error_of(kText, {Tensor::scalar_int(DType::i64, 4), x});
  EXPECT_THAT(error, HasSubstr("u0"));
  EXPECT_THAT(error, HasSubstr("while running %k = aten.item"));
}

TEST(RunGraph, AssertionsFailTheCall) {
  EXPECT_THAT(error_of(R"(
sym s0 in [1, 16]
graph @main(%x: f32[s0]) -> (f32[s0]) {
  aten._assert_scalar(s0 >= 4, "needs four")
  return %x
})",
                       {floats({2}, {1, 2})}),
              HasSubstr("needs four"));
  constexpr const char* kAboutData = R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %p = aten.gt.Scalar(%x, 1)
  %all = aten.all(%p)
  aten._assert_async.msg(%all, "all above one")
  %y = aten.neg(%x)
  return %y
})";
  EXPECT_EQ(values(run(kAboutData, {floats({2}, {2, 3})})[0]), (Doubles{-2, -3}));
  EXPECT_THAT(error_of(kAboutData, {floats({2}, {2, 1})}),
              HasSubstr("an assertion of the program must hold: all above one"));
}

}  // namespace
}  // namespace litz::compiler
