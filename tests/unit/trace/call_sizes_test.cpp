#include "trace/call_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const CallSizes& sizes) {
  std::vector<std::string> all;
  for (const Guard& guard : sizes.guards()) all.push_back(guard.text);
  return all;
}

TEST(CallSizes, AnswersAsTheCallIsAndKeepsTheAnswers) {
  CallSizes sizes;
  const Expr a = sizes.symbol(8);
  const Expr b = sizes.symbol(3);
  EXPECT_EQ(sizes.symbol(8), a);
  EXPECT_TRUE(known_less_equal(2, a));
  EXPECT_THAT(texts(sizes), IsEmpty());  // Proved, not asked.
  sizes.set_asker("aten.add.Tensor");
  EXPECT_TRUE(known_less(b, a));
  EXPECT_FALSE(known_equal(a, b));
  EXPECT_FALSE(known_equal(a, b));
  EXPECT_EQ(sizes.guards().size(), 2U);
  EXPECT_THAT(sizes.guards()[0].text, testing::HasSubstr("(aten.add.Tensor)"));
  EXPECT_THAT(sizes.fixed_sizes(), IsEmpty());
}

TEST(CallSizes, FixesNumbers) {
  CallSizes sizes;
  const Expr a = sizes.symbol(8);
  EXPECT_EQ(known_value(a * 2), 16);
  EXPECT_THAT(sizes.fixed_sizes(), ElementsAre(8));
  EXPECT_TRUE(known_equal(a, Expr(8)));
}

TEST(CallSizes, SmallSizesAreNumbers) {
  CallSizes sizes;
  EXPECT_TRUE(sizes.symbol(1).is(1));
  EXPECT_TRUE(sizes.symbol(0).is(0));
}

TEST(CallSizes, StridesFollowSizes) {
  CallSizes sizes;
  const Tensor dense = Tensor::zeros(DType::f32, {4, 8});
  EXPECT_EQ(to_string(sizes.type_of(dense, {true, true})), "f32[s0, s1]");
  const Tensor turned = dense.view({8, 4}, {1, 8}, 0);
  const TensorType type = sizes.type_of(turned, {true, true});
  EXPECT_EQ(type.strides[1], type.sizes[0]);
  EXPECT_TRUE(type.strides[0].is(1));
  const Tensor part = dense.view({4, 3}, {8, 1}, 0);
  EXPECT_TRUE(sizes.type_of(part, {true, false}).strides[0].is(8));
}

TEST(CallSizes, DataIsNotAnswered) {
  CallSizes sizes;
  const Expr data = sizes.exprs()->add_symbol({.name = "u0",
                                               .kind = SymbolKind::data_dependent,
                                               .range = {0, Interval::kMax},
                                               .hint = std::nullopt});
  EXPECT_FALSE(known(lt(data, 3)).has_value());
  EXPECT_FALSE(known_value(data).has_value());
}

TEST(CallSizes, PassesRecallAndDecideNothing) {
  CallSizes sizes;
  const Expr a = sizes.symbol(8);
  EXPECT_TRUE(known_less(a, 10));
  {
    const RecalledSizes recalled(*sizes.exprs());
    EXPECT_TRUE(known_less(a, 10));
    EXPECT_FALSE(known_less(a, 9));
    EXPECT_FALSE(known_value(a).has_value());
  }
  EXPECT_EQ(sizes.guards().size(), 1U);
  EXPECT_TRUE(known_less(a, 9));
}

}  // namespace
}  // namespace litz::trace
