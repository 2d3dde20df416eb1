#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/small_plan.h"

namespace litz::fusion {
namespace {

using lowering::Slot;
using testing::HasSubstr;
using testing::Not;

constexpr FusionOptions kApart{.chain_small = false, .verify = true};
constexpr Slot kOut = lowering::kNoSlot;

// One element a row from x and its row's maximum, with a value that is too dear to compute twice.
constexpr std::string_view kNorm = R"(kernel @norm(%x: f32[8, 6], out %o: f32[8, 6]) {
  for i0 in 0..8 {
    %0 = reduce max i1 in 0..6 {
      %1 = load %x[i0, i1]
      yield %1
    }
    for i2 in 0..6 {
      %2 = load %x[i0, i2]
      %3 = sub %2, %0
      store %o[i0, i2], %3
    }
  }
})";

TEST(MergeLoops, ProducerOfRowsJoinsTheirReader) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {2, 4, 6}));
  const Slot e = p.kernel(R"(kernel @exp(%x: f32[2, 4, 6], out %o: f32[2, 4, 6]) {
  for i0 in 0..2, i1 in 0..4, i2 in 0..6 {
    %0 = load %x[i0, i1, i2]
    %1 = exp %0
    store %o[i0, i1, i2], %1
  }
})",
                          {x, kOut});
  const Slot rows = p.view(e, contiguous_type(DType::f32, {8, 6}));
  p.output(p.kernel(kNorm, {rows, kOut}));
  p.output(e);
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 1) << to_string(report);
}

TEST(MergeLoops, StatisticsJoinWhatUsesThem) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {8, 6}));
  const Slot sum = p.kernel(R"(kernel @sum(%x: f32[8, 6], out %o: f32[8, 1]) {
  for i0 in 0..8 {
    %0 = reduce sum i1 in 0..6 {
      %1 = load %x[i0, i1]
      yield %1
    }
    store %o[i0, 0], %0
  }
})",
                            {x, kOut});
  p.output(p.kernel(R"(kernel @div(%x: f32[8, 6], %s: f32[8, 1], out %o: f32[8, 6]) {
  for i0 in 0..8, i1 in 0..6 {
    %0 = load %x[i0, i1]
    %1 = load %s[i0, 0]
    %2 = div %0, %1
    store %o[i0, i1], %2
  }
})",
                    {x, sum, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 1) << to_string(report);
  // The sum is a value now, and no memory.
  EXPECT_THAT(p.kernel_texts()[0], Not(HasSubstr("[8, 1]")));
}

TEST(MergeLoops, OtherRowsKeepKernelsApart) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {8, 6}));
  const Slot n = p.kernel(kNorm, {x, kOut});
  p.output(p.kernel(R"(kernel @columns(%x: f32[8, 6], out %o: f32[6]) {
  for i0 in 0..6 {
    %0 = reduce sum i1 in 0..8 {
      %1 = load %x[i1, i0]
      yield %1
    }
    store %o[i0], %0
  }
})",
                    {n, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 2);
  ASSERT_FALSE(report.missed.empty());
}

TEST(MergeLoops, StepsBetweenKeepTheirOrder) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {8, 6}));
  const Slot n = p.kernel(kNorm, {x, kOut});
  // Needs n and is needed by the last kernel: it cannot run between the halves of one kernel.
  const Slot c = p.kernel(R"(kernel @columns(%x: f32[8, 6], out %o: f32[6]) {
  for i0 in 0..6 {
    %0 = reduce sum i1 in 0..8 {
      %1 = load %x[i1, i0]
      yield %1
    }
    store %o[i0], %0
  }
})",
                          {n, kOut});
  p.output(p.kernel(R"(kernel @add(%x: f32[8, 6], %c: f32[6], out %o: f32[8, 6]) {
  for i0 in 0..8, i1 in 0..6 {
    %0 = load %x[i0, i1]
    %1 = load %c[i1]
    %2 = add %0, %1
    store %o[i0, i1], %2
  }
})",
                    {n, c, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_EQ(report.kernels_after, 3) << to_string(report);
}

TEST(ChainSmallKernels, WhateverTheirLoops) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {8, 6}));
  const Slot n = p.kernel(kNorm, {x, kOut});
  p.output(p.kernel(R"(kernel @columns(%x: f32[8, 6], out %o: f32[6]) {
  for i0 in 0..6 {
    %0 = reduce sum i1 in 0..8 {
      %1 = load %x[i1, i0]
      yield %1
    }
    store %o[i0], %0
  }
})",
                    {n, kOut}));
  EXPECT_EQ(p.fuse_and_compare({.verify = true}).kernels_after, 1);
}

TEST(MergeLoops, LoopsWithoutIterationsAlign) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {0, 33}));
  const Slot y = p.input(contiguous_type(DType::f32, {0}));
  const Slot s = p.input(contiguous_type(DType::f32, {}));
  p.output(p.kernel(R"(kernel @div(%x: f32[0, 33], %s: f32[], out %o: f32[0, 33]) {
  for i0 in 0..0, i1 in 0..33 {
    %0 = load %x[i0, i1]
    %1 = load %s[]
    %2 = div %0, %1
    store %o[i0, i1], %2
  }
})",
                    {x, s, kOut}));
  p.output(p.kernel(R"(kernel @div(%x: f32[0], %s: f32[], out %o: f32[0]) {
  for i0 in 0..0 {
    %0 = load %x[i0]
    %1 = load %s[]
    %2 = div %0, %1
    store %o[i0], %2
  }
})",
                    {y, s, kOut}));
  const FusionReport report = p.fuse_and_compare(kApart);
  EXPECT_LE(report.kernels_after, 2) << to_string(report);
}

