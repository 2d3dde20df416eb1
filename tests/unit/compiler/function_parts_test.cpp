// Compiled functions that read what they compute.

#include <litz/compile.h>
#include <litz/index.h>
#include <litz/nn.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FunctionParts, AConditionOnDataChoosesInEachCall) {
  int runs = 0;
  const auto function = compile([&](const Tensor& x) {
    ++runs;
    const Tensor total = sum(x);
    return total.item<float>() > 0 ? x * 2 + total : neg(x);
  });
  EXPECT_THAT(values(function(row({1, 2}))), ElementsAre(5, 7));
  EXPECT_THAT(values(function(row({-1, -2}))), ElementsAre(1, 2));
  EXPECT_THAT(values(function(row({3, -1}))), ElementsAre(8, 0));
  EXPECT_THAT(values(function(row({-3, 1}))), ElementsAre(3, -1));
  EXPECT_EQ(runs, 4);
  const FunctionReport report = explain(function);
  EXPECT_EQ(report.part_programs, 3U);  // The sum, and each of the ways on.
  ASSERT_EQ(report.parts.size(), 1U);
  EXPECT_THAT(report.parts[0].breaks,
              ElementsAre("the elements of a tensor are read", "the function returns"));
  EXPECT_EQ(report.parts[0].calls, 4U);
  EXPECT_THAT(to_string(report), HasSubstr("part 0 ends"));
}

TEST(FunctionParts, SizesFromData) {
  const auto function = compile([](const Tensor& x) {
    const Tensor chosen = (x * 2)[{x > 0}];
    return std::pair(sum(chosen), chosen + 1);
  });
  EXPECT_THAT(values(function(row({1, -2, 3})).second), ElementsAre(3, 7));
  EXPECT_THAT(values(function(row({1, 2, 3})).first), ElementsAre(12));
  EXPECT_THAT(explain(function).parts[0].breaks[0], HasSubstr("aten.index.Tensor makes sizes"));
}

TEST(FunctionParts, AnInputSeenOtherwise) {
  const auto function = compile(
      [](const Tensor& x) { return as_strided(x * 1, {2}, {1}) + as_strided(x, {2}, {2}); });
  EXPECT_THAT(values(function(row({1, 2, 3})[{slice(0, 3)}])), ElementsAre(2, 5));
}

TEST(FunctionParts, LoopsOverData) {
  const auto function = compile([](Tensor x) {
    int steps = 0;
    while (sum(x).item<float>() < 100) {
      x = x * 2;
      ++steps;
    }
    return x + steps;
  });
  EXPECT_THAT(values(function(row({1, 2}))), ElementsAre(64 + 6, 128 + 6));
  EXPECT_THAT(values(function(row({50, 60}))), ElementsAre(50, 60));
}

TEST(FunctionParts, WritesAndViewsCrossABreak) {
  Tensor counter = row({0});
  const auto function = compile([&](Tensor x) {
    Tensor made = x * 1;
    Tensor view = made[{slice(1, 3)}];
    add_(view, 10);
    add_(x, 100);
    counter += 1;
    graph_break("here");
    add_(view, made[{0}]);
    add_(counter, view[{0}]);
    return std::pair(made, view);
  });
  Tensor x = row({1, 2, 3});
  const auto [made, view] = function(x);
  EXPECT_THAT(values(x), ElementsAre(101, 102, 103));
  EXPECT_THAT(values(made), ElementsAre(1, 13, 14));
  EXPECT_THAT(values(view), ElementsAre(13, 14));
  EXPECT_THAT(values(counter), ElementsAre(14));
  add_(view, 1);
  EXPECT_THAT(values(made), ElementsAre(1, 14, 15));
  EXPECT_EQ(explain(function).parts[0].breaks[0], "here");
}

TEST(FunctionParts, ResultsOfOneProgramShareMemoryToo) {
  const auto function = compile([](const Tensor& x) {
    Tensor made = x + 1;
    return std::tuple(made[{slice(0, 2)}], made, transpose(reshape(made, {1, 3}), 0, 1));
  });
  auto [part, whole, turned] = function(row({1, 2, 3}));
  add_(part, 10);
  EXPECT_THAT(values(whole), ElementsAre(12, 13, 4));
  EXPECT_THAT(values(turned), ElementsAre(12, 13, 4));
  EXPECT_EQ(turned.sizes(), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(function.program_count(), 1U);
}

TEST(FunctionParts, AWholeFunctionRefuses) {
  const auto function = compile([](const Tensor& x) { return x.item<float>() > 0 ? x : neg(x); },
                                {.full_graph = true});
  try {
    function(row({1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("return the tensor"));
  }
  const auto breaks = compile(
      [](const Tensor& x) {
        graph_break();
        return x;
      },
      {.full_graph = true});
  EXPECT_THROW(breaks(row({1})), Error);
  graph_break();  // Nothing to break.
}

TEST(FunctionParts, TrainingThatLogs) {
  struct Model {
    Tensor w;
  };

  Model model{row({4, -2})};
  float last = 0;
  const auto step = compile([&](const Tensor& x) {
    auto [loss, gradients] =
        value_and_grad([&](const Model& m) { return mean(square(m.w - x)); })(model);
    last = loss.item<float>();
    if (last > 1) sub_(model.w, gradients.w * 0.5);
    return loss;
  });
  EXPECT_FLOAT_EQ(step(row({0, 0})).item<float>(), 10);
  EXPECT_THAT(values(model.w), ElementsAre(2, -1));
  EXPECT_FLOAT_EQ(step(row({0, 0})).item<float>(), 2.5);
  EXPECT_FLOAT_EQ(step(row({0, 0})).item<float>(), 0.625);
  EXPECT_FLOAT_EQ(last, 0.625);
  EXPECT_THAT(values(model.w), ElementsAre(1, -0.5));
}

TEST(FunctionParts, AnErrorLeavesNothingOpen) {
  bool fails = true;
  const auto function = compile([&](const Tensor& x) {
    if (sum(x).item<float>() > 0 && fails) return mm(x, x);
    return x + 1;
  });
  EXPECT_THROW(function(row({1})), Error);
  EXPECT_FALSE(detail::is_tracing());
  fails = false;
  EXPECT_THAT(values(function(row({1}))), ElementsAre(2));
}

TEST(FunctionParts, SizesDifferBetweenCalls) {
  const auto function = compile(
      [](const Tensor& x) { return x.size(0) > 2 && sum(x).item<float>() > 0 ? x * 2 : x * 3; });
  EXPECT_THAT(values(function(row({1, 2}))), ElementsAre(3, 6));
  EXPECT_THAT(values(function(row({1, 2, 3}))), ElementsAre(2, 4, 6));
  EXPECT_THAT(values(function(row({-1, -2, -3, -4}))), ElementsAre(-3, -6, -9, -12));
}

}  // namespace
}  // namespace litz
