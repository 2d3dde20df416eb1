#include "runtime/c/values.h"

#include <cstring>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime::c {
namespace {

TEST(CValues, AreTheCallersMemory) {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  const int64_t sizes[] = {2, 3};
  const int64_t turned[] = {1, 2};
  litz_tensor given{};
  given.data = elements;
  given.sizes = sizes;
  given.rank = 2;
  given.dtype = LITZ_FLOAT32;
  Tensor tensor = borrowed(given);
  EXPECT_EQ(tensor.at({1, 0}), 4);
  given.strides = turned;
  tensor = borrowed(given);
  EXPECT_EQ(tensor.at({1, 0}), 2);
  const Value kept = tensor;
  const litz_value back = shown(kept);
  EXPECT_EQ(back.kind, LITZ_KIND_TENSOR);
  EXPECT_EQ(back.tensor.data, elements);
  EXPECT_EQ(back.tensor.strides[1], 2);
}

TEST(CValues, KeepTheirKinds) {
  const auto there_and_back = [](const Value& value) {
    const litz_value c = shown(value);
    return values_of(&c, 1).at(0);
  };
  EXPECT_TRUE(std::holds_alternative<std::monostate>(there_and_back({})));
  EXPECT_EQ(std::get<int64_t>(there_and_back(int64_t{-3})), -3);
  EXPECT_EQ(std::get<double>(there_and_back(0.5)), 0.5);
  EXPECT_EQ(std::get<bool>(there_and_back(true)), true);
  EXPECT_EQ(std::get<std::string>(there_and_back(std::string("text"))), "text");
}

TEST(CValues, ThatNoCallTakesAreRefused) {
  litz_value value{};
  value.kind = LITZ_KIND_STRING;
  EXPECT_THROW(values_of(&value, 1), Error);
  value.kind = LITZ_KIND_INTS;
  EXPECT_THROW(values_of(&value, 1), Error);
  EXPECT_THROW(values_of(nullptr, 1), Error);
  EXPECT_TRUE(values_of(nullptr, 0).empty());
  litz_tensor tensor{};
  tensor.dtype = LITZ_FLOAT32;
  tensor.rank = 65;
  EXPECT_THROW(borrowed(tensor), Error);
  tensor.rank = 1;
  EXPECT_THROW(borrowed(tensor), Error) << "without sizes";
}

}  // namespace
}  // namespace litz::runtime::c
