// Random formulas against brute force: simplification keeps values, proofs are never contradicted,
// and text reads back to the same expression.

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "expr/parse.h"
#include "expr/random_tree.h"
#include "support/check.h"

namespace litz {
namespace {

using testing::build;
using testing::describe;
using testing::SmallDomain;
using testing::Tree;
using testing::TreeGenerator;
using testing::TreeOp;
using testing::value_of;

// Constants that cannot be folded (a division by 0) leave no expression.
std::optional<Expr> try_build(const Tree& tree, const SmallDomain& domain) {
  try {
    return build(tree, domain);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_range) << error.what();
    return std::nullopt;
  }
}

Tree mixed_tree(TreeGenerator& generator) {
  if (generator.pick(0, 2) == 0)
    return generator.index_tree(static_cast<int>(generator.pick(1, 3)));
  return generator.tree(static_cast<int>(generator.pick(1, 4)));
}

TEST(ExprProperty, SimplifyingKeepsEveryValueAndRangesHoldThem) {
  TreeGenerator generator(1, 8);
  int64_t checked = 0;
  for (int round = 0; round < 60; ++round) {
    SmallDomain domain;
    for (int t = 0; t < 120; ++t) {
      const Tree tree = mixed_tree(generator);
      const auto expr = try_build(tree, domain);
      if (!expr) continue;
      const Interval range = bounds(*expr);
      for (int sample = 0; sample < 40; ++sample) {
        const auto values = domain.random_values(generator.random());
        const auto expected = value_of(tree, values);
        if (!expected) continue;
        ++checked;
        ASSERT_EQ(evaluate(*expr, domain.bind(values)), *expected)
            << describe(tree, domain) << " became " << *expr << " at "
            << ::testing::PrintToString(values);
        ASSERT_TRUE(range.contains(*expected))
            << describe(tree, domain) << " became " << *expr << " in " << range.lo << ".."
            << range.hi << " but is " << *expected << " at " << ::testing::PrintToString(values);
      }
    }
  }
  EXPECT_GT(checked, 150'000);
}

TEST(ExprProperty, ProofsAreNeverContradicted) {
  TreeGenerator generator(2, 8);
  int64_t proofs = 0;
  for (int round = 0; round < 60; ++round) {
    SmallDomain domain;
    for (int t = 0; t < 60; ++t) {
      const Tree first = mixed_tree(generator);
      // Half of the pairs are close relatives, so that there is something to prove.
      Tree second = mixed_tree(generator);
      if (generator.pick(0, 1) == 0) second = {TreeOp::add, 0, {first, generator.leaf()}};
      const auto a = try_build(first, domain);
      const auto b = try_build(second, domain);
      if (!a || !b) continue;
      const bool equal = known_equal(*a, *b);
      const bool unequal = known_not_equal(*a, *b);
      const bool less = known_less(*a, *b);
      const bool at_most = known_less_equal(*a, *b);
      const bool divisible = known_divisible(*a, *b);
      const Expr tests[] = {eq(*a, *b), ne(*a, *b), lt(*a, *b), le(*a, *b)};
      proofs += equal + unequal + less + at_most + divisible;
      for (int sample = 0; sample < 30; ++sample) {
        const auto values = domain.random_values(generator.random());
        const auto x = value_of(first, values);
        const auto y = value_of(second, values);
        if (!x || !y) continue;
        SCOPED_TRACE(describe(first, domain) + " against " + describe(second, domain) + " at " +
                     ::testing::PrintToString(values));
        ASSERT_FALSE(equal && *x != *y);
        ASSERT_FALSE(unequal && *x == *y);
        ASSERT_FALSE(less && *x >= *y);
        ASSERT_FALSE(at_most && *x > *y);
        ASSERT_FALSE(divisible && *y != 0 && *x % *y != 0);
        const Bindings bindings = domain.bind(values);
        ASSERT_EQ(evaluate_boolean(tests[0], bindings), *x == *y) << tests[0];
        ASSERT_EQ(evaluate_boolean(tests[1], bindings), *x != *y) << tests[1];
        ASSERT_EQ(evaluate_boolean(tests[2], bindings), *x < *y) << tests[2];
        ASSERT_EQ(evaluate_boolean(tests[3], bindings), *x <= *y) << tests[3];
      }
    }
  }
  EXPECT_GT(proofs, 300);
}

TEST(ExprProperty, TextReadsBackToTheSameExpression) {
  TreeGenerator generator(3, 7);
  for (int round = 0; round < 60; ++round) {
    SmallDomain domain;
    SymbolResolver resolver;
    resolver.symbol = [&](const std::string& name, bool) {
      for (const auto& variable : domain.variables) {
        if (to_string(variable.symbol) == name) return variable.symbol;
      }
      return Expr(0);
    };
    for (int t = 0; t < 100; ++t) {
      const Tree tree = mixed_tree(generator);
      const auto expr = try_build(tree, domain);
      if (!expr) continue;
      const Expr test = lt(*expr, domain.variables[0].symbol);
      ASSERT_EQ(parse_expr(to_string(*expr), domain.pool, resolver), *expr)
          << describe(tree, domain) << " became " << *expr;
      ASSERT_EQ(parse_expr(to_string(test), domain.pool, resolver), test)
          << describe(tree, domain) << " became " << test;
    }
  }
}

TEST(ExprProperty, TextDoesNotDependOnWhatElseThePoolHolds) {
  TreeGenerator generator(4, 8);
  SmallDomain used;
  for (int t = 0; t < 300; ++t) {
    const Tree tree = generator.tree(3);
    SmallDomain fresh;
    const auto a = try_build(tree, used);
    const auto b = try_build(tree, fresh);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (a) {
      ASSERT_EQ(to_string(*a), to_string(*b));
    }
  }
}

}  // namespace
}  // namespace litz
