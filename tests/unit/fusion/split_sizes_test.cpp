#include "fusion/split_sizes.h"

#include <gtest/gtest.h>

#include "loops/pointwise.h"

namespace litz::fusion {
namespace {

using loops::ReduceKind;

constexpr int64_t kLeast = int64_t{1} << 18;

class SplitSizesTest : public testing::Test {
 protected:
  Expr size(const char* name, Interval range = {0, Interval::kMax}) {
    return pool_.add_symbol({.name = name, .range = range});
  }

  std::optional<SplitSizes> split(std::initializer_list<Expr> extents,
                                  ReduceKind kind = ReduceKind::sum) {
    std::vector<loops::LoopVar> vars;
    for (const Expr extent : extents) vars.push_back(loops::new_loop_var(pool_, "i", extent));
    return split_sizes(vars, kind, kLeast, {});
  }

  /// How many parts there are where all symbols have this value; parts, lengths and the rest cover
  /// the split variable.
  int64_t parts_at(const SplitSizes& sizes, Expr extent, int64_t value) {
    Bindings bindings;
    for (SymbolId id = 0; id < pool_.symbol_count(); ++id) bindings.set(id, value);
    const int64_t parts = evaluate(sizes.parts, bindings);
    EXPECT_EQ(parts * evaluate(sizes.length, bindings) + evaluate(sizes.rest, bindings),
              evaluate(extent, bindings));
    return parts;
  }

  ExprPool pool_;
};

TEST_F(SplitSizesTest, KnownSizes) {
  EXPECT_FALSE(split({1000})) << "too short for two parts";
  EXPECT_EQ(split({int64_t{1} << 21})->parts, Expr(64));
  EXPECT_EQ(split({3, int64_t{1} << 21})->split, 1U) << "rows are parts as they are";
}

TEST_F(SplitSizesTest, SmallSizesOfASymbolMakeOnePart) {
  const Expr n = size("n");
  const auto sizes = split({n});
  ASSERT_TRUE(sizes);
  for (const int64_t small : {0, 1, 64, 4096, 65535}) EXPECT_EQ(parts_at(*sizes, n, small), 1);
}

// As many as for constants, but for counts that divide the size.
TEST_F(SplitSizesTest, LargeSizesOfASymbolMakeManyParts) {
  const Expr n = size("n");
  const auto sizes = split({n});
  ASSERT_TRUE(sizes);
  EXPECT_EQ(parts_at(*sizes, n, 65536), 2);
  EXPECT_EQ(parts_at(*sizes, n, 300000), 9);
  EXPECT_EQ(parts_at(*sizes, n, 3000000), 64);
  EXPECT_EQ(parts_at(*sizes, n, int64_t{1} << 24), 256);
}

TEST_F(SplitSizesTest, TheWholeReductionCounts) {
  const Expr n = size("n");
  const auto rows = split({n, 768});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->split, 0U);
  EXPECT_EQ(parts_at(*rows, n, 16), 1);
  EXPECT_EQ(parts_at(*rows, n, 1024), 24);
  EXPECT_EQ(parts_at(*rows, n, 3000), 64);
  const auto columns = split({3, n});
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->split, 1U) << "few rows are parts as they are";
  EXPECT_EQ(parts_at(*columns, n, 1000000), 21);
}

// There are no more parts than elements to divide, whatever the loops inside count to.
TEST_F(SplitSizesTest, FewIterationsMakeFewParts) {
  const Expr n = size("n");
  const auto sizes = split({n, int64_t{1} << 22});
  ASSERT_TRUE(sizes);
  EXPECT_EQ(parts_at(*sizes, n, 0), 1);
  EXPECT_EQ(parts_at(*sizes, n, 3), 3);
}

}  // namespace
}  // namespace litz::fusion
