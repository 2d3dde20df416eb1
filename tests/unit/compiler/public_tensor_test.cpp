// The elements of tensors in C++ programs.

#include <litz/index.h>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::ElementsAre;

TEST(PublicTensor, GivesElementsInOrderConverted) {
  const Tensor x = reshape(arange(6), {2, 3});
  EXPECT_THAT(t(x).to_vector<int64_t>(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT((x * 1.75).to_vector<int32_t>(), ElementsAre(0, 1, 3, 5, 7, 8));
  EXPECT_EQ((x[{1, 2}].item<double>()), 5);
  EXPECT_THROW(x.item<float>(), std::length_error);
  EXPECT_THAT(zeros({0}).to_vector<float>(), ElementsAre());
}

TEST(PublicTensor, CopiesShareMemoryAndAssignmentsDoNotWrite) {
  const Tensor x = arange(2);
  Tensor same = x;
  add_(same, 1);
  EXPECT_THAT(x.to_vector<int64_t>(), ElementsAre(1, 2));
  same = zeros({2});
  EXPECT_THAT(x.to_vector<int64_t>(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace litz
