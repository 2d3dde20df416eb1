#include "runtime/program/output_memory.h"

#include <vector>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

/// A view of `memory`, in elements.
Tensor part(const Tensor& memory, std::vector<int64_t> sizes, std::vector<int64_t> strides,
            int64_t offset) {
  return Tensor(memory.dtype(), std::move(sizes), std::move(strides), offset, memory.storage());
}

class OutputMemory : public testing::Test {
 protected:
  void expect_apart(const Tensor& a, const Tensor& b, bool are_apart) {
    EXPECT_EQ(may_meet(a, b), !are_apart);
    EXPECT_EQ(may_meet(b, a), !are_apart);
    const std::vector<Value> both{a, b};
    if (are_apart) {
      EXPECT_NO_THROW(require_apart(both));
    } else {
      EXPECT_THROW(require_apart(both), Error);
    }
  }

  Tensor memory_ = Tensor::zeros(DType::f32, {8, 8});
};

TEST_F(OutputMemory, OfOneAfterTheOtherIsApart) {
  expect_apart(part(memory_, {4, 8}, {8, 1}, 0), part(memory_, {4, 8}, {8, 1}, 32), true);
  expect_apart(part(memory_, {4, 8}, {8, 1}, 0), part(memory_, {4, 8}, {8, 1}, 31), false);
  expect_apart(memory_, Tensor::zeros(DType::f32, {8, 8}), true);
  expect_apart(memory_, part(memory_, {0, 8}, {8, 1}, 8), true);
}

TEST_F(OutputMemory, OfColumnsAndBlocksIsApart) {
  expect_apart(part(memory_, {8}, {8}, 0), part(memory_, {8}, {8}, 1), true);
  expect_apart(part(memory_, {8, 4}, {8, 1}, 0), part(memory_, {8, 4}, {8, 1}, 4), true);
  expect_apart(part(memory_, {8, 4}, {8, 1}, 0), part(memory_, {8, 4}, {8, 1}, 3), false);
  // The second block ends in the first one's next line.
  expect_apart(part(memory_, {7, 4}, {8, 1}, 0), part(memory_, {7, 4}, {8, 1}, 5), false);
  expect_apart(part(memory_, {4, 2, 4}, {16, 8, 1}, 0), part(memory_, {7, 4}, {8, 1}, 4), true);
}

TEST_F(OutputMemory, HasAPlaceForEachElement) {
  const auto require_one = [&](const Tensor& tensor) {
    const std::vector<Value> one{tensor};
    require_apart(one);
  };
  EXPECT_THROW(require_one(part(memory_, {3, 4}, {0, 1}, 0)), Error);
  EXPECT_THROW(require_one(part(memory_, {3, 4}, {2, 1}, 0)), Error);
  EXPECT_NO_THROW(require_one(part(memory_, {4, 3}, {1, 4}, 0)));
  EXPECT_NO_THROW(require_one(part(memory_, {3, 1, 4}, {8, 0, 2}, 0)));
}

TEST_F(OutputMemory, IsWrittenOrReplaced) {
  std::vector<Value> results{Tensor::of<float>(DType::f32, {2}, {3, 4}), int64_t{7},
                             Tensor::of<float>(DType::f32, {1}, {5})};
  const Tensor memory = part(memory_, {2}, {8}, 0);
  std::vector<Value> outputs{memory, std::monostate(), 1.5};
  copy_outputs(results, outputs);
  EXPECT_EQ(memory_.at({0, 0}), 3);
  EXPECT_EQ(memory_.at({1, 0}), 4);
  EXPECT_EQ(std::get<int64_t>(outputs[1]), 7);
  EXPECT_EQ(std::get<Tensor>(outputs[2]).at({0}), 5);
}

TEST_F(OutputMemory, HasTheTypeAndSizesOfResults) {
  const auto copied = [](const Value& result, Value output) {
    std::vector<Value> results{result};
    std::vector<Value> outputs{std::move(output)};
    copy_outputs(results, outputs);
  };
  const Tensor result = Tensor::zeros(DType::f32, {2});
  EXPECT_NO_THROW(copied(result, Tensor::zeros(DType::f32, {2})));
  EXPECT_THROW(copied(result, Tensor::zeros(DType::f64, {2})), Error);
  EXPECT_THROW(copied(result, Tensor::zeros(DType::f32, {3})), Error);
  EXPECT_THROW(copied(int64_t{1}, Tensor::zeros(DType::f32, {2})), Error);
  std::vector<Value> none;
  std::vector<Value> one{result};
  EXPECT_THROW(copy_outputs(one, none), Error);
}

}  // namespace
}  // namespace litz::runtime
