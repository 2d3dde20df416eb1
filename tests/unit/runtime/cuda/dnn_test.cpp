#include "runtime/cuda/dnn.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"

namespace litz::runtime {
namespace {

using DnnTest = CudaTest;

cuda::DnnConvolution row_filter() {
  cuda::DnnConvolution convolution;
  convolution.input_sizes = {1, 1, 1, 4};
  convolution.input_strides = {4, 4, 4, 1};
  convolution.weight_sizes = {2, 1, 1, 2};
  convolution.weight_strides = {2, 2, 2, 1};
  convolution.result_sizes = {1, 2, 1, 3};
  convolution.result_strides = {6, 3, 3, 1};
  convolution.padding = {0, 0};
  convolution.stride = {1, 1};
  convolution.dilation = {1, 1};
  convolution.has_bias = true;
  return convolution;
}

// The library's first choice is not deterministic, so the second is taken.
TEST_F(DnnTest, ConvolutionsWithBias) {
  const cuda::Dnn library;
  const auto plan = library.plan(row_filter());
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->workspace_bytes(), 512U);
  const auto input = floats({1, 2, 3, 4});
  const auto weight = floats({1, 1, 1, -1});
  const auto bias = floats({10, 20});
  const auto result = floats(std::vector<float>(6, -1));
  const auto workspace = device_->allocate(plan->workspace_bytes());
  {
    const auto use = streams().use({});
    plan->run(use.stream(), {input->address(), weight->address(), bias->address(),
                             result->address(), workspace->address()});
  }
  EXPECT_EQ(floats_of(result), (std::vector<float>{13, 15, 17, 19, 19, 19}));
}

TEST_F(DnnTest, ShapesThatDoNotFitHaveNoPlan) {
  const cuda::Dnn library;
  cuda::DnnConvolution convolution = row_filter();
  convolution.result_sizes[3] = 5;
  EXPECT_EQ(library.plan(convolution), nullptr);
  EXPECT_EQ(cuda::Dnn::reason_missing(), "");
}

}  // namespace
}  // namespace litz::runtime
