#include "types/float_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace litz {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// An encoder that only compares: the nearest finite value, ties to the even code, by search in the
/// table of all decoded values.
template <typename T>
class NearestByTable {
 public:
  explicit NearestByTable(uint32_t codes) {
    for (uint32_t code = 0; code < codes; ++code) {
      T value{static_cast<decltype(T::bits)>(code)};
      float decoded = to_float(value);
      if (std::isfinite(decoded) && !std::signbit(decoded)) values_[decoded] = code;
    }
  }

  /// For a non-negative finite value not beyond the largest one.
  uint32_t encode(float value) const {
    auto above = values_.lower_bound(value);
    if (above->first == value || above == values_.begin()) return above->second;
    auto below = std::prev(above);
    double down = static_cast<double>(value) - below->first;
    double up = static_cast<double>(above->first) - value;
    if (down != up) return down < up ? below->second : above->second;
    return below->second % 2 == 0 ? below->second : above->second;
  }

  float largest() const { return values_.rbegin()->first; }

  const std::map<float, uint32_t>& values() const { return values_; }

 private:
  std::map<float, uint32_t> values_;
};

/// Every code decodes to a float that encodes to the code again; `encode` returns the bits.
template <typename T, typename Encode>
void expect_round_trip(uint32_t codes, Encode encode) {
  for (uint32_t code = 0; code < codes; ++code) {
    float decoded = to_float(T{static_cast<decltype(T::bits)>(code)});
    if (std::isnan(decoded)) {
      EXPECT_TRUE(std::isnan(to_float(T{encode(decoded)}))) << code;
    } else {
      EXPECT_EQ(encode(decoded), code) << decoded;
    }
  }
}

/// Between neighbours: the midpoint, and the floats just beside it.
template <typename T, typename Encode>
void expect_nearest_even(uint32_t codes, Encode encode) {
  NearestByTable<T> table(codes);
  float previous = -1;
  for (const auto& [value, code] : table.values()) {
    if (previous >= 0) {
      auto middle = static_cast<float>((static_cast<double>(previous) + value) / 2);
      for (float probe : {std::nextafter(middle, 0.F), middle, std::nextafter(middle, kInfinity)}) {
        ASSERT_EQ(encode(probe), table.encode(probe)) << probe << " near " << code;
      }
    }
    previous = value;
  }
}

uint16_t f16(float value) { return to_float16(value).bits; }

uint16_t bf16(float value) { return to_bfloat16(value).bits; }

uint8_t e4m3fn(float value) { return to_float8_e4m3fn(value).bits; }

uint8_t e5m2(float value) { return to_float8_e5m2(value).bits; }

uint8_t e4m3fnuz(float value) { return to_float8_e4m3fnuz(value).bits; }

uint8_t e5m2fnuz(float value) { return to_float8_e5m2fnuz(value).bits; }

uint8_t e8m0(float value) { return to_float8_e8m0fnu(value).bits; }

TEST(FloatFormats, EveryCodeSurvivesARoundTrip) {
  expect_round_trip<Float16>(0x10000, f16);
  expect_round_trip<BFloat16>(0x10000, bf16);
  expect_round_trip<Float8E4M3FN>(0x100, e4m3fn);
  expect_round_trip<Float8E5M2>(0x100, e5m2);
  expect_round_trip<Float8E4M3FNUZ>(0x100, e4m3fnuz);
  expect_round_trip<Float8E5M2FNUZ>(0x100, e5m2fnuz);
  expect_round_trip<Float8E8M0FNU>(0x100, e8m0);
}

TEST(FloatFormats, RoundsToNearestEven) {
  expect_nearest_even<Float16>(0x8000, f16);
  // Midpoints of the subnormal bf16 values are exact floats as well.
  expect_nearest_even<BFloat16>(0x8000, bf16);
  expect_nearest_even<Float8E4M3FN>(0x80, e4m3fn);
  expect_nearest_even<Float8E5M2>(0x80, e5m2);
  expect_nearest_even<Float8E4M3FNUZ>(0x80, e4m3fnuz);
  expect_nearest_even<Float8E5M2FNUZ>(0x80, e5m2fnuz);
}

