// Parts of tensors by indices.

#include <litz/index.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;

Tensor counting(std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return reshape(arange(count, DType::float32), sizes);
}

TEST(PublicIndex, TakesPlacesSlicesAxesAndTensors) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_THAT(values(x[{1, 2, -1}]), ElementsAre(23));
  EXPECT_EQ((x[{ellipsis, newaxis, 0}].sizes()), (std::vector<int64_t>{2, 3, 1}));
  EXPECT_THAT(values(x[{0, slice(1, {}, 2), slice(-2)}]), ElementsAre(6, 7));
  const Tensor places = Tensor::from<int64_t>({2}, std::vector<int64_t>{2, 0});
  EXPECT_THAT(values(x[{0, places, 1}]), ElementsAre(9, 1));
  EXPECT_THAT(values(x[{ellipsis, places}][{1, 1}]), ElementsAre(18, 16));
  EXPECT_THAT(values(x[{0, x[{0}] > 9}]), ElementsAre(10, 11));
  EXPECT_THAT(values(x[{x > 21, newaxis}]), ElementsAre(22, 23));
  const Tensor rows = sum(x, 2) > 60;
  EXPECT_EQ((x[{rows, places}].sizes()), (std::vector<int64_t>{2}));
  EXPECT_THROW((x[{0, 0, 0, 0}]), Error);
  EXPECT_THROW((x[{5}]), Error);
}

}  // namespace
}  // namespace litz
