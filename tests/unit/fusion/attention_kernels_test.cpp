// Attention of the library as a kernel, on a machine that has one.

#include "fusion/attention_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/small_plan.h"

namespace litz::fusion {
namespace {

using lowering::Slot;
using testing::HasSubstr;

bool attends(DType dtype, int64_t key_columns, int64_t value_columns, size_t batch) {
  return is_half(dtype) && key_columns == 16 && value_columns == 8 && batch <= 2;
}

class AttentionKernels : public testing::Test {
 protected:
  /// The kernels of one call with a mask, which broadcasts.
  std::vector<std::string> kernels(DType dtype, Expr scale) {
    const Slot query = plan_.input(contiguous_type(dtype, {2, 3, 5, 16}));
    const Slot key = plan_.input(contiguous_type(dtype, {3, 7, 16}));
    const Slot value = plan_.input(contiguous_type(dtype, {2, 1, 7, 8}));
    const Slot mask = plan_.input(contiguous_type(DType::f32, {7}));
    plan_.output(plan_.library("attention", {query, key, value, mask},
                               contiguous_type(dtype, {2, 3, 5, 8}),
                               {scale, Expr::boolean(true), Expr::boolean(false)}));
    machine::Machine machine;
    machine.attends = attends;
    make_attention_kernels(plan_.plan(), machine, &plan_.pool);
    return plan_.kernel_texts();
  }

  SmallPlan plan_;
};

TEST_F(AttentionKernels, OperandsAreRepeatedByStridesOfZero) {
  const std::vector<std::string> texts = kernels(DType::f16, Expr::real(0.25));
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_THAT(texts[0], HasSubstr("%b1: f16[2, 3, 7, 16]{0, 112, 16, 1}"));
  EXPECT_THAT(texts[0], HasSubstr("%b2: f16[2, 3, 7, 8]{56, 0, 8, 1}"));
  EXPECT_THAT(texts[0], HasSubstr("%b3: f32[2, 3, 5, 7]{0, 0, 0, 1}"));
  EXPECT_THAT(texts[0], HasSubstr("attend safe %b4, %b0, %b1, %b2 mask %b3 scale 0.25"));
}

TEST_F(AttentionKernels, OthersStayCalls) {
  EXPECT_TRUE(kernels(DType::f32, Expr::real(0.25)).empty());
}

}  // namespace
}  // namespace litz::fusion
