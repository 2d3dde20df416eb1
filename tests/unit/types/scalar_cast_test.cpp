#include "types/scalar_cast.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace litz {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ScalarCast, FloatToIntegerTruncates) {
  EXPECT_EQ(scalar_cast<int32_t>(2.9F), 2);
  EXPECT_EQ(scalar_cast<int32_t>(-2.9F), -2);
  EXPECT_EQ(scalar_cast<int64_t>(-0.5), 0);
  EXPECT_EQ(scalar_cast<int32_t>(-2147483648.9), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(scalar_cast<int32_t>(2147483647.9), std::numeric_limits<int32_t>::max());
}

TEST(ScalarCast, FloatOutOfRangeGivesWhatTheProcessorGives) {
  EXPECT_EQ(scalar_cast<int32_t>(3e9F), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(scalar_cast<int32_t>(kNaN), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(scalar_cast<int64_t>(kInfinity), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(scalar_cast<int64_t>(0x1p63F), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(scalar_cast<uint8_t>(300.F), 44);
  EXPECT_EQ(scalar_cast<uint8_t>(-1.F), 255);
  EXPECT_EQ(scalar_cast<uint8_t>(kNaN), 0);
  EXPECT_EQ(scalar_cast<int8_t>(200.F), -56);
  EXPECT_EQ(scalar_cast<int16_t>(3e9F), 0);
  EXPECT_EQ(scalar_cast<uint16_t>(-1.F), 65535);
  EXPECT_EQ(scalar_cast<uint32_t>(4294967295.0), 4294967295U);
  EXPECT_EQ(scalar_cast<uint32_t>(-1.0), 4294967295U);
  EXPECT_EQ(scalar_cast<uint64_t>(0x1p63), uint64_t{1} << 63);
  EXPECT_EQ(scalar_cast<uint64_t>(-1.0), ~uint64_t{0});
}

TEST(ScalarCast, IntegersKeepTheirLowBits) {
  EXPECT_EQ(scalar_cast<uint8_t>(int64_t{511}), 255);
  EXPECT_EQ(scalar_cast<int8_t>(int32_t{128}), -128);
  EXPECT_EQ(scalar_cast<int64_t>(~uint64_t{0}), -1);
  EXPECT_EQ(scalar_cast<uint64_t>(int8_t{-1}), ~uint64_t{0});
  EXPECT_EQ(scalar_cast<double>(~uint64_t{0}), 0x1p64);
}

TEST(ScalarCast, AnythingNonZeroIsTrue) {
  EXPECT_EQ(scalar_cast<Bool8>(0.F).bits, 0);
  EXPECT_EQ(scalar_cast<Bool8>(-0.0).bits, 0);
  EXPECT_EQ(scalar_cast<Bool8>(1e-30F).bits, 1);
  EXPECT_EQ(scalar_cast<Bool8>(kNaN).bits, 1);
  EXPECT_EQ(scalar_cast<Bool8>(int64_t{256}).bits, 1);
  EXPECT_EQ(scalar_cast<Bool8>(std::complex<float>(0, 2)).bits, 1);
  EXPECT_EQ(scalar_cast<float>(Bool8{7}), 1.F);
}

TEST(ScalarCast, ComplexToRealDropsTheImaginaryPart) {
  EXPECT_EQ(scalar_cast<float>(std::complex<double>(2.5, 9)), 2.5F);
  EXPECT_EQ(scalar_cast<int32_t>(std::complex<float>(-2.5F, 9)), -2);
  EXPECT_EQ(scalar_cast<std::complex<float>>(int32_t{3}), std::complex<float>(3, 0));
  ComplexHalf half = scalar_cast<ComplexHalf>(std::complex<double>(1, -2));
  EXPECT_EQ(half.real.bits, 0x3c00);
  EXPECT_EQ(half.imaginary.bits, 0xc000);
  EXPECT_EQ(scalar_cast<std::complex<double>>(half), std::complex<double>(1, -2));
}

TEST(ScalarCast, HalfTypesPassThroughFloat) {
  EXPECT_EQ(scalar_cast<BFloat16>(1.00390625).bits, 0x3f80);  // A tie.
  // 1 + 2^-8 + 2^-30 is above the tie, but the float in between is not.
  EXPECT_EQ(scalar_cast<BFloat16>(1.00390625 + 0x1p-30).bits, 0x3f80);
  EXPECT_EQ(scalar_cast<Float16>(int64_t{65504}).bits, 0x7bff);
  EXPECT_EQ(scalar_cast<Float8E4M3FN>(Float16{0x3c00}).bits, 0x38);
}

}  // namespace
}  // namespace litz
