// Convolutions in the terms of the card's library, without a card.

#include "runtime/cuda/card_convolution.h"

#include <gtest/gtest.h>

namespace litz::runtime::cuda {
namespace {

using Ints = std::vector<int64_t>;

/// The arguments of a call of "convolution".
struct Call {
  Tensor input;
  Tensor weight;
  Tensor result;
  Tensor bias = {};
  Ints stride = {1, 1};
  Ints padding = {0, 0};
  Ints dilation = {1, 1};
  bool is_transposed = false;
  int64_t groups = 1;

  std::optional<DnnConvolution> made() const {
    const kernels::LibraryArgument added =
        bias.defined() ? kernels::LibraryArgument(bias) : kernels::LibraryArgument();
    const std::vector<kernels::LibraryArgument> arguments{
        input, weight, added, stride, padding, dilation, is_transposed, Ints{0, 0}, groups};
    std::vector<Tensor> results{result};
    return card_convolution({"convolution", arguments, results});
  }
};

Tensor floats(Ints sizes) { return Tensor::zeros(DType::f32, std::move(sizes)); }

Call images() { return {floats({2, 4, 6, 5}), floats({3, 4, 3, 3}), floats({2, 3, 4, 3})}; }

TEST(CardConvolution, Images) {
  Call call = images();
  call.bias = floats({3});
  call.stride = {2, 1};
  call.padding = {1};
  const auto made = call.made();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->input_sizes, (Ints{2, 4, 6, 5}));
  EXPECT_EQ(made->input_strides, (Ints{120, 30, 5, 1}));
  EXPECT_EQ(made->weight_sizes, (Ints{3, 4, 3, 3}));
  EXPECT_EQ(made->stride, (Ints{2, 1}));
  EXPECT_EQ(made->padding, (Ints{1, 1}));
  EXPECT_TRUE(made->has_bias);
  EXPECT_EQ(made->weight_strides, (Ints{36, 9, 3, 1}));
}

// The library has at least two spatial dimensions; an inserted one has size 1 and no padding.
TEST(CardConvolution, Rows) {
  Call call{floats({2, 4, 9}), floats({3, 4, 3}), floats({2, 3, 5})};
  call.stride = {2};
  call.padding = {1};
  call.dilation = {1};
  const auto made = call.made();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->input_sizes, (Ints{2, 4, 1, 9}));
  EXPECT_EQ(made->stride, (Ints{1, 2}));
  EXPECT_EQ(made->padding, (Ints{0, 1}));
}

TEST(CardConvolution, ImagesWithoutABatch) {
  Call call = images();
  call.input = floats({4, 6, 5});
  call.result = floats({3, 4, 3});
  const auto made = call.made();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->input_sizes, (Ints{1, 4, 6, 5}));
  EXPECT_EQ(made->result_sizes, (Ints{1, 3, 4, 3}));
}

TEST(CardConvolution, WeightsWithTheChannelsLast) {
  Call call = images();
  call.weight = call.weight.clone({36, 1, 12, 4});
  ASSERT_TRUE(call.made());
  EXPECT_EQ(call.made()->weight_strides, (Ints{36, 1, 12, 4}));
  call.weight = call.weight.clone({1, 27, 9, 3});
  EXPECT_FALSE(call.made());
}

// The strides of a dimension of one element tell the library the order, too.
TEST(CardConvolution, PointsOfImagesWithTheChannelsLast) {
  Call call;
  call.input = floats({2, 4, 1, 5}).clone({20, 1, 20, 4});
  call.weight = floats({3, 4, 1, 1});
  call.result = floats({2, 3, 1, 5}).clone({15, 1, 15, 3});
  call.stride = call.dilation = {1, 1};
  call.padding = {0, 0};
  const auto made = call.made();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->weight_strides, (Ints{4, 1, 4, 4}));
  EXPECT_EQ(made->result_strides, (Ints{15, 1, 15, 3}));
}

TEST(CardConvolution, RefusesWhatTheLibraryLacks) {
  ASSERT_TRUE(images().made());
  Call integers = images();
  integers.input = integers.input.to(DType::i64);
  integers.weight = integers.weight.to(DType::i64);
  integers.result = integers.result.to(DType::i64);
  EXPECT_FALSE(integers.made());
  Call mixed = images();
  mixed.weight = mixed.weight.to(DType::f64);
  EXPECT_FALSE(mixed.made());
  Call empty = images();
  empty.input = floats({0, 4, 6, 5});
  empty.result = floats({0, 3, 4, 3});
  EXPECT_FALSE(empty.made());
  Call repeated = images();
  repeated.input = floats({1, 4, 6, 5}).view({2, 4, 6, 5}, {0, 30, 5, 1}, 0);
  EXPECT_FALSE(repeated.made());
  Call negative = images();
  negative.padding = {-1, 0};
  EXPECT_FALSE(negative.made());
  Call biased = images();
  biased.bias = floats({6}).view({3}, {2}, 0);
  EXPECT_FALSE(biased.made());
}

}  // namespace
}  // namespace litz::runtime::cuda
