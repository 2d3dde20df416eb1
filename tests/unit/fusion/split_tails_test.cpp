// The last loops of row kernels, computed where few of their elements are read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/small_plan.h"
#include "loops/softmax_kernel.h"

namespace litz::fusion {
namespace {

using lowering::Slot;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr Slot kOut = lowering::kNoSlot;
constexpr FusionOptions kOptions{.verify = true};

TEST(SplitTails, OneElementOfARowIsComputedWhereItIsRead) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {64, 512}));
  const Slot at = p.input(contiguous_type(DType::i64, {64}));
  const Slot rows = p.kernel(loops::softmax_kernel("64", "512"), {x, kOut});
  p.output(p.kernel(R"(
kernel @pick(%x: f32[64, 512], %at: i64[64], out %o: f32[64]) {
  for i in 0..64 {
    %0 = load %at[i]
    %1 = bound_index "index" %0, 512
    %2 = load %x[i, %1]
    store %o[i], %2
  }
})",
                    {rows, at, kOut}));
  p.fuse_and_compare(kOptions);
  EXPECT_THAT(p.kernel_texts(), Each(Not(HasSubstr("out %y: f32[64, 512]"))));
}

TEST(SplitTails, RowsThatAreReadWholeStayOneKernel) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {64, 512}));
  const Slot rows = p.kernel(loops::softmax_kernel("64", "512"), {x, kOut});
  p.output(p.kernel(R"(
kernel @sums(%x: f32[64, 512], out %o: f32[64]) {
  for i in 0..64 {
    %0 = reduce sum j in 0..512 {
      %1 = load %x[i, j]
      yield %1
    }
    store %o[i], %0
  }
})",
                    {rows, kOut}));
  EXPECT_EQ(p.fuse_and_compare(kOptions).kernels_after, 1);
}

TEST(SplitTails, ResultsOfThePlanAreStored) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {64, 512}));
  const Slot rows = p.kernel(loops::softmax_kernel("64", "512"), {x, kOut});
  p.output(rows);
  p.output(p.kernel(R"(
kernel @first(%x: f32[64, 512], out %o: f32[64]) {
  for i in 0..64 {
    %0 = load %x[i, 0]
    store %o[i], %0
  }
})",
                    {rows, kOut}));
  p.fuse_and_compare(kOptions);
  EXPECT_THAT(p.kernel_texts()[0], HasSubstr("f32[64, 512]"));
}

}  // namespace
}  // namespace litz::fusion