TEST(FloatFormats, KnownValues) {
  EXPECT_EQ(to_float(Float16{0x3c00}), 1.F);
  EXPECT_EQ(to_float(Float16{0x0001}), 0x1p-24F);
  EXPECT_EQ(to_float(Float16{0x7bff}), 65504.F);
  EXPECT_EQ(to_float(BFloat16{0xbf80}), -1.F);
  EXPECT_EQ(to_float(Float8E4M3FN{0x7e}), 448.F);
  EXPECT_EQ(to_float(Float8E5M2{0x7b}), 57344.F);
  EXPECT_EQ(to_float(Float8E4M3FNUZ{0x7f}), 240.F);
  EXPECT_EQ(to_float(Float8E5M2FNUZ{0x7f}), 57344.F);
  EXPECT_EQ(to_float(Float8E8M0FNU{0}), 0x1p-127F);
  EXPECT_EQ(to_float(Float8E8M0FNU{127}), 1.F);
}

TEST(FloatFormats, OverflowOfF16AndBf16IsInfinity) {
  EXPECT_EQ(f16(65519.996F), 0x7bff);
  EXPECT_EQ(f16(65520.F), 0x7c00);
  EXPECT_EQ(f16(-1e30F), 0xfc00);
  EXPECT_EQ(f16(kInfinity), 0x7c00);
  EXPECT_EQ(bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(bf16(-kInfinity), 0xff80);
  EXPECT_EQ(bf16(kNaN), 0x7fc0);
  // A signalling pattern whose upper half alone would read as infinity.
  EXPECT_EQ(bf16(std::bit_cast<float>(0x7f800001U)), 0x7fc0);
  EXPECT_TRUE(std::isnan(to_float(Float16{f16(std::bit_cast<float>(0x7f800001U))})));
}

TEST(FloatFormats, OverflowOfFloat8FollowsEachFormat) {
  EXPECT_EQ(e4m3fn(447.F), 0x7e);
  EXPECT_EQ(e4m3fn(464.1F), 0x7e);
  EXPECT_EQ(e4m3fn(-1e9F), 0xfe);
  EXPECT_EQ(e4m3fn(kInfinity), 0x7e);
  EXPECT_EQ(e4m3fn(kNaN), 0x7f);
  EXPECT_EQ(e5m2(61439.F), 0x7b);
  EXPECT_EQ(e5m2(61440.F), 0x7c);
  EXPECT_EQ(e5m2(-kInfinity), 0xfc);
  EXPECT_EQ(e5m2(kNaN), 0x7f);
  EXPECT_EQ(e4m3fnuz(247.F), 0x7f);
  EXPECT_EQ(e4m3fnuz(248.F), 0x80);
  EXPECT_EQ(e4m3fnuz(-248.F), 0x80);
  EXPECT_EQ(e4m3fnuz(1e30F), 0x80);
  EXPECT_EQ(e4m3fnuz(kInfinity), 0x80);
  EXPECT_EQ(e5m2fnuz(61440.F), 0x80);
  EXPECT_EQ(e5m2fnuz(kNaN), 0x80);
}

TEST(FloatFormats, ZeroKeepsItsSignWhereTheFormatHasOne) {
  EXPECT_EQ(f16(-0.F), 0x8000);
  EXPECT_EQ(bf16(-0.F), 0x8000);
  EXPECT_EQ(e4m3fn(-0.F), 0x80);
  EXPECT_EQ(e5m2(-1e-30F), 0x80);
  EXPECT_EQ(e4m3fnuz(-0.F), 0x00);
  EXPECT_EQ(e5m2fnuz(-1e-30F), 0x00);
}

TEST(FloatFormats, E8M0RoundsTheExponent) {
  EXPECT_EQ(e8m0(1.F), 127);
  EXPECT_EQ(e8m0(1.49F), 127);
  EXPECT_EQ(e8m0(1.5F), 128);
  EXPECT_EQ(e8m0(-2.F), 128);
  EXPECT_EQ(e8m0(0.F), 0);
  EXPECT_EQ(e8m0(kNaN), 255);
  EXPECT_EQ(e8m0(kInfinity), 255);
  EXPECT_EQ(e8m0(std::bit_cast<float>(0x00400000U)), 0);  // 2^-127 itself.
  EXPECT_EQ(e8m0(std::bit_cast<float>(0x00400001U)), 1);
}

}  // namespace
}  // namespace litz
