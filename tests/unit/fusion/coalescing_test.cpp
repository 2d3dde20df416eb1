#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/small_plan.h"
#include "schedule/access_price.h"

namespace litz::fusion {
namespace {

using lowering::Slot;
using testing::HasSubstr;

const FusionOptions kPriced{
    .chain_small = false, .access_price = schedule::access_price, .verify = true};
constexpr Slot kOut = lowering::kNoSlot;

// A kernel of squares of n x n elements, or of n rows; "512" stands for n.
std::string sized(std::string_view text, std::string_view n) {
  std::string result(text);
  for (size_t at = 0; (at = result.find("512", at)) != std::string::npos;) {
    result.replace(at, 3, n);
    at += n.size();
  }
  return result;
}

Slot square(SmallPlan& p, int64_t n = 512) { return p.input(contiguous_type(DType::f32, {n, n})); }

constexpr std::string_view kTurned = R"(kernel @turned(%x: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %x[i1, i0]
    store %o[i0, i1], %0
  }
})";

constexpr std::string_view kRowSums = R"(kernel @sums(%x: f32[512, 512], out %o: f32[512]) {
  for i0 in 0..512 {
    %0 = reduce sum i1 in 0..512 {
      %1 = load %x[i0, i1]
      yield %1
    }
    store %o[i0], %0
  }
})";

constexpr std::string_view kColumnSums = R"(kernel @sums(%x: f32[512, 512], out %o: f32[512]) {
  for i0 in 0..512 {
    %0 = reduce sum i1 in 0..512 {
      %1 = load %x[i1, i0]
      yield %1
    }
    store %o[i0], %0
  }
})";

constexpr std::string_view kNorm = R"(kernel @norm(%x: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512 {
    %0 = reduce sum i1 in 0..512 {
      %1 = load %x[i0, i1]
      yield %1
    }
    for i2 in 0..512 {
      %2 = load %x[i0, i2]
      %3 = div %2, %0
      store %o[i0, i2], %3
    }
  }
})";

// x.t() + y, with the result laid out as x.t() is: the loops walk it in that order.
constexpr std::string_view kTurnedSum =
    R"(kernel @turned_sum(%x: f32[512, 512], %y: f32[512, 512], out %o: f32[512, 512]{1, 512}) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %x[i1, i0]
    %1 = load %y[i0, i1]
    %2 = add %0, %1
    store %o[i0, i1], %2
  }
})";

// x + y.t()
constexpr std::string_view kSumWithTurned =
    R"(kernel @sum_with_turned(%x: f32[512, 512], %y: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %x[i0, i1]
    %1 = load %y[i1, i0]
    %2 = add %0, %1
    store %o[i0, i1], %2
  }
})";

constexpr std::string_view kSquares =
    R"(kernel @squares(%x: f32[512, 512], out %o: f32[512, 512]) {
  for i0 in 0..512, i1 in 0..512 {
    %0 = load %x[i0, i1]
    %1 = mul %0, %0
    store %o[i0, i1], %1
  }
})";

TEST(Coalescing, NestsWithOtherLanesStayApart) {
  SmallPlan p;
  const Slot x = square(p);
  p.output(p.kernel(kTurned, {x, kOut}));
  p.output(p.kernel(kRowSums, {x, kOut}));
  const FusionReport report = p.fuse_and_compare(kPriced);
  EXPECT_EQ(report.kernels_after, 2);
  EXPECT_THAT(to_string(report), HasSubstr("not fused (coalescing)"));
}

TEST(Coalescing, SumsOfRowsAndOfColumnsStayApart) {
  SmallPlan p;
  const Slot x = square(p);
  p.output(p.kernel(kRowSums, {x, kOut}));
  p.output(p.kernel(kColumnSums, {x, kOut}));
  EXPECT_EQ(p.fuse_and_compare(kPriced).kernels_after, 2);
}

TEST(Coalescing, ResultsInOppositeOrdersStayApart) {
  SmallPlan p;
  const Slot x = square(p);
  const Slot y = square(p);
  p.output(p.kernel(kTurnedSum, {x, y, kOut}));
  p.output(p.kernel(kSumWithTurned, {x, y, kOut}));
  const FusionReport report = p.fuse_and_compare(kPriced);
  EXPECT_EQ(report.kernels_after, 2);
  EXPECT_THAT(to_string(report), HasSubstr("not fused (coalescing)"));
}

TEST(Coalescing, ResultsInOneOrderMergeThoughLoadsAreTransposed) {
  SmallPlan p;
  const Slot x = square(p);
  const Slot y = square(p);
  p.output(p.kernel(kSumWithTurned, {x, y, kOut}));
  p.output(p.kernel(kTurned, {y, kOut}));
  EXPECT_EQ(p.fuse_and_compare(kPriced).kernels_after, 1);
}

TEST(Coalescing, OrdersDoNotMatterInTheFirstCache) {
  SmallPlan p;
  const Slot x = square(p, 64);
  const Slot y = square(p, 64);
  p.output(p.kernel(sized(kTurnedSum, "64"), {x, y, kOut}));
  p.output(p.kernel(sized(kSumWithTurned, "64"), {x, y, kOut}));
  EXPECT_EQ(p.fuse_and_compare(kPriced).kernels_after, 1);
}

TEST(Coalescing, OrdersDoNotMatterWithoutAPrice) {
  SmallPlan p;
  const Slot x = square(p);
  const Slot y = square(p);
  p.output(p.kernel(kTurnedSum, {x, y, kOut}));
  p.output(p.kernel(kSumWithTurned, {x, y, kOut}));
  EXPECT_EQ(p.fuse_and_compare({.chain_small = false}).kernels_after, 1);
}

TEST(Coalescing, CopiesThatTurnRowsIntoColumnsAreMade) {
  SmallPlan p;
  p.output(p.kernel(kRowSums, {p.kernel(kTurned, {square(p), kOut}), kOut}));
  // Lanes along the rows would do for the sums alone, but not beside a use of single elements.
  EXPECT_EQ(p.fuse_and_compare(kPriced).kernels_after, 1);

  SmallPlan q;
  q.output(q.kernel(kNorm, {q.kernel(kTurned, {square(q), kOut}), kOut}));
  const FusionReport report = q.fuse_and_compare(kPriced);
  EXPECT_EQ(report.kernels_after, 2);
  EXPECT_THAT(to_string(report), HasSubstr("not fused (coalescing)"));
}

TEST(Coalescing, ResultsAreNotTurnedWhereRowsAreMade) {
  SmallPlan p;
  p.output(p.kernel(kTurned, {p.kernel(kNorm, {square(p), kOut}), kOut}));
  const FusionReport report = p.fuse_and_compare(kPriced);
  EXPECT_EQ(report.kernels_after, 2);
  EXPECT_THAT(to_string(report), HasSubstr("not fused (coalescing)"));
}

TEST(Coalescing, ResultsThatNobodyElseReadsAreTurnedWhereTheyAreMade) {
  SmallPlan p;
  p.output(p.kernel(kTurned, {p.kernel(kSquares, {square(p), kOut}), kOut}));
  EXPECT_EQ(p.fuse_and_compare(kPriced).kernels_after, 1);
}

}  // namespace
}  // namespace litz::fusion
