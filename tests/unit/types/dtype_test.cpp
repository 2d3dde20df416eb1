#include "types/dtype.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

TEST(DType, BothSpellingsParse) {
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(name(dtype)), dtype);
    EXPECT_EQ(parse_dtype(torch_name(dtype)), dtype);
  }
  EXPECT_EQ(parse_dtype("float8_e4m3fn"), DType::f8e4m3fn);
  EXPECT_EQ(parse_dtype("complex64"), DType::c64);
  EXPECT_EQ(parse_dtype("f31"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, SizesAndKinds) {
  EXPECT_EQ(item_size(DType::bool_), 1);
  EXPECT_EQ(item_size(DType::bf16), 2);
  EXPECT_EQ(item_size(DType::c32), 4);
  EXPECT_EQ(item_size(DType::c128), 16);
  EXPECT_FALSE(is_integer(DType::bool_));
  EXPECT_TRUE(is_integer(DType::u64));
  EXPECT_TRUE(is_float8(DType::f8e8m0fnu));
  EXPECT_FALSE(is_float8(DType::u8));
  EXPECT_FALSE(is_signed(DType::u8));
  EXPECT_TRUE(is_signed(DType::f16));
  EXPECT_TRUE(is_half(DType::bf16));
  EXPECT_FALSE(is_half(DType::f8e5m2));
}

TEST(DType, ComputeAndPartTypes) {
  EXPECT_EQ(compute_dtype(DType::bf16), DType::f32);
  EXPECT_EQ(compute_dtype(DType::f8e5m2fnuz), DType::f32);
  EXPECT_EQ(compute_dtype(DType::c32), DType::c64);
  EXPECT_EQ(compute_dtype(DType::i32), DType::i32);
  EXPECT_EQ(real_dtype(DType::c128), DType::f64);
  EXPECT_EQ(real_dtype(DType::i8), DType::i8);
  EXPECT_EQ(complex_dtype(DType::f16), DType::c32);
  EXPECT_EQ(complex_dtype(DType::bf16), DType::c64);
  EXPECT_THROW(complex_dtype(DType::i32), Error);
}

// Rows and columns in the order of kOrdinary; each cell follows from the documented rules: the
// higher category wins, within one the smallest type that holds both.
constexpr std::array<DType, 13> kOrdinary = {
    DType::bool_, DType::u8,  DType::i8,  DType::i16, DType::i32, DType::i64, DType::f16,
    DType::bf16,  DType::f32, DType::f64, DType::c32, DType::c64, DType::c128};
constexpr std::array<std::array<const char*, 13>, 13> kTable = {{
    {"bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c32", "c64", "c128"},
    {"u8", "u8", "i16", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c32", "c64", "c128"},
    {"i8", "i16", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c32", "c64", "c128"},
    {"i16", "i16", "i16", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c32", "c64", "c128"},
    {"i32", "i32", "i32", "i32", "i32", "i64", "f16", "bf16", "f32", "f64", "c32", "c64", "c128"},
    {"i64", "i64", "i64", "i64", "i64", "i64", "f16", "bf16", "f32", "f64", "c32", "c64", "c128"},
    {"f16", "f16", "f16", "f16", "f16", "f16", "f16", "f32", "f32", "f64", "c32", "c64", "c128"},
    {"bf16", "bf16", "bf16", "bf16", "bf16", "bf16", "f32", "bf16", "f32", "f64", "c64", "c64",
     "c128"},
    {"f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f32", "f64", "c64", "c64", "c128"},
    {"f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "f64", "c128", "c128", "c128"},
    {"c32", "c32", "c32", "c32", "c32", "c32", "c32", "c64", "c64", "c128", "c32", "c64", "c128"},
    {"c64", "c64", "c64", "c64", "c64", "c64", "c64", "c64", "c64", "c128", "c64", "c64", "c128"},
    {"c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128", "c128",
     "c128"},
}};

TEST(Promote, FollowsTheTable) {
  for (size_t i = 0; i < kOrdinary.size(); ++i) {
    for (size_t j = 0; j < kOrdinary.size(); ++j) {
      EXPECT_EQ(name(promote(kOrdinary[i], kOrdinary[j])), kTable[i][j])
          << name(kOrdinary[i]) << " with " << name(kOrdinary[j]);
    }
  }
}

TEST(Promote, WideUnsignedTypesMeetOnlyFloats) {
  for (DType wide : {DType::u16, DType::u32, DType::u64}) {
    EXPECT_EQ(promote(wide, wide), wide);
    for (DType floating : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      EXPECT_EQ(promote(wide, floating), floating);
      EXPECT_EQ(promote(floating, wide), floating);
    }
    for (DType other : {DType::bool_, DType::u8, DType::i64, DType::c64}) {
      EXPECT_THROW(promote(wide, other), Error) << name(other);
      EXPECT_THROW(promote(other, wide), Error) << name(other);
    }
  }
  EXPECT_THROW(promote(DType::u16, DType::u32), Error);
}

TEST(Promote, Float8MeetsOnlyItself) {
  EXPECT_EQ(promote(DType::f8e5m2, DType::f8e5m2), DType::f8e5m2);
  for (DType other :
       {DType::bool_, DType::i32, DType::u16, DType::f32, DType::c64, DType::f8e4m3fn}) {
    try {
      promote(DType::f8e5m2, other);
      ADD_FAILURE() << "must not promote with " << name(other);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
    }
  }
}

}  // namespace
}  // namespace litz
