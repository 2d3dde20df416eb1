#include "fusion/fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/small_plan.h"
#include "support/check.h"

namespace litz::fusion {
namespace {

using lowering::Slot;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr FusionOptions kApart{.chain_small = false, .verify = true};
constexpr Slot kOut = lowering::kNoSlot;

constexpr std::string_view kAdd = R"(kernel @add(%a: f32[4, 6], %b: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %a[i0, i1]
    %1 = load %b[i0, i1]
    %2 = add %0, %1
    store %o[i0, i1], %2
  }
})";

constexpr std::string_view kExp = R"(kernel @exp(%x: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %x[i0, i1]
    %1 = exp %0
    store %o[i0, i1], %1
  }
})";

constexpr std::string_view kSum = R"(kernel @sum(%x: f32[4, 6], out %o: f32[4]) {
  for i0 in 0..4 {
    %0 = reduce sum i1 in 0..6 {
      %1 = load %x[i0, i1]
      yield %1
    }
    store %o[i0], %0
  }
})";

TensorType matrix() { return contiguous_type(DType::f32, {4, 6}); }

TEST(Fuse, ChainsBecomeOneKernel) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const Slot b = p.input(matrix());
  const Slot sum = p.kernel(kAdd, {a, b, kOut});
  const Slot e = p.kernel(kExp, {sum, kOut});
  p.output(p.kernel(kSum, {e, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_before, 3);
  EXPECT_EQ(report.kernels_after, 1);
  ASSERT_EQ(report.fused.size(), 1U);
  EXPECT_THAT(report.fused[0].labels, ElementsAre("add", "exp", "sum"));
  EXPECT_EQ(p.plan().steps[0].label, "add + exp + sum");
  EXPECT_EQ(p.plan().steps.size(), 1U);
}

// A call may rely on what the program checked in front of it, so a check that joins a later kernel
// takes that one along.
TEST(Fuse, ChecksStayInFrontOfCalls) {
  SmallPlan p;
  const Slot x = p.input(matrix());
  const Slot w = p.input(contiguous_type(DType::f32, {6, 4}));
  p.kernels(R"(kernel @check(%x: f32[4, 6]) {
  %0 = load %x[0, 0]
  %1 = const f32 1000000.0
  %2 = lt %0, %1
  check %2, "small"
})",
            {x});
  p.output(p.library("matmul", {x, w}, contiguous_type(DType::f32, {4, 4})));
  p.output(p.kernel(R"(kernel @first(%x: f32[4, 6], out %o: f32[]) {
  %0 = load %x[0, 0]
  %1 = exp %0
  store %o[], %1
})",
                    {x, kOut}));
  p.fuse_and_compare();
  // Joined with the later kernel or not.
  EXPECT_TRUE(p.plan().steps.front().label.starts_with("check"));
}

TEST(Fuse, ReadsThroughViews) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const Slot b = p.input(matrix());
  const Slot sum = p.kernel(kAdd, {a, b, kOut});
  TensorType transposed = contiguous_type(DType::f32, {6, 4});
  transposed.strides = {1, 6};
  const Slot view = p.view(sum, transposed);
  p.output(p.kernel(R"(kernel @neg(%x: f32[6, 4]{1, 6}, out %o: f32[6, 4]) {
  for i0 in 0..6, i1 in 0..4 {
    %0 = load %x[i0, i1]
    %1 = neg %0
    store %o[i0, i1], %1
  }
})",
                    {view, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 1);
  EXPECT_EQ(report.views_after, 0);
  EXPECT_THAT(p.kernel_texts()[0], HasSubstr("load %a[i1, i0]"));
}

