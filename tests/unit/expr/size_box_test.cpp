#include "expr/size_box.h"

#include <gtest/gtest.h>

namespace litz {
namespace {

class SizeBoxTest : public ::testing::Test {
 protected:
  Expr symbol(const char* name, Interval range) {
    return pool.add_symbol({name, SymbolKind::size, range, std::nullopt});
  }

  /// All values of the expression in the box lie in its bounds.
  void expect_sound(Expr a) const {
    const Interval bounds = box.bounds(a);
    for (int64_t s = 65; s <= 80; ++s) {
      for (int64_t t = 3; t <= 4; ++t) {
        Bindings bindings;
        bindings.set(s0.symbol(), s);
        bindings.set(s1.symbol(), t);
        bindings.set(free_one.symbol(), 7);
        EXPECT_TRUE(bounds.contains(evaluate(a, bindings))) << to_string(a) << " at " << s;
      }
    }
  }

  ExprPool pool;
  Expr s0 = symbol("s0", {0, 1024});
  Expr s1 = symbol("s1", {1, Interval::kMax});
  Expr free_one = symbol("f", {1, 9});
  SizeBox box{{{s0.symbol(), {65, 80}}, {s1.symbol(), {3, 4}}}};
};

TEST_F(SizeBoxTest, NarrowsWhatDependsOnIt) {
  EXPECT_EQ(box.bounds(12), (Interval{12, 12}));
  EXPECT_EQ(box.bounds(8 * s0), (Interval{520, 640}));
  EXPECT_EQ(box.bounds(s0 * s1), (Interval{195, 320}));
  EXPECT_EQ(box.bounds(s0 * free_one), (Interval{65, 720}));
  EXPECT_EQ(box.bounds(free_one), (Interval{1, 9}));
  EXPECT_EQ(box.bounds(max(1, s0)), (Interval{65, 80}));
}

TEST_F(SizeBoxTest, SizesThatShrink) {
  EXPECT_EQ(box.bounds(100 - s0), (Interval{20, 35}));
  EXPECT_EQ(box.bounds(max(0, 64 - s0)), (Interval{0, 0}));
  EXPECT_EQ(box.bounds(mod(s0, 8)), (Interval{0, 7}));
  EXPECT_EQ(box.bounds(floor_div(960, s0)), (Interval{12, 14}));
}

TEST_F(SizeBoxTest, HoldsEveryValue) {
  const Expr samples[] = {s0 - floor_div(s0, 2) * 2, floor_div(s0, 3) * s1,
                          mod(s0, 5) * free_one,     (s0 - 70) * (s0 - 70),
                          where(lt(s0, 72), s0, s1), ceil_div(s0, s1),
                          pow(s0 - 71, 2),           min(s0, 70) - max(s1, 4)};
  for (const Expr& sample : samples) expect_sound(sample);
}

TEST_F(SizeBoxTest, WhatHasNoBound) {
  const Expr open = symbol("open", {1, Interval::kMax});
  EXPECT_EQ(box.bounds(open).hi, Interval::kMax);
  EXPECT_EQ(box.bounds(open * s0).hi, Interval::kMax);
  const SizeBox large({{s1.symbol(), {1, int64_t{1} << 40}}});
  EXPECT_EQ(large.bounds(s1 * s1).hi, Interval::kMax);
}

}  // namespace
}  // namespace litz
