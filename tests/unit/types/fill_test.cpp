#include "types/fill.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/check.h"
#include "types/float_formats.h"

namespace litz {
namespace {

TEST(Fill, WordsAreThoseOfSplitmix64) {
  // The published first outputs of the generator for state 0.
  EXPECT_EQ(fill_word(0, 0), 0xe220a8397b1dcdafU);
  // The state grows by one, not by the generator's own increment, so seeds and indices add up.
  EXPECT_EQ(fill_word(1, 0), fill_word(0, uint64_t{1} << 32));
}

TEST(Fill, FloatsFollowTheRecipe) {
  constexpr int64_t kCount = 10000;  // More than a chunk.
  Tensor filled = fill_floats(DType::f32, {kCount}, 7, 0.3F, 0.1F);
  Tensor halves = fill_floats(DType::bf16, {kCount}, 7, 0.3F, 0.1F);
  Tensor doubles = fill_floats(DType::f64, {kCount}, 7, 0.3F, 0.1F);
  for (int64_t i = 0; i < kCount; ++i) {
    // volatile: no step may keep more precision than a float.
    volatile float value = static_cast<float>(fill_word(7, static_cast<uint64_t>(i)) >> 40);
    value = value * 0x1p-23F;
    value = value - 1.0F;
    value = value * 0.3F;
    value = value + 0.1F;
    ASSERT_EQ(filled.at({i}), static_cast<double>(value)) << i;
    ASSERT_EQ(doubles.at({i}), static_cast<double>(value)) << i;
    ASSERT_EQ(halves.at({i}), static_cast<double>(to_float(to_bfloat16(value)))) << i;
  }
}

TEST(Fill, IntegersStayBelowTheBound) {
  Tensor filled = fill_integers(DType::i64, {5000}, 3, 1000);
  for (int64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(filled.int_at({i}),
              static_cast<int64_t>(fill_word(3, static_cast<uint64_t>(i)) % 1000));
  }
  EXPECT_EQ(fill_integers(DType::bool_, {2, 3}, 3, 2).dtype(), DType::bool_);
  EXPECT_THROW(fill_integers(DType::i64, {1}, 0, 0), Error);
}

TEST(Fill, ConstantsOfAnyDtype) {
  EXPECT_EQ(fill_constant(DType::bf16, {2, 2}, 1).at({1, 1}), 1);
  EXPECT_EQ(fill_constant(DType::c64, {}, -2).at({}), -2);
  EXPECT_EQ(fill_constant(DType::f32, {0}, 1).numel(), 0);
}

}  // namespace
}  // namespace litz
