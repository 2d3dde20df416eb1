#include "loops/access_conditions.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::loops {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AccessConditions : public ::testing::Test {
 protected:
  std::vector<std::string> of(const std::string& buffers, const std::string& body) {
    const Kernel kernel = parse_kernel("kernel @k(" + buffers + ") {\n" + body + "\n}", pool_);
    std::vector<std::string> texts;
    for (const AccessCondition& condition : access_conditions(kernel)) {
      texts.push_back(kernel.buffers[static_cast<size_t>(condition.buffer)].name + ": " +
                      to_string(condition.holds));
    }
    return texts;
  }

  Expr symbol(const char* name) {
    return pool_.add_symbol({name, SymbolKind::size, {1, Interval::kMax}, std::nullopt});
  }

  ExprPool pool_;
  Expr a_ = symbol("a");
  Expr b_ = symbol("b");
};

TEST_F(AccessConditions, LoopsOverOwnSizesNeedNone) {
  EXPECT_THAT(
      of("%x: f32[a, 4], out %y: f32[a]",
         "for i in 0..a {\n %s = reduce sum j in 0..4 {\n %v = load %x[i, j]\n yield %v\n }\n"
         " store %y[i], %s\n}"),
      IsEmpty());
}

TEST_F(AccessConditions, SizesThatShouldBeEqual) {
  EXPECT_THAT(
      of("%x: f32[b], out %y: f32[a]", "for i in 0..a {\n %v = load %x[i]\n store %y[i], %v\n}"),
      ElementsAre("x: a <= b"));
}

TEST_F(AccessConditions, PartsAndReversals) {
  EXPECT_THAT(of("%x: f32[a], out %y: f32[b]",
                 "for i in 0..b {\n %v = load %x[2*i + 1]\n store %y[i], %v\n}"),
              ElementsAre("x: 2*b <= a"));
  EXPECT_THAT(of("%x: f32[a], out %y: f32[b]",
                 "for i in 0..b {\n %v = load %x[a - 1 - i]\n store %y[i], %v\n}"),
              ElementsAre("x: b <= a"));
}

TEST_F(AccessConditions, LoopsThatMayNotRun) {
  const Expr n = pool_.add_symbol({"n", SymbolKind::size, {0, Interval::kMax}, std::nullopt});
  EXPECT_EQ(to_string(n), "n");
  EXPECT_THAT(of("%x: f32[b], out %y: f32[n, a]",
                 "for i in 0..n, j in 0..a {\n %v = load %x[j]\n store %y[i, j], %v\n}"),
              ElementsAre("x: a <= b or n <= 0"));
}

}  // namespace
}  // namespace litz::loops
