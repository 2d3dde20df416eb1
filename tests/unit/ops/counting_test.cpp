// Histograms; counts with data-dependent sizes are tested with the library.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

TEST(Histogram, TheLastBinIncludesItsEnd) {
  EXPECT_THAT(
      values(run("aten.histc", {f32({5}, {0, 0.5f, 1, 2, 3}), integer(2), integer(0), integer(2)})),
      ElementsAre(2, 2));
}

TEST(Histogram, EqualEndsAskForTheRangeOfTheData) {
  EXPECT_THAT(values(run("aten.histc", {f32({3}, {1, 2, 3}), integer(2)})), ElementsAre(1, 2));
  EXPECT_THAT(values(run("aten.histc", {f32({2}, {5, 5}), integer(2)})), ElementsAre(0, 2));
}

TEST(Distinct, SizesAreFreshSymbols) {
  GraphRunner runner;  // Owns the symbols.
  const ir::Value x = runner.add_input(i64({2, 3}, {1, 2, 3, 1, 2, 3}));
  const ir::Node* node =
      runner.graph().create("aten.unique_dim", {ir::Argument(x), ir::Attribute(Expr(0))});
  const TensorType& lines = node->output(0).tensor();
  EXPECT_TRUE(lines.sizes[0].is_symbol());
  EXPECT_EQ(lines.sizes[1], Expr(3));
  EXPECT_EQ(node->output(2).tensor().sizes[0], lines.sizes[0]);
}

// Along the only dimension, stated as 0, there are runs of elements.
TEST(Distinct, RunsOfAListAreNotLines) {
  GraphRunner runner;
  const ir::Value x = runner.add_input(i64({3}, {1, 1, 2}));
  const auto places = [&](std::string_view op, int64_t dim) {
    const ir::Node* node = runner.graph().create(
        op,
        op == "aten.unique_consecutive"
            ? std::vector<ir::Argument>{x, Expr::boolean(false), Expr::boolean(false), Expr(dim)}
            : std::vector<ir::Argument>{x, Expr(dim)});
    return node->output(1).tensor().sizes;
  };
  EXPECT_EQ(places("aten.unique_consecutive", 0), Sizes{Expr(0)});
  EXPECT_EQ(places("aten.unique_consecutive", -1), Sizes{Expr(3)});
  EXPECT_EQ(places("aten.unique_dim_consecutive", 0), Sizes{Expr(3)});
}

}  // namespace
}  // namespace litz::ops
