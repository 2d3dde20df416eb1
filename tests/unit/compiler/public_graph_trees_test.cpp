// Compiled functions that share memory, through the installed headers.

#include <litz/compile.h>
#include <litz/graph_trees.h>
#include <litz/index.h>
#include <litz/ops.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::Each;
using testing::HasSubstr;

CompileOptions with(const std::shared_ptr<GraphContext>& graphs) {
  CompileOptions options;
  options.run.threads = 1;
  options.run.use_cache = false;
  options.run.graphs = graphs;
  return options;
}

TEST(PublicGraphTrees, FunctionsShareMemoryAndKeepTheirResults) {
  const auto graphs = GraphContext::make({.threads = 1}).value();
  const auto twice = compile([](const Tensor& x) { return x * 2; }, with(graphs));
  const auto next = compile([](const Tensor& x) { return x + 1; }, with(graphs));
  std::vector<Tensor> results;
  for (int i = 0; i < 5; ++i) results.push_back(next(twice(full({4}, i))));
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(values(results[static_cast<size_t>(i)]), Each(static_cast<float>(2 * i + 1)));
  }
  const GraphReport report = graphs->report();
  EXPECT_EQ(report.calls, 10);
  EXPECT_EQ(report.programs.size(), 2U);
  EXPECT_GE(report.result_bytes, 5U * 4 * sizeof(float));
  EXPECT_THAT(report.text, HasSubstr("10 calls"));
}

TEST(PublicGraphTrees, AResultThatEndedSaysWhy) {
  const auto graphs = GraphContext::make({.threads = 1, .results = ResultPolicy::trap}).value();
  const auto twice = compile([](const Tensor& x) { return x * 2; }, with(graphs));
  const Tensor first = twice(full({4}, 1));
  const Tensor second = twice(full({4}, 2));
  EXPECT_THAT(values(second), Each(4));
  try {
    first.data();
    FAIL() << "it was overwritten";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("overwritten"));
  }
  EXPECT_EQ(first.sizes(), std::vector<int64_t>{4});
  EXPECT_EQ(graphs->report().ended_results, 1);
}

TEST(PublicGraphTrees, AStepKeepsItsResults) {
  const auto graphs = GraphContext::make({.threads = 1, .results = ResultPolicy::trap}).value();
  const auto twice = compile([](const Tensor& x) { return x * 2; }, with(graphs));
  for (int round = 0; round < 3; ++round) {
    const GraphContext::Step step(*graphs);
    const Tensor first = twice(full({4}, 1));
    const Tensor second = twice(full({4}, 2));
    EXPECT_THAT(values(first), Each(2));
    EXPECT_THAT(values(second), Each(4));
  }
}

TEST(PublicGraphTrees, ResultsOutliveTheirContext) {
  Tensor result;
  {
    const auto graphs = GraphContext::make({.threads = 1}).value();
    result = compile([](const Tensor& x) { return x * 2; }, with(graphs))(full({4}, 3));
  }
  EXPECT_THAT(values(result), Each(6));
}

TEST(PublicGraphTrees, OptionsAreChecked) {
  EXPECT_FALSE(GraphContext::make({.device = "abacus"}));
  EXPECT_FALSE(GraphContext::make({.threads = -1}));
  EXPECT_FALSE(GraphContext::make({.results = static_cast<ResultPolicy>(9)}));
  const auto graphs = GraphContext::make({.device = "sim", .threads = 1}).value();
  const auto twice = [](const Tensor& x) { return x * 2; };
  EXPECT_THAT(values(compile(twice, with(graphs))(full({4}, 3))), Each(6));
  CompileOptions on_host = with(graphs);
  on_host.run.device = "cpu";
  EXPECT_THROW(compile(twice, on_host)(full({4}, 3)), Error) << "it is not the context's device";
}

}  // namespace
}  // namespace litz
