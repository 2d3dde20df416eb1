#include "runtime/cuda/cuda_copy.h"

#include <numeric>

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "runtime/program/device_stream.h"

namespace litz::runtime {
namespace {

using CudaCopy = CudaTest;

Tensor counted(std::vector<int64_t> sizes) {
  Tensor tensor = Tensor::empty(DType::f32, std::move(sizes));
  auto* const values = reinterpret_cast<float*>(tensor.mutable_data());
  std::iota(values, values + tensor.numel(), 0.0F);
  return tensor;
}

void expect_equal(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  const Tensor x = a.contiguous();
  const Tensor y = b.contiguous();
  const auto* const p = reinterpret_cast<const float*>(x.data());
  const auto* const q = reinterpret_cast<const float*>(y.data());
  for (int64_t i = 0; i < x.numel(); ++i) ASSERT_EQ(p[i], q[i]) << i;
}

/// The same layout on fresh memory of the card, filled with -1.
Tensor like_on_card(CudaDevice& device, const Tensor& tensor) {
  const auto elements = storage_span(tensor.sizes(), tensor.strides(), tensor.offset());
  const auto memory = device.allocate(static_cast<size_t>(elements) * 4);
  device.fill({}, memory->address(), 0xbf800000, memory->size());
  return Tensor(tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.offset(), memory);
}

// Every layout, from and to every layout, from and to both sides.
TEST_F(CudaCopy, EveryLayout) {
  const Tensor base = counted({6, 8, 10});
  const std::vector<Tensor> layouts{
      counted({2, 3, 4}),
      base.view({2, 3, 4}, {80, 10, 1}, 0),    // Rows with a pitch.
      base.view({2, 3, 4}, {1, 2, 6}, 5),      // Reversed dimensions.
      base.view({2, 3, 4}, {120, 40, 10}, 3),  // Single elements.
      base.view({2, 3, 4}, {4, 8, 1}, 0),
  };
  for (size_t f = 0; f < layouts.size(); ++f) {
    for (size_t t = 0; t < layouts.size(); ++t) {
      const Tensor values = counted({2, 3, 4});
      const DeviceStream where{*device_, {}};
      const Tensor from = like_on_card(*device_, layouts[f]);
      device_->copy({}, from, values);
      const Tensor to = like_on_card(*device_, layouts[t]);
      device_->copy({}, to, from);
      expect_equal(on_host(to, where), values);
      // The bytes between the elements have stayed.
      const Tensor whole(DType::f32, {static_cast<int64_t>(to.storage()->size()) / 4}, {1}, 0,
                         to.storage());
      const Tensor bytes = on_host(whole, where);
      int64_t kept = 0;
      for (int64_t i = 0; i < bytes.numel(); ++i) kept += bytes.at({i}) == -1 ? 1 : 0;
      EXPECT_EQ(kept, bytes.numel() - 24) << f << ' ' << t;
      Tensor back = layouts[t].clone(layouts[t].strides());
      device_->copy({}, back, from);
      device_->synchronize({});
      expect_equal(back, values);
    }
  }
}

TEST_F(CudaCopy, ValuesAreCast) {
  const Tensor values = Tensor::of<float>(DType::f32, {3}, {1.75F, -2.5F, 3});
  const DeviceStream where{*device_, {}};
  const Tensor integers = fresh(DType::i64, {3}, {1}, where);
  device_->copy({}, integers, values);
  EXPECT_EQ(on_host(integers, where).int_at({1}), -2);
  const Tensor doubles = fresh(DType::f64, {3}, {1}, where);
  device_->copy({}, doubles, integers);
  Tensor narrow = Tensor::empty(DType::bf16, {3});
  device_->copy({}, narrow, doubles);
  device_->synchronize({});
  EXPECT_EQ(narrow.at({2}), 3);
}

// More than the memory between host and card holds at once.
TEST_F(CudaCopy, LargeOnesGoInParts) {
  const Tensor values = counted({5000, 1000});
  Tensor changing = values.clone();
  const DeviceStream where{*device_, {}};
  const Tensor there = copied(changing, {}, where);
  changing.copy_from(Tensor::zeros(DType::f32, {5000, 1000}));  // Has been read already.
  expect_equal(on_host(there, where), values);
}

TEST_F(CudaCopy, EmptyAndExpandedOnes) {
  const DeviceStream where{*device_, {}};
  EXPECT_EQ(on_host(copied(counted({0, 4}), {}, where), where).numel(), 0);
  const Tensor row = copied(counted({3}), {}, where);
  const Tensor expanded = row.view({2, 3}, {0, 1}, 0);
  expect_equal(on_host(copied(expanded, {}, where), where), counted({3}).view({2, 3}, {0, 1}, 0));
}

}  // namespace
}  // namespace litz::runtime
