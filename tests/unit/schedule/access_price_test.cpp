#include "schedule/access_price.h"

#include <gtest/gtest.h>

namespace litz::schedule {
namespace {

constexpr double kMebibyte = 1 << 20;

double price_of(std::string_view text) {
  ExprPool pool;
  return access_price(loops::parse_kernel(text, pool), {.vector_bytes = 32});
}

constexpr std::string_view kTurned = R"(kernel @turned(%x: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %x[i1, i0]
    store %o[i0, i1], %0
  }
})";

TEST(AccessPrice, NeighboursCostNothing) {
  EXPECT_EQ(price_of(R"(kernel @norm(%x: f32[512, 512], %b: f32[512], out %o: f32[512, 512]) {
  for i0 in 0..512 {
    %0 = reduce sum i1 in 0..512 {
      %1 = load %x[i0, i1]
      yield %1
    }
    for i2 in 0..512 {
      %2 = load %x[i0, i2]
      %3 = load %b[i0]
      %4 = sub %2, %0
      %5 = mul %4, %3
      store %o[i0, i2], %5
    }
  }
})"),
            0);
}

TEST(AccessPrice, LanesAlongColumnsAreNeighbours) {
  EXPECT_EQ(price_of(R"(kernel @sums(%x: f32[512, 512], out %o: f32[512]) {
  for i0 in 0..512 {
    %0 = reduce sum i1 in 0..512 {
      %1 = load %x[i1, i0]
      yield %1
    }
    store %o[i0], %0
  }
})"),
            0);
}

TEST(AccessPrice, LoopsAreOrderedByWhatTheyStore) {
  EXPECT_EQ(price_of(R"(kernel @copy(%x: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %x[i1, i0]
    store %o[i1, i0], %0
  }
})"),
            0);
}

TEST(AccessPrice, TransposedSquaresCostLittle) {
  const double price = price_of(kTurned);
  EXPECT_GT(price, 0);
  EXPECT_LE(price, kMebibyte);
}

TEST(AccessPrice, LanesThatAreApartCostTheirLines) {
  const double price = price_of(R"(kernel @both(%x: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %x[i0, i1]
    store %o[i1, i0], %0
    store %o[i0, i1], %0
  }
})");
  EXPECT_GE(price, 4 * kMebibyte);
}

TEST(AccessPrice, BuffersInTheFirstCacheCostNothing) {
  EXPECT_EQ(price_of(R"(kernel @turned(%x: f32[64, 64], out %o: f32[64, 64]) {
  for i0 in 0..64, i1 in 0..64 {
    %0 = load %x[i1, i0]
    store %o[i0, i1], %0
  }
})"),
            0);
}

TEST(AccessPrice, ComputedIndicesDoNotCount) {
  EXPECT_EQ(price_of(R"(kernel @rows(%n: i64[512], %x: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %n[i1]
    %1 = bound_index "index" %0, 512
    %2 = load %x[%1, i0]
    store %o[i0, i1], %2
  }
})"),
            0);
}

}  // namespace
}  // namespace litz::schedule