TEST(Fuse, ReadsSlicesAndReshapes) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const Slot b = p.input(matrix());
  const Slot sum = p.kernel(kAdd, {a, b, kOut});
  TensorType half = contiguous_type(DType::f32, {2, 3});
  half.strides = {12, 2};
  half.offset = 7;  // Rows 1 and 3, columns 1, 3, 5.
  p.output(p.kernel(R"(kernel @neg(%x: f32[2, 3]{12, 2}, out %o: f32[2, 3]) {
  for i0 in 0..2, i1 in 0..3 {
    %0 = load %x[i0, i1]
    %1 = neg %0
    store %o[i0, i1], %1
  }
})",
                    {p.view(sum, half), kOut}));
  EXPECT_EQ(p.fuse_and_compare(kApart).kernels_after, 1);
  EXPECT_THAT(p.kernel_texts()[0], HasSubstr("load %a[2*i0 + 1, 2*i1 + 1]"));
}

TEST(Fuse, KeepsTheConditionOfLoads) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const Slot b = p.input(matrix());
  const Slot sum = p.kernel(kAdd, {a, b, kOut});
  p.output(p.kernel(R"(kernel @pad(%x: f32[4, 6], out %o: f32[4, 8]) {
  for i0 in 0..4, i1 in 0..8 {
    %0 = index bool 1 <= i1 and i1 < 7
    %1 = const f32 3.0
    %2 = load %x[i0, i1 - 1] if %0 else %1
    store %o[i0, i1], %2
  }
})",
                    {sum, kOut}));
  EXPECT_EQ(p.fuse_and_compare(kApart).kernels_after, 1);
  EXPECT_THAT(p.kernel_texts()[0], HasSubstr("load %a[i0, i1 - 1] if"));
}

TEST(Fuse, ExpensiveValuesAreComputedOnce) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const Slot e = p.kernel(kExp, {a, kOut});
  p.output(p.kernel(R"(kernel @rows(%x: f32[4, 6], out %o: f32[2, 4, 6]) {
  for i0 in 0..2, i1 in 0..4, i2 in 0..6 {
    %0 = load %x[i1, i2]
    store %o[i0, i1, i2], %0
  }
})",
                    {e, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 2);
  ASSERT_FALSE(report.missed.empty());
  EXPECT_EQ(report.missed[0].reason, Reason::expensive);
}

TEST(Fuse, SinksIntoReductions) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const Slot sum = p.kernel(kSum, {a, kOut});
  p.output(p.kernel(R"(kernel @exp(%x: f32[1, 4], out %o: f32[1, 4]) {
  for i0 in 0..1, i1 in 0..4 {
    %0 = load %x[i0, i1]
    %1 = exp %0
    store %o[i0, i1], %1
  }
})",
                    {p.view(sum, contiguous_type(DType::f32, {1, 4})), kOut}));
  EXPECT_EQ(p.fuse_and_compare(kApart).kernels_after, 1);
}

TEST(Fuse, SinksThroughPermutations) {
  SmallPlan p;
  const Slot a = p.input(contiguous_type(DType::f32, {2, 3, 5}));
  const Slot m = p.input(contiguous_type(DType::f32, {3}));
  const Slot n = p.kernel(R"(kernel @norm(%x: f32[2, 3, 5], %m: f32[3], out %o: f32[2, 3, 5]) {
  for i0 in 0..3 {
    %0 = load %m[i0]
    %1 = exp %0
    for i1 in 0..2, i2 in 0..5 {
      %2 = load %x[i1, i0, i2]
      %3 = mul %2, %1
      store %o[i1, i0, i2], %3
    }
  }
})",
                          {a, m, kOut});
  p.output(p.kernel(R"(kernel @relu(%x: f32[2, 3, 5], %y: f32[2, 3, 5], out %o: f32[2, 3, 5]) {
  for i0 in 0..2, i1 in 0..3, i2 in 0..5 {
    %0 = const f32 0.0
    %1 = load %x[i0, i1, i2]
    %2 = max %1, %0
    %3 = load %y[i0, i1, i2]
    %4 = add %2, %3
    store %o[i0, i1, i2], %4
  }
})",
                    {n, a, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 1) << to_string(report);
}

