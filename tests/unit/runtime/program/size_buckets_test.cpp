#include "runtime/program/size_buckets.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

TEST(SizeBucket, IsAnEighthOfThePowerOfTwo) {
  EXPECT_EQ(size_bucket(-3), (Interval{-3, -3}));
  EXPECT_EQ(size_bucket(0), (Interval{0, 0}));
  EXPECT_EQ(size_bucket(1), (Interval{1, 1}));
  EXPECT_EQ(size_bucket(2), (Interval{2, 2}));
  EXPECT_EQ(size_bucket(9), (Interval{9, 9}));
  EXPECT_EQ(size_bucket(16), (Interval{16, 16}));
  EXPECT_EQ(size_bucket(17), (Interval{17, 18}));
  EXPECT_EQ(size_bucket(128), (Interval{121, 128}));
  EXPECT_EQ(size_bucket(129), (Interval{129, 144}));
  EXPECT_TRUE(size_bucket(INT64_MAX).contains(INT64_MAX));
  for (int64_t size = 2; size < 5000; ++size) {
    const Interval bucket = size_bucket(size);
    ASSERT_TRUE(bucket.contains(size));
    ASSERT_EQ(size_bucket(bucket.lo), bucket);
    ASSERT_EQ(size_bucket(bucket.hi), bucket);
    ASSERT_LE(bucket.hi, std::max<int64_t>(16, bucket.lo * 9 / 8));
  }
}

}  // namespace
}  // namespace litz::runtime
