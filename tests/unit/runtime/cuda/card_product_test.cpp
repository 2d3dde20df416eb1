// Products in the terms of the card's library, without a card.

#include "runtime/cuda/card_product.h"

#include <gtest/gtest.h>

#include "types/tensor.h"

namespace litz::runtime::cuda {
namespace {

Tensor floats(std::vector<int64_t> sizes) { return Tensor::zeros(DType::f32, std::move(sizes)); }

std::optional<CardProduct> made(const Tensor& left, const Tensor& right, const Tensor& result,
                                const Tensor& addend = {}, const kernels::Operands& operands = {},
                                const kernels::Scales& scales = {}) {
  return card_product(kernels::describe(left, right, result, addend, operands), scales);
}

TEST(CardProduct, MatricesByTheirContiguousDimension) {
  const auto plain = made(floats({3, 5}), floats({5, 4}), floats({3, 4}));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->product.left, (BlasMatrix{5, false, 0}));
  EXPECT_EQ(plain->product.right, (BlasMatrix{4, false, 0}));
  EXPECT_EQ(plain->product.result, (BlasMatrix{4, false, 0}));
  EXPECT_FALSE(plain->is_exchanged);
  EXPECT_EQ(plain->offsets.size(), 1U);
  const auto turned = made(floats({3, 5}), floats({4, 5}).view({5, 4}, {1, 5}, 0), floats({3, 4}));
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->product.right, (BlasMatrix{5, true, 0}));
}

// The transposed result is the product of the transposed operands.
TEST(CardProduct, TurnedResultsExchangeTheOperands) {
  const auto product = made(floats({3, 5}), floats({5, 4}), floats({4, 3}).view({3, 4}, {1, 3}, 0));
  ASSERT_TRUE(product);
  EXPECT_TRUE(product->is_exchanged);
  EXPECT_EQ(product->product.rows, 4);
  EXPECT_EQ(product->product.columns, 3);
  EXPECT_FALSE(product->product.result.is_turned);
}

TEST(CardProduct, BatchesWithEvenStepsAreOneCall) {
  const auto product = made(floats({2, 3, 4, 5}), floats({2, 3, 5, 6}), floats({2, 3, 4, 6}));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->product.batch, 6);
  EXPECT_EQ(product->product.left.batch_stride, 20);
  EXPECT_EQ(product->product.right.batch_stride, 30);
  EXPECT_EQ(product->offsets.size(), 1U);
}

TEST(CardProduct, OtherBatchesAreSeveralCalls) {
  const auto product = made(floats({2, 3, 4, 5}), floats({3, 5, 6}), floats({2, 3, 4, 6}));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->product.batch, 3);
  ASSERT_EQ(product->offsets.size(), 2U);
  EXPECT_EQ(product->offsets[1].left, 4 * 60);
  EXPECT_EQ(product->offsets[1].right, 0);
  EXPECT_EQ(product->offsets[1].result, 4 * 72);
  // Too many calls are the host's.
  EXPECT_FALSE(made(floats({300, 3, 4, 5}), floats({3, 5, 6}), floats({300, 3, 4, 6})));
}

TEST(CardProduct, Addends) {
  const kernels::Operands layer{.right_is_turned = true};
  const kernels::Scales once{.beta = {.real = 1}};
  const auto bias = made(floats({3, 5}), floats({4, 5}), floats({3, 4}), floats({4}), layer, once);
  ASSERT_TRUE(bias);
  EXPECT_EQ(bias->product.addend, BlasAddend::bias);
  const kernels::Scales twice{.alpha = {.real = 3}, .beta = {.real = 2}};
  const auto matrix =
      made(floats({3, 5}), floats({5, 4}), floats({3, 4}), floats({3, 4}), {}, twice);
  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->product.addend, BlasAddend::matrix);
  EXPECT_EQ(matrix->product.alpha, 3);
  EXPECT_EQ(matrix->product.beta, 2);
}

TEST(CardProduct, RefusesWhatTheLibraryLacks) {
  // Elements of rows and of columns that are apart.
  EXPECT_FALSE(made(floats({3, 10}).view({3, 5}, {10, 2}, 0), floats({5, 4}), floats({3, 4})));
  // Rows that repeat.
  EXPECT_FALSE(made(floats({5}).view({3, 5}, {0, 1}, 0), floats({5, 4}), floats({3, 4})));
  const auto integers = [](std::vector<int64_t> sizes) {
    return Tensor::zeros(DType::i64, std::move(sizes));
  };
  EXPECT_FALSE(made(integers({3, 5}), integers({5, 4}), integers({3, 4})));
}

// Addresses and steps decide how wide the library may read.
TEST(CardProduct, Alignment) {
  const auto odd = made(floats({3, 5}), floats({5, 4}), floats({3, 4}));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->product.alignment, 4);
  const auto even = made(floats({3, 8}), floats({8, 4}), floats({3, 4}));
  ASSERT_TRUE(even);
  EXPECT_GE(even->product.alignment, 16);
  const auto behind = made(floats({25}).view({3, 8}, {8, 1}, 1), floats({8, 4}), floats({3, 4}));
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->product.alignment, 4);
}

}  // namespace
}  // namespace litz::runtime::cuda
