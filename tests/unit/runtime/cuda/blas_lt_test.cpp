#include "runtime/cuda/blas_lt.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"

namespace litz::runtime {
namespace {

using BlasLtTest = CudaTest;

// result[i, j] = 2 * sum of left[i, k] * right[k, j] + 3 * addend[i, j]
TEST_F(BlasLtTest, ProductsWithScalesAndAddends) {
  const cuda::BlasLt library;
  cuda::BlasProduct product{.rows = 2, .columns = 3, .depth = 2};
  product.left.lead = 2;
  product.right = {.lead = 2, .is_turned = true};
  product.result.lead = 3;
  product.addend = cuda::BlasAddend::matrix;
  product.addend_matrix.lead = 3;
  product.alpha = 2;
  product.beta = 3;
  const auto plan = library.plan(product);
  ASSERT_NE(plan, nullptr);
  const auto left = floats({1, 2, 3, 4});
  const auto right = floats({1, 0, 0, 1, 1, 1});  // By column.
  const auto addend = floats({1, 1, 1, 0, 0, 0});
  const auto result = floats(std::vector<float>(6, -1));
  const auto workspace = device_->allocate(plan->workspace_bytes());
  {
    const auto use = streams().use({});
    plan->run(use.stream(), {left->address(), right->address(), addend->address(),
                             result->address(), workspace->address()});
  }
  EXPECT_EQ(floats_of(result), (std::vector<float>{5, 7, 9, 6, 8, 14}));
}

TEST_F(BlasLtTest, TakesFloatingPointOnly) {
  cuda::BlasProduct product{.rows = 1, .columns = 1, .depth = 1};
  EXPECT_TRUE(cuda::BlasLt::takes(product));
  product.dtype = DType::i64;
  EXPECT_FALSE(cuda::BlasLt::takes(product));
  EXPECT_EQ(cuda::BlasLt::reason_missing(), "");
}

}  // namespace
}  // namespace litz::runtime