TEST(ChainSmallKernels, ASingleValueIsPassedOn) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {6}));
  const Slot sum = p.kernel(R"(kernel @sum(%x: f32[6], out %o: f32[]) {
  %0 = reduce sum i0 in 0..6 {
    %1 = load %x[i0]
    yield %1
  }
  store %o[], %0
})",
                            {x, kOut});
  p.output(p.kernel(R"(kernel @div(%x: f32[6], %s: f32[], out %o: f32[6]) {
  for i0 in 0..6 {
    %0 = load %x[i0]
    %1 = load %s[]
    %2 = div %0, %1
    store %o[i0], %2
  }
})",
                    {x, sum, kOut}));
  EXPECT_EQ(p.fuse_and_compare({.verify = true}).kernels_after, 1);
  EXPECT_THAT(p.kernel_texts()[0], Not(HasSubstr("f32[]")));
}

TEST(MakeScratch, RowsStayInTheKernel) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {8, 6}));
  const Slot e = p.kernel(R"(kernel @exp(%x: f32[8, 6], out %t: f32[8, 6]) {
  for i0 in 0..8, i1 in 0..6 {
    %0 = load %x[i0, i1]
    %1 = exp %0
    store %t[i0, i1], %1
  }
})",
                          {x, kOut});
  p.output(p.kernel(kNorm, {e, kOut}));
  const FusionReport report = p.fuse_and_compare({.use_scratch = true, .verify = true});
  EXPECT_EQ(report.kernels_after, 1) << to_string(report);
  EXPECT_THAT(p.kernel_texts()[0], HasSubstr("scratch %t: f32[6]"));
}

TEST(MergeLoops, SymbolicRowsMerge) {
  SmallPlan p;
  SymbolInfo info;
  info.name = "s0";
  info.range = {1, 1000};
  const Expr n = p.pool.add_symbol(info);
  p.bindings.set(n.symbol(), 5);
  const Slot x = p.input(contiguous_type(DType::f32, {n, 6}));
  const Slot e = p.kernel(R"(kernel @exp(%x: f32[s0, 6], out %o: f32[s0, 6]) {
  for i0 in 0..s0, i1 in 0..6 {
    %0 = load %x[i0, i1]
    %1 = exp %0
    store %o[i0, i1], %1
  }
})",
                          {x, kOut});
  p.output(p.kernel(R"(kernel @norm(%x: f32[s0, 6], out %o: f32[s0, 6]) {
  for i0 in 0..s0 {
    %0 = reduce max i1 in 0..6 {
      %1 = load %x[i0, i1]
      yield %1
    }
    for i2 in 0..6 {
      %2 = load %x[i0, i2]
      %3 = sub %2, %0
      store %o[i0, i2], %3
    }
  }
})",
                    {e, kOut}));
  EXPECT_EQ(p.fuse_and_compare(kApart).kernels_after, 1);
}

TEST(MergeLoops, EqualReductionsAreComputedOnce) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {8, 6}));
  for (const std::string_view op : {"sub", "mul"}) {
    p.output(p.kernel("kernel @" + std::string(op) + R"((%x: f32[8, 6], out %o: f32[8, 6]) {
  for i0 in 0..8 {
    %0 = reduce sum i1 in 0..6 {
      %1 = load %x[i0, i1]
      %2 = mul %1, %1
      yield %2
    }
    for i2 in 0..6 {
      %3 = load %x[i0, i2]
      %4 = )" + std::string(op) +
                          R"( %3, %0
      store %o[i0, i2], %4
    }
  }
})",
                      {x, kOut}));
  }
  EXPECT_EQ(p.fuse_and_compare(kApart).kernels_after, 1);
  const std::string text = p.kernel_texts()[0];
  EXPECT_EQ(text.find("reduce sum"), text.rfind("reduce sum")) << text;
}

// What differs in one constant, or in the elements it reads, is another reduction.
TEST(MergeLoops, OtherReductionsAreKept) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {8, 6}));
  for (const std::string_view index : {"i0, i1", "i0, 5 - i1", "i0, i1//2"}) {
    for (const std::string_view factor : {"2.0", "3.0"}) {
      p.output(p.kernel(R"(kernel @rows(%x: f32[8, 6], out %o: f32[8]) {
  for i0 in 0..8 {
    %0 = const f32 )" + std::string(factor) +
                            R"(
    %1 = reduce sum i1 in 0..6 {
      %2 = load %x[)" + std::string(index) +
                            R"(]
      %3 = mul %2, %0
      yield %3
    }
    store %o[i0], %1
  }
})",
                        {x, kOut}));
    }
  }
  p.fuse_and_compare(kApart);
}

}  // namespace
}  // namespace litz::fusion
