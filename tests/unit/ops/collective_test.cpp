// Types of collectives, and what they refuse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

const TensorType& type(const std::vector<ir::ValueType>& types, size_t i = 0) {
  return std::get<TensorType>(types[i]);
}

Tensor matrix() { return f32({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}); }

TEST(Collectives, GatherAndScatterChangeRows) {
  const auto gathered =
      infer("_c10d_functional.all_gather_into_tensor", {matrix(), integer(3), text("0")});
  EXPECT_EQ(type(gathered).sizes, (Sizes{12, 2}));
  const auto scalars = infer("_c10d_functional.all_gather_into_tensor",
                             {Tensor::scalar(DType::f32, 1), integer(3), text("0")});
  EXPECT_EQ(type(scalars).sizes, Sizes{3});
  const auto scattered = infer("_c10d_functional.reduce_scatter_tensor",
                               {matrix(), text("sum"), integer(2), text("0")});
  EXPECT_EQ(type(scattered).sizes, (Sizes{2, 2}));
}

TEST(Collectives, ResultsAreContiguousWhereOperandsAreNot) {
  const Tensor transposed = matrix().view({2, 4}, {1, 2}, 0);
  const auto reduced = infer("_c10d_functional.all_reduce", {transposed, text("sum"), text("0")});
  EXPECT_EQ(type(reduced).strides, (Sizes{4, 1}));
  const auto spread = infer("_c10d_functional.broadcast", {transposed, integer(0), text("0")});
  EXPECT_EQ(type(spread).strides, (Sizes{1, 2})) << "like empty_like";
}

TEST(Collectives, ExchangesHaveTheReceivedRows) {
  const auto types = infer("_c10d_functional.all_to_all_single",
                           {matrix(), integers({3, 2, 0}), integers({1, 1, 2}), text("0")});
  EXPECT_EQ(type(types).sizes, (Sizes{5, 2}));
}

TEST(Collectives, CoalescedFormsHaveAResultForEach) {
  const std::vector<Tensor> both{matrix(), f32({2}, {1, 2})};
  const auto types = infer("_c10d_functional.reduce_scatter_tensor_coalesced",
                           {both, text("avg"), integer(2), text("0")});
  ASSERT_EQ(types.size(), 2u);
  EXPECT_EQ(type(types, 0).sizes, (Sizes{2, 2}));
  EXPECT_EQ(type(types, 1).sizes, Sizes{1});
}

TEST(Collectives, RefuseWhatTheirConstraintsExclude) {
  const auto refuses = [](std::string_view op, const std::vector<TestArgument>& arguments) {
    EXPECT_THROW(infer(op, arguments), Error) << op;
  };
  // C1
  refuses("_c10d_functional.all_reduce", {matrix(), text("premul_sum"), text("0")});
  // C2
  refuses("_c10d_functional.all_gather_into_tensor", {matrix(), integer(0), text("0")});
  // C3
  refuses("_c10d_functional.reduce_scatter_tensor", {matrix(), text("sum"), integer(3), text("0")});
  refuses("_c10d_functional.reduce_scatter_tensor",
          {Tensor::scalar(DType::f32, 1), text("sum"), integer(1), text("0")});
  // C4
  refuses("_c10d_functional.all_to_all_single",
          {matrix(), integers({-1, 2}), integers({2, 2}), text("0")});
  refuses("_c10d_functional.all_to_all_single",
          {Tensor::scalar(DType::f32, 1), integers({1}), integers({1}), text("0")});
  // C5
  refuses("_c10d_functional.all_gather_into_tensor_out",
          {matrix(), integer(2), text("0"), matrix()});
  refuses("_c10d_functional.reduce_scatter_tensor_out",
          {matrix(), text("sum"), integer(2), text("0"), matrix()});
  // C7
  refuses("litz.pack", {std::vector<Tensor>{}, integer(1), ir::Attribute(DType::f32)});
  refuses("litz.pack", {std::vector<Tensor>{matrix()}, integer(3), ir::Attribute(DType::f32)});
}

TEST(Collectives, PackingDividesEveryTensorIntoRows) {
  const Tensor packed = run("litz.pack", {std::vector<Tensor>{matrix(), f32({2}, {9, 10})},
                                          integer(2), ir::Attribute(DType::f32)});
  EXPECT_THAT(values(packed), ::testing::ElementsAre(1, 2, 3, 4, 9, 5, 6, 7, 8, 10));
}

}  // namespace
}  // namespace litz::ops
