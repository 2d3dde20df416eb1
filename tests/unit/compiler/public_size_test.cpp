// Sizes as numbers; function_sizes_test.cpp has them as formulas.

#include <limits>
#include <litz/arguments.h>
#include <litz/index.h>
#include <litz/size.h>

#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(PublicSize, ComputesLikeIntegers) {
  const Size a = 7;
  const Size b = -2;
  EXPECT_EQ((a + b).value(), 5);
  EXPECT_EQ((a - b).value(), 9);
  EXPECT_EQ((a * b).value(), -14);
  EXPECT_EQ((a / b).value(), -3);
  EXPECT_EQ((b / a).value(), 0);
  EXPECT_EQ((a % b).value(), 1);
  EXPECT_EQ((Size(-7) % 2).value(), -1);
  EXPECT_EQ((-a).value(), -7);
  EXPECT_TRUE(b < a && a > b && a >= 7 && a <= 7 && a == 7 && a != b);
  EXPECT_EQ(static_cast<double>(a), 7.0);
  EXPECT_THROW(a / 0, Error);
  EXPECT_THROW(a % 0, Error);
  EXPECT_THROW(Size(std::numeric_limits<int64_t>::max()) + 1, Error);
}

TEST(PublicSize, OfTensors) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(x.dim(), 2);
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_THROW(x.size(2), Error);
  EXPECT_EQ(reshape(x, {x.size(1), -1}).sizes(), (std::vector<int64_t>{3, 2}));
}

}  // namespace
}  // namespace litz
