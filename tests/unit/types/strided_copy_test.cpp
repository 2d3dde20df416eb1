#include "types/strided_copy.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "types/tensor.h"

namespace litz {
namespace {

Tensor counting(DType dtype, std::vector<int64_t> sizes) {
  Tensor values = Tensor::empty(DType::i64, std::move(sizes));
  auto* data = reinterpret_cast<int64_t*>(values.mutable_data());
  std::iota(data, data + values.numel(), 0);
  return values.to(dtype);
}

/// Copies and then compares every element through the slow accessor.
void expect_copy(const Tensor& source, Tensor target) {
  target.copy_from(source);
  std::vector<int64_t> index(source.rank(), 0);
  for (int64_t i = 0; i < source.numel(); ++i) {
    ASSERT_EQ(target.int_at(index), source.int_at(index)) << i;
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < source.sizes()[d]) break;
      index[d] = 0;
    }
  }
}

Tensor permuted(const Tensor& tensor, const std::vector<size_t>& order) {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  for (size_t d : order) {
    sizes.push_back(tensor.sizes()[d]);
    strides.push_back(tensor.strides()[d]);
  }
  return tensor.view(sizes, strides, tensor.offset());
}

TEST(StridedCopy, TransposesOfEveryItemSize) {
  for (DType dtype : {DType::u8, DType::i16, DType::f32, DType::f64, DType::c128}) {
    Tensor source = permuted(counting(dtype, {70, 45}), {1, 0});
    expect_copy(source, Tensor::empty(dtype, source.sizes()));
    expect_copy(source, Tensor::empty(DType::i32, source.sizes()));
  }
}

TEST(StridedCopy, PermutationsOfFourDimensions) {
  Tensor base = counting(DType::i32, {2, 3, 4, 5});
  std::vector<size_t> order = {0, 1, 2, 3};
  do {
    Tensor source = permuted(base, order);
    expect_copy(source, Tensor::empty(DType::i32, source.sizes()));
    expect_copy(source, Tensor::empty(DType::f64, source.sizes()));
    std::vector<int64_t> inverse_sizes = base.sizes();
    Tensor target = permuted(Tensor::empty(DType::i32, inverse_sizes), order);
    expect_copy(source, target);
    expect_copy(counting(DType::i32, source.sizes()), target);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(StridedCopy, BroadcastStridesAndSlices) {
  Tensor base = counting(DType::f32, {6, 8});
  expect_copy(base.view({6, 8, 3}, {8, 1, 0}, 0), Tensor::empty(DType::f32, {6, 8, 3}));
  expect_copy(base.view({5, 8}, {0, 1}, 8), Tensor::empty(DType::f32, {5, 8}));
  expect_copy(base.view({3, 4}, {16, 2}, 1), Tensor::empty(DType::f32, {3, 4}));
  expect_copy(base.view({3, 4}, {16, 2}, 1), Tensor::empty_strided(DType::f32, {3, 4}, {1, 5}));
  expect_copy(base.view({1, 1}, {100, 7}, 3), Tensor::empty(DType::f32, {1, 1}));
}

TEST(StridedCopy, CastsRunsLongerThanOneChunk) {
  Tensor source = counting(DType::i16, {1500});
  expect_copy(source, Tensor::empty(DType::f32, {1500}));
  expect_copy(source.view({700}, {2}, 0), Tensor::empty_strided(DType::i64, {700}, {3}));
}

TEST(StridedCopy, EveryPairOfDtypesCopiesSmallNumbers) {
  for (int from = 0; from < kDTypeCount; ++from) {
    for (int to = 0; to < kDTypeCount; ++to) {
      // 1 is exact in all of them, even the powers of two and bool.
      Tensor source = Tensor::scalar_int(static_cast<DType>(from), 1);
      EXPECT_EQ(source.to(static_cast<DType>(to)).int_at({}), 1)
          << name(static_cast<DType>(from)) << " to " << name(static_cast<DType>(to));
    }
  }
}

TEST(StridedCopy, EmptyAndScalarArrays) {
  Tensor empty = Tensor::empty(DType::f32, {3, 0, 2});
  empty.copy_from(Tensor::empty(DType::i8, {3, 0, 2}));
  Tensor scalar = Tensor::empty(DType::f32, {});
  scalar.copy_from(Tensor::scalar(DType::f64, 2.5));
  EXPECT_EQ(scalar.at({}), 2.5);
}

TEST(StridedCopy, FillsWithAStride) {
  Tensor target = Tensor::zeros(DType::i16, {6});
  int16_t value = 7;
  fill_elements(target.mutable_data(), 2, 3, 2, reinterpret_cast<const std::byte*>(&value));
  EXPECT_EQ(to_string(target), "i16[6] {7, 0, 7, 0, 7, 0}");
}

}  // namespace
}  // namespace litz
