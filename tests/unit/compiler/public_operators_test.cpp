// Operators, indices and numbers of tensors, as C++ programs use them.

#include <cmath>
#include <litz/index.h>
#include <litz/litz.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor counting(std::vector<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return reshape(arange(count, DType::float32), sizes);
}

TEST(PublicOperators, PromoteAsInPyTorch) {
  const Tensor integers = arange(3);
  EXPECT_EQ(integers.dtype(), DType::int64);
  EXPECT_EQ((integers + 1).dtype(), DType::int64);
  EXPECT_EQ((integers + 0.5).dtype(), DType::float32);
  EXPECT_EQ((integers > 1).dtype(), DType::bool_);
  EXPECT_THAT(values(2 - integers), ElementsAre(2, 1, 0));
  EXPECT_THAT(values(1 / (integers + 1.0)), ElementsAre(1, 0.5, 1.0F / 3));
}

TEST(PublicOperators, ViewsShareMemory) {
  const Tensor x = counting({2, 3});
  const Tensor row = x[{1}];
  add_(row, 10);
  EXPECT_THAT(values(x), ElementsAre(0, 1, 2, 13, 14, 15));
  fill_(reshape(x, {6})[{slice(0, {}, 2)}], -1);
  EXPECT_THAT(values(x), ElementsAre(-1, 1, -1, 13, -1, 15));
  EXPECT_THAT(values(t(x)), ElementsAre(-1, 13, 1, -1, -1, 15));
  EXPECT_EQ(t(x).strides(), (std::vector<int64_t>{1, 3}));
  // Rows of a transposed tensor are copied.
  const Tensor copy = reshape(t(x), {6});
  fill_(copy, 0);
  EXPECT_EQ(values(x)[1], 1);
}

TEST(PublicOperators, CopiesHaveMemoryOfTheirOwn) {
  const Tensor x = counting({3});
  Tensor copy = clone(x);
  copy += 1;
  EXPECT_THAT(values(x), ElementsAre(0, 1, 2));
  EXPECT_THAT(values(copy), ElementsAre(1, 2, 3));
  Tensor same = x;
  same += 1;
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3));
}

TEST(PublicOperators, ResultsOfSeveralKinds) {
  const Tensor x = counting({2, 3});
  const auto [largest, places] = max(x, 1);
  EXPECT_THAT(values(largest), ElementsAre(2, 5));
  EXPECT_THAT(places.to_vector<int64_t>(), ElementsAre(2, 2));
  EXPECT_EQ(chunk(x, 3, 1).size(), 3U);
  EXPECT_EQ(nonzero(x > 3).sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(sum(x).item<double>(), 15);
  EXPECT_EQ(sum(x, 0).sizes(), (std::vector<int64_t>{3}));
  EXPECT_EQ(mean(x, {0, 1}, true).sizes(), (std::vector<int64_t>{1, 1}));
  EXPECT_THROW(x.item<float>(), std::length_error);
}

TEST(PublicOperators, ErrorsNameTheOperator) {
  try {
    add(counting({3}), counting({4}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("aten.add.Tensor"));
  }
}

TEST(PublicOperators, SeedsRepeatNumbers) {
  manual_seed(3);
  const std::vector<float> first = values(rand({4}));
  EXPECT_NE(values(rand({4})), first);
  manual_seed(3);
  EXPECT_EQ(values(rand({4})), first);
}

}  // namespace
}  // namespace litz
