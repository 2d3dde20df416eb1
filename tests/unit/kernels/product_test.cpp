// What calls multiply: sizes and steps of operands, merged batches, scales.

#include "kernels/product.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::kernels {
namespace {

Tensor floats(std::vector<int64_t> sizes) { return Tensor::zeros(DType::f32, std::move(sizes)); }

std::vector<int64_t> values(const Strides& strides) { return {strides.begin(), strides.end()}; }

using Numbers = std::vector<int64_t>;

TEST(Product, Matrices) {
  const Tensor right = floats({4, 5}).view({5, 4}, {1, 5}, 0);
  const Product product = describe(floats({3, 5}), right, floats({3, 4}), {});
  EXPECT_EQ(product.rows, 3);
  EXPECT_EQ(product.columns, 4);
  EXPECT_EQ(product.depth, 5);
  EXPECT_TRUE(product.batch.empty());
  EXPECT_EQ(product.left.row, 5);
  EXPECT_EQ(product.left.column, 1);
  EXPECT_EQ(product.right.row, 1);
  EXPECT_EQ(product.right.column, 5);
  EXPECT_FALSE(product.has_addend);
}

TEST(Product, VectorsHaveOneRowOrColumn) {
  const Product dot = describe(floats({5}), floats({5}), floats({}), {});
  EXPECT_EQ(dot.rows, 1);
  EXPECT_EQ(dot.columns, 1);
  EXPECT_EQ(dot.left.column, 1);
  EXPECT_EQ(dot.right.row, 1);
  const Product rows = describe(floats({2, 3, 5}), floats({5}), floats({2, 3}), {});
  EXPECT_EQ(rows.rows, 3);
  EXPECT_EQ(rows.result.row, 1);
  EXPECT_EQ(rows.result.column, 0);
  EXPECT_EQ(values(rows.batch), Numbers{2});
}

TEST(Product, WeightsOfLayersAreTurned) {
  const Product product =
      describe(floats({3, 5}), floats({4, 5}), floats({3, 4}), floats({4}), {false, true, true});
  EXPECT_EQ(product.columns, 4);
  EXPECT_EQ(product.right.row, 1);
  EXPECT_EQ(product.right.column, 5);
  EXPECT_TRUE(product.right.is_constant);
  EXPECT_TRUE(product.has_addend);
  EXPECT_EQ(product.addend.row, 0);
  EXPECT_EQ(product.addend.column, 1);
}

TEST(Product, BatchesBroadcast) {
  const Product product =
      describe(floats({7, 1, 3, 5}), floats({2, 5, 4}), floats({7, 2, 3, 4}), {});
  EXPECT_EQ(values(product.batch), (Numbers{7, 2}));
  EXPECT_EQ(values(product.left.batch), (Numbers{15, 0}));
  EXPECT_EQ(values(product.right.batch), (Numbers{0, 20}));
}

TEST(Product, RefusesOperandsThatDoNotFit) {
  EXPECT_THROW(describe(floats({3, 5}), floats({4, 5}), floats({3, 5}), {}), Error);
  EXPECT_THROW(describe(floats({}), floats({4}), floats({4}), {}), Error);
  EXPECT_THROW(describe(floats({3, 5}), floats({5, 4}).to(DType::f64), floats({3, 4}), {}), Error);
  EXPECT_THROW(describe(floats({2, 3, 5}), floats({3, 5, 4}), floats({3, 3, 4}), {}), Error);
  EXPECT_THROW(describe(floats({3, 5}), floats({5, 4}), floats({3, 4}), floats({3})), Error);
}

// [b, s, k] times [k, n] is one product of b * s rows.
TEST(Product, TrailingBatchesBecomeRows) {
  Product product = describe(floats({6, 2, 3, 5}), floats({5, 4}), floats({6, 2, 3, 4}), {});
  merge_batch_into_rows(product);
  EXPECT_TRUE(product.batch.empty());
  EXPECT_EQ(product.rows, 36);
  Product own = describe(floats({2, 3, 5}), floats({2, 5, 4}), floats({2, 3, 4}), {});
  merge_batch_into_rows(own);
  EXPECT_EQ(values(own.batch), Numbers{2});
  EXPECT_EQ(own.rows, 3);
  // Rows that are apart do not run on.
  const Tensor apart = floats({2, 6, 5}).view({2, 3, 5}, {30, 5, 1}, 0);
  Product stays = describe(apart, floats({5, 4}), floats({2, 3, 4}), {});
  merge_batch_into_rows(stays);
  EXPECT_EQ(values(stays.batch), Numbers{2});
  // Batches of single rows are rows, whatever their steps.
  Product single =
      describe(apart.view({2, 1, 5}, {30, 5, 1}, 0), floats({5, 4}), floats({2, 1, 4}), {});
  merge_batch_into_rows(single);
  EXPECT_EQ(single.rows, 2);
  EXPECT_EQ(single.left.row, 30);
}

TEST(Product, BroadcastStrides) {
  EXPECT_EQ(values(broadcast_strides(floats({3, 1}), Numbers{2, 3, 4}, "x")), (Numbers{0, 1, 0}));
  EXPECT_THROW(broadcast_strides(floats({2, 3}), Numbers{3}, "x"), Error);
  EXPECT_THROW(broadcast_strides(floats({2}), Numbers{3}, "x"), Error);
}

// NaN in an unused addend must not spread.
TEST(Product, ScalesOfCalls) {
  std::vector<Tensor> results{floats({3, 4})};
  std::vector<LibraryArgument> arguments{floats({4}), floats({3, 5}), floats({5, 4}), 2.5,
                                         int64_t{3}};
  LibraryCall call{"scaled_matmul", arguments, results};
  call.constants = 4;
  const ProductCall scaled = scaled_call(call);
  EXPECT_EQ(scaled.scales.alpha.real, 3.0);
  EXPECT_EQ(scaled.scales.alpha.integer, 3);
  EXPECT_EQ(scaled.scales.beta.real, 2.5);
  EXPECT_EQ(scaled.scales.beta.integer, 2);
  EXPECT_TRUE(scaled.operands.right_is_constant);
  EXPECT_TRUE(scaled.addend_of(call).defined());
  arguments[3] = 0.0;
  EXPECT_FALSE(scaled_call(call).addend_of(call).defined());
  arguments[4] = std::complex<double>(1, -2);
  EXPECT_EQ(scaled_call(call).scales.alpha.real, std::complex<double>(1, -2));
}

TEST(Product, OperandsOfCalls) {
  std::vector<Tensor> results{floats({3, 4})};
  const std::vector<LibraryArgument> arguments{floats({3, 5}), floats({4, 5}), {}};
  const LibraryCall call{"linear", arguments, results};
  const ProductCall linear = linear_call(call);
  EXPECT_TRUE(linear.operands.right_is_turned);
  EXPECT_FALSE(linear.addend_of(call).defined());
  EXPECT_FALSE(matmul_call(call).operands.right_is_turned);
}

}  // namespace
}  // namespace litz::kernels
