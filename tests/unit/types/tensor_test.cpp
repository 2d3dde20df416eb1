#include "types/tensor.h"

#include <limits>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

TEST(Storage, OwnsAlignedZeroedMemory) {
  auto storage = Storage::allocate(100);
  EXPECT_EQ(storage->size(), 100U);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(storage->data()) % 64, 0U);
  EXPECT_EQ(storage->data()[99], std::byte{0});
  EXPECT_NE(Storage::allocate(0)->data(), nullptr);
}

TEST(Storage, BorrowedBytesAreReadOnlyAndKeptAlive) {
  auto keeper = std::make_shared<std::vector<std::byte>>(8);
  std::weak_ptr<const void> alive = keeper;
  auto storage = Storage::borrow(*keeper, keeper);
  keeper.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_FALSE(storage->is_writable());
  EXPECT_THROW(storage->mutable_data(), InternalError);
  storage.reset();
  EXPECT_TRUE(alive.expired());
}

TEST(Tensor, MustLieInsideItsStorage) {
  auto storage = Storage::allocate(24 * 4);
  EXPECT_NO_THROW(Tensor(DType::f32, {4, 6}, {6, 1}, 0, storage));
  EXPECT_NO_THROW(Tensor(DType::f32, {4, 6}, {1, 4}, 0, storage));
  EXPECT_NO_THROW(Tensor(DType::f32, {1000, 0}, {6, 1}, 99, storage));
  EXPECT_THROW(Tensor(DType::f32, {4, 6}, {6, 1}, 1, storage), Error);
  EXPECT_THROW(Tensor(DType::f64, {4, 6}, {6, 1}, 0, storage), Error);
  EXPECT_THROW(Tensor(DType::f32, {4, 6}, {6}, 0, storage), Error);
  EXPECT_THROW(Tensor(DType::f32, {-1}, {1}, 0, storage), Error);
  EXPECT_THROW(Tensor(DType::f32, {2}, {-1}, 1, storage), Error);
  EXPECT_THROW(Tensor(DType::f32, {2}, {1}, -1, storage), Error);
}

TEST(Tensor, ExtentsThatOverflowAreRefused) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  auto storage = Storage::allocate(8);
  EXPECT_THROW(Tensor(DType::f32, {kHuge, kHuge}, {0, 0}, 0, storage), Error);
  EXPECT_THROW(Tensor(DType::f32, {3}, {kHuge}, 0, storage), Error);
  EXPECT_THROW(Tensor(DType::f32, {1}, {1}, kHuge, storage), Error);
  EXPECT_THROW(Tensor::empty(DType::f32, {kHuge}), Error);
  EXPECT_EQ(checked_numel(std::vector<int64_t>{kHuge, kHuge, 0}), 0);
  EXPECT_THROW(contiguous_strides(std::vector<int64_t>{2, kHuge, 2}), Error);
  EXPECT_EQ(Tensor(DType::f32, {kHuge, 4, 0}, {0, 0, 0}, 0, storage).numel(), 0);
  EXPECT_THROW(Tensor(DType::f32, {0}, {1}, kHuge, storage), Error);
}

TEST(Tensor, StridesCountEmptyDimensionsAsOne) {
  EXPECT_EQ(contiguous_strides(std::vector<int64_t>{2, 0, 3}), (std::vector<int64_t>{3, 3, 1}));
  EXPECT_EQ(contiguous_strides(std::vector<int64_t>{}), std::vector<int64_t>{});
}

TEST(Tensor, ContiguityIgnoresDimensionsOfOneElement) {
  auto storage = Storage::allocate(64);
  EXPECT_TRUE(Tensor(DType::i8, {3, 1, 4}, {4, 17, 1}, 0, storage).is_contiguous());
  EXPECT_FALSE(Tensor(DType::i8, {3, 4}, {1, 3}, 0, storage).is_contiguous());
  EXPECT_TRUE(Tensor(DType::i8, {3, 0}, {1, 3}, 0, storage).is_contiguous());
  EXPECT_TRUE(Tensor(DType::i8, {}, {}, 5, storage).is_contiguous());
}

TEST(Tensor, ValuesAreCastToTheDtype) {
  Tensor tensor = Tensor::of<float>(DType::bf16, {2, 2}, {1, 2.5F, -3, 0});
  EXPECT_EQ(tensor.dtype(), DType::bf16);
  EXPECT_EQ(tensor.at({0, 1}), 2.5);
  EXPECT_EQ(tensor.int_at({1, 0}), -3);
  EXPECT_EQ(Tensor::of<bool>(DType::bool_, {2}, {true, false}).int_at({0}), 1);
  EXPECT_THROW(Tensor::of<float>(DType::f32, {3}, {1, 2}), Error);
  EXPECT_THROW(tensor.at({2, 0}), Error);
  EXPECT_THROW(tensor.at({0}), Error);
}

TEST(Tensor, ViewsShareAndClonesDoNot) {
  Tensor base = Tensor::of<int32_t>(DType::i32, {2, 3}, {0, 1, 2, 3, 4, 5});
  Tensor view = base.view({3, 2}, {1, 3}, 0);
  EXPECT_EQ(view.storage(), base.storage());
  EXPECT_EQ(view.int_at({2, 1}), 5);
  Tensor dense = view.contiguous();
  EXPECT_NE(dense.storage(), base.storage());
  EXPECT_EQ(to_string(dense), "i32[3, 2] {0, 3, 1, 4, 2, 5}");
  EXPECT_EQ(base.contiguous().storage(), base.storage());
  Tensor strided = base.clone({1, 2});
  EXPECT_EQ(strided.strides(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(strided.int_at({1, 0}), 3);
  EXPECT_THROW(base.view({7}, {1}, 0), Error);
}

TEST(Tensor, ReinterpretsBitsOfTheSameSize) {
  Tensor bits = Tensor::of<uint16_t>(DType::u16, {2}, {0x3f80, 0xc000});
  Tensor values = bits.view_as(DType::bf16);
  EXPECT_EQ(values.at({0}), 1);
  EXPECT_EQ(values.at({1}), -2);
  EXPECT_THROW(bits.view_as(DType::f32), Error);
}

TEST(Tensor, ScalarsKeepAll64Bits) {
  constexpr int64_t kLarge = (int64_t{1} << 62) + 1;
  EXPECT_EQ(Tensor::scalar_int(DType::i64, kLarge).int_at({}), kLarge);
  EXPECT_EQ(Tensor::scalar(DType::f64, 0.1).at({}), 0.1);
  EXPECT_EQ(Tensor::scalar_int(DType::c64, 3).complex_at({}), std::complex<double>(3, 0));
}

TEST(Tensor, CopyNeedsEqualSizes) {
  Tensor target = Tensor::empty(DType::f32, {2, 3});
  EXPECT_THROW(target.copy_from(Tensor::empty(DType::f32, {3, 2})), Error);
}

TEST(Tensor, NormalizesBooleans) {
  Tensor tensor = Tensor::of<uint8_t>(DType::u8, {3}, {0, 1, 255});
  normalize_booleans(tensor.mutable_data(), 3);
  EXPECT_EQ(to_string(tensor), "u8[3] {0, 1, 1}");
}

}  // namespace
}  // namespace litz
