// Functions that write their result in tiles hand over every element once, when it is final.

#include <mutex>

#include <gtest/gtest.h>

#include "kernels/library.h"
#include "kernels/library_context.h"
#include "kernels/tile_epilogue.h"
#include "support/thread_pool.h"

namespace litz::kernels {
namespace {

/// Negates what it is given: twice is as if never.
class Negate final : public TileEpilogue {
 public:
  void run(const ResultTile& tile) const override {
    const std::lock_guard lock(mutex_);
    for (int64_t i = 0; i < tile.rows; ++i) {
      for (int64_t j = 0; j < tile.columns; ++j) {
        const int64_t offset = i * tile.row_stride + j * tile.column_stride;
        auto* const value = reinterpret_cast<float*>(tile.first) + offset;
        *value = -*value;
        ++elements;
      }
    }
  }

  mutable int64_t elements = 0;

 private:
  mutable std::mutex mutex_;
};

Tensor filled(std::vector<int64_t> sizes) {
  Tensor tensor = Tensor::empty(DType::f32, std::move(sizes));
  auto* const values = reinterpret_cast<float*>(tensor.mutable_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>((i * 7919 + 13) % 101) / 50.0F - 1.0F;
  }
  return tensor;
}

void expect_negated(std::string_view name, const std::vector<LibraryArgument>& arguments,
                    const Tensor& like) {
  ASSERT_TRUE(function_facts(name)->takes_epilogue);
  ThreadPool threads(3);
  for (ThreadPool* pool : {static_cast<ThreadPool*>(nullptr), &threads}) {
    LibraryContext context(pool);
    const auto run = [&](const TileEpilogue* epilogue) {
      std::vector<Tensor> results{
          Tensor::empty_strided(like.dtype(), like.sizes(), like.strides())};
      LibraryCall call{name, arguments, results, &context};
      call.epilogue = epilogue;
      find_library_function(name)(call);
      return results[0].contiguous();
    };
    const Negate negate;
    const Tensor plain = run(nullptr);
    const Tensor negated = run(&negate);
    EXPECT_EQ(negate.elements, plain.numel());
    const auto* const a = reinterpret_cast<const float*>(plain.data());
    const auto* const b = reinterpret_cast<const float*>(negated.data());
    for (int64_t i = 0; i < plain.numel(); ++i) ASSERT_EQ(a[i], -b[i]) << i;
  }
}

Tensor strided(std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  return Tensor::empty_strided(DType::f32, std::move(sizes), std::move(strides));
}

TEST(TileEpilogue, Products) {
  for (const int64_t rows : {1, 3, 37, 300}) {
    const Tensor left = filled({rows, 129});
    const Tensor right = filled({129, 70});
    expect_negated("matmul", {left, right}, filled({rows, 70}));
    expect_negated("matmul", {left, right}, strided({rows, 70}, {1, rows}));
    expect_negated("linear", {left, filled({65, 129}), filled({65})}, filled({rows, 65}));
    expect_negated("scaled_matmul", {filled({70}), left, right, 0.5, 2.0}, filled({rows, 70}));
  }
  expect_negated("matmul", {filled({3, 2, 9, 20}), filled({2, 20, 31})}, filled({3, 2, 9, 31}));
  expect_negated("linear", {filled({4, 50, 33}), filled({2, 33}), std::monostate()},
                 filled({4, 50, 2}));
}

std::vector<LibraryArgument> convolution_of(const Tensor& input, const Tensor& weight,
                                            int64_t groups) {
  const std::vector<int64_t> ones(input.rank() - 2, 1);
  const std::vector<int64_t> zeros(input.rank() - 2, 0);
  return {input, weight, filled({weight.sizes()[0]}), ones, ones, ones, false, zeros, groups};
}

TEST(TileEpilogue, Convolutions) {
  const Tensor image = filled({2, 8, 9, 11});
  expect_negated("convolution", convolution_of(image, filled({20, 8, 3, 3}), 1),
                 filled({2, 20, 9, 11}));
  expect_negated("convolution", convolution_of(image, filled({20, 8, 3, 3}), 1),
                 strided({2, 20, 9, 11}, {1980, 1, 220, 20}));
  expect_negated("convolution", convolution_of(image, filled({12, 4, 3, 3}), 2),
                 filled({2, 12, 9, 11}));
  expect_negated("convolution", convolution_of(image, filled({8, 1, 3, 3}), 8),
                 filled({2, 8, 9, 11}));
  // Positions of a channel do not follow each other at one step.
  expect_negated("convolution", convolution_of(image, filled({5, 8, 3, 3}), 1),
                 strided({2, 5, 9, 11}, {495, 99, 1, 9}));
}

}  // namespace
}  // namespace litz::kernels
