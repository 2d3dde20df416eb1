// Numbers that do not fit the dtype that they are converted to are refused; those that fit are not.

#include "ops/held_numbers.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

bool is_refused(std::string_view op, const std::string& arguments) {
  try {
    GraphRunner().run_sample(*test_ops()->find(op), arguments);
    return false;
  } catch (const Error& error) {
    EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
    return true;
  }
}

TEST(HeldNumbers, UnsignedOnesTakeTheNegativeOfWhatTheyHold) {
  EXPECT_FALSE(is_refused("aten.full", "([3], -255, dtype=u8)"));
  EXPECT_TRUE(is_refused("aten.full", "([3], -256, dtype=u8)"));
  EXPECT_TRUE(is_refused("aten.full", "([3], -1.0, dtype=u8)"));
}

TEST(HeldNumbers, FractionsAreCutOff) {
  EXPECT_FALSE(is_refused("aten.scatter.value", "(i8[3], 0, i64[2] in [0, 3), 127.5)"));
  EXPECT_TRUE(is_refused("aten.scatter.value", "(i8[3], 0, i64[2] in [0, 3), 128.5)"));
}

TEST(HeldNumbers, InfinitiesGoIntoFloatingDtypesOnly) {
  EXPECT_FALSE(is_refused("aten.full", "([3], inf, dtype=f16)"));
  EXPECT_TRUE(is_refused("aten.full", "([3], 1e10, dtype=f16)"));
  EXPECT_TRUE(is_refused("aten.constant_pad_nd", "(u8[3], [1, 1], inf)"));
}

TEST(HeldNumbers, OneElementOfSmallFloatsBecomesInfinite) {
  for (const char* op : {"aten.full", "aten.new_full"}) {
    const std::string first = op == std::string_view("aten.full") ? "(" : "(f32[2], ";
    EXPECT_FALSE(is_refused(op, first + "[1], 1e10, dtype=f16)"));
    EXPECT_FALSE(is_refused(op, first + "[], 1e39, dtype=bf16)"));
    EXPECT_TRUE(is_refused(op, first + "[1], 1e39, dtype=f32)"));
    EXPECT_TRUE(is_refused(op, first + "[1], 300, dtype=i8)"));
  }
  EXPECT_FALSE(is_refused("aten.constant_pad_nd", "(f16[0], [1, 0], 1e10)"));
  EXPECT_TRUE(is_refused("aten.constant_pad_nd", "(f16[1], [1, 0], 1e10)"));
  EXPECT_FALSE(is_refused("aten.fill_diagonal_", "(f16[2, 1], 1e10)"));
  EXPECT_TRUE(is_refused("aten.fill_diagonal_", "(f16[2, 2], 1e10)"));
  EXPECT_TRUE(is_refused("aten.masked_fill.Scalar", "(f16[1], bool[1], 1e10)"));
  EXPECT_FALSE(is_refused("aten.linspace", "(1e10, 2, 1, dtype=f16)"));
  EXPECT_FALSE(is_refused("aten.linspace", "(1, 1e39, 1)"));
  EXPECT_TRUE(is_refused("aten.linspace", "(1, 1e39, 2)"));
}

TEST(HeldNumbers, RealDtypesHoldNoImaginaryOnes) {
  EXPECT_TRUE(is_refused("aten.full", "([3], 1j, dtype=f32)"));
  EXPECT_FALSE(is_refused("aten.full", "([3], 1j, dtype=c64)"));
  EXPECT_FALSE(is_refused("aten.full", "([3], 1j, dtype=bool)"));
}

TEST(HeldNumbers, FactorsOfHalvesAreF32) {
  EXPECT_FALSE(is_refused("aten.addcmul", "(f16[3], f16[3], f16[3], value=1e10)"));
  EXPECT_TRUE(is_refused("aten.addcmul", "(f16[3], f16[3], f16[3], value=1e100)"));
  EXPECT_TRUE(is_refused("aten.add.Tensor", "(f16[3], f16[3], alpha=1e10)"));
}

}  // namespace
}  // namespace litz::ops
