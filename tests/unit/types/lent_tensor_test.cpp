#include "types/lent_tensor.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

TEST(LentTensor, LiesInTheMemory) {
  float memory[] = {1, 2, 3, 4, 5, 6};
  const Tensor rows = lent_tensor(DType::f32, {2, 3}, {}, memory);
  EXPECT_EQ(rows.at({1, 0}), 4);
  EXPECT_EQ(static_cast<const void*>(rows.data()), memory);
  EXPECT_EQ(lent_tensor(DType::f32, {3, 2}, {1, 3}, memory).at({0, 1}), 4);
}

TEST(LentTensor, IsRefusedWithoutWhatItNeeds) {
  float memory[6] = {};
  EXPECT_THROW(lent_tensor(DType::f32, {3}, {}, nullptr), Error);
  EXPECT_THROW(lent_tensor(DType::f32, {-3}, {}, memory), Error);
  EXPECT_THROW(lent_tensor(DType::f32, {3}, {-1}, memory), Error);
  EXPECT_THROW(lent_tensor(DType::f32, {3}, {1, 1}, memory), Error);
  EXPECT_NO_THROW(lent_tensor(DType::f32, {0}, {}, nullptr));
}

}  // namespace
}  // namespace litz