TEST(Fuse, SinksIntoEveryPieceOfACat) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const Slot b = p.input(contiguous_type(DType::f32, {4, 2}));
  const Slot c = p.kernel(R"(kernel @cat(%x: f32[4, 6], %y: f32[4, 2], out %o: f32[4, 8]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %x[i0, i1]
    store %o[i0, i1], %0
  }
  for i2 in 0..4, i3 in 0..2 {
    %1 = load %y[i2, i3]
    store %o[i2, i3 + 6], %1
  }
})",
                          {a, b, kOut});
  p.output(p.kernel(R"(kernel @exp(%x: f32[32], out %o: f32[32]) {
  for i0 in 0..32 {
    %0 = load %x[i0]
    %1 = exp %0
    store %o[i0], %1
  }
})",
                    {p.view(c, contiguous_type(DType::f32, {32})), kOut}));
  EXPECT_EQ(p.fuse_and_compare(kApart).kernels_after, 1);
}

TEST(Fuse, UnreadResultsAreNotStored) {
  SmallPlan p;
  const Slot a = p.input(matrix());
  const auto results = p.kernels(R"(kernel @two(%x: f32[4, 6], out %o: f32[4, 6], out %s: f32[4]) {
  for i0 in 0..4 {
    %0 = reduce sum i1 in 0..6 {
      %1 = load %x[i0, i1]
      yield %1
    }
    store %s[i0], %0
    for i2 in 0..6 {
      %2 = load %x[i0, i2]
      %3 = sub %2, %0
      store %o[i0, i2], %3
    }
  }
})",
                                 {a, kOut, kOut});
  p.output(results[0]);
  p.fuse_and_compare(kApart);
  EXPECT_THAT(p.kernel_texts(), ElementsAre(Not(HasSubstr("%s"))));
  EXPECT_EQ(p.plan().steps[0].results.size(), 1U);
}

TEST(Fuse, IndexChecksStay) {
  SmallPlan p;
  const Slot index = p.input(contiguous_type(DType::i64, {4}));
  const Slot table = p.input(contiguous_type(DType::f32, {4, 6}));
  const Slot rows = p.kernel(R"(kernel @embedding(%i: i64[4], %t: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %i[i0]
    %1 = bound_index "index of aten.embedding" %0, 4
    %2 = load %t[%1, i1]
    store %o[i0, i1], %2
  }
})",
                             {index, table, kOut});
  p.output(p.kernel(R"(kernel @first(%x: f32[4, 6], out %o: f32[2, 6]) {
  for i0 in 0..2, i1 in 0..6 {
    %0 = load %x[i0, i1]
    store %o[i0, i1], %0
  }
})",
                    {rows, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 2);  // Two rows would go unchecked.
  EXPECT_EQ(report.missed[0].reason, Reason::index_check);
}

// Where iterations may meet, the store must go on to look like one of a scatter: threads are told by
// it what they must not divide.
TEST(Fuse, PlacesOfStoresBecomeExpressionsWhereTheyDiffer) {
  const auto store_of = [](const std::string& place) {
    SmallPlan p;
    const Slot x = p.kernel(kExp, {p.input(matrix()), kOut});
    p.output(
        p.kernel("kernel @scatter(%x: f32[4, 6], out %o: f32[4, 6]) {\n"
                 "  for i0 in 0..4, i1 in 0..6 {\n    %0 = index i64 " +
                     place +
                     "\n    %1 = bound_index \"index\" %0, 4\n    %2 = load %x[i0, i1]\n"
                     "    store %o[%1, i1], %2\n  }\n}",
                 {x, kOut}));
    p.fuse_and_compare(kApart);
    const std::string text = p.kernel_texts()[0];
    const size_t at = text.find("store");
    return text.substr(at, text.find(',', at) - at);
  };
  EXPECT_EQ(store_of("i0"), "store %o[i0");
  EXPECT_EQ(store_of("3 - i0"), "store %o[-i0 + 3");
  EXPECT_THAT(store_of("2"), HasSubstr("[%"));
  EXPECT_THAT(store_of("i0//2"), HasSubstr("[%"));
  EXPECT_THAT(store_of("mod(i0, 2)"), HasSubstr("[%"));
}

}  // namespace
}  // namespace litz::fusion
