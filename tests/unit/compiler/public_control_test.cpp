// Conditions and loops inside of compiled functions.

#include <litz/compile.h>
#include <litz/control.h>
#include <litz/index.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;

/// The same at once and as one program.
template <typename F>
std::vector<float> both_ways(F function, const Tensor& x) {
  const auto compiled = compile(function, {.full_graph = true});
  const std::vector<float> expected = values(function(x));
  EXPECT_EQ(values(compiled(x)), expected);
  EXPECT_EQ(compiled.program_count(), 1U);
  return expected;
}

TEST(PublicControl, AConditionOnData) {
  const Tensor outside = row({100, 200});
  const auto function = [&](const Tensor& x) {
    const Tensor twice = x * 2;
    return cond(
        sum(x) > 0, [&](const Tensor& a) { return a + outside; },
        [&](const Tensor& a) { return a - twice; }, x);
  };
  EXPECT_THAT(both_ways(function, row({1, 2})), ElementsAre(101, 202));
  EXPECT_THAT(both_ways(function, row({-1, -2})), ElementsAre(1, 2));
}

TEST(PublicControl, ALoopOfUnknownLength) {
  struct State {
    Tensor x;
    Tensor steps;
  };

  const auto function = [](const Tensor& x) {
    const State end = while_loop([](const State& s) { return sum(s.x) < 100; },
                                 [](const State& s) {
                                   return State{s.x * 2, s.steps + 1};
                                 },
                                 State{x, zeros({})});
    return end.x + end.steps;
  };
  EXPECT_THAT(both_ways(function, row({1, 2})), ElementsAre(64 + 6, 128 + 6));
  EXPECT_THAT(both_ways(function, row({60, 70})), ElementsAre(60, 70));
}

TEST(PublicControl, AScanCarriesAndCollects) {
  const Tensor weight = row({2, 3});
  const auto function = [&](const Tensor& x) {
    const auto [end, rows] = scan(
        [&](const Tensor& carried, const Tensor& part) {
          const Tensor next = carried * weight + part;
          return std::pair(next, next * 10);
        },
        zeros({2}), reshape(x, {3, 2}));
    return cat({end, flatten(rows)}, 0);
  };
  EXPECT_THAT(both_ways(function, row({1, 1, 1, 1, 1, 1})),
              ElementsAre(7, 13, 10, 10, 30, 40, 70, 130));
}

TEST(PublicControl, AMapAndPrefixes) {
  EXPECT_THAT(
      both_ways(
          [](const Tensor& x) {
            return map([](const Tensor& part) { return sum(part) + part; }, reshape(x, {2, 2}));
          },
          row({1, 2, 3, 4})),
      ElementsAre(4, 5, 10, 11));
  EXPECT_THAT(both_ways(
                  [](const Tensor& x) {
                    return associative_scan(
                        [](const Tensor& a, const Tensor& b) { return a * b + 1 - 1; }, x);
                  },
                  row({1, 2, 3, 4})),
              ElementsAre(1, 2, 6, 24));
}

TEST(PublicControl, WritesInsideStayInside) {
  const auto function = [](const Tensor& x) {
    return cond(
        sum(x) > 0,
        [](const Tensor& a) {
          Tensor own = a * 1;
          add_(own, 5);
          return own;
        },
        [](const Tensor& a) { return a; }, x);
  };
  EXPECT_THAT(both_ways(function, row({1, 2})), ElementsAre(6, 7));
  const auto writes = compile([](const Tensor& x) {
    return cond(
        sum(x) > 0, [](Tensor a) { return add_(a, 1); }, [](const Tensor& a) { return a; }, x);
  });
  EXPECT_THROW(writes(row({1})), Error);
  EXPECT_THROW(map([](const Tensor& a) { return a; }, zeros({})), Error);
}

}  // namespace
}  // namespace litz
