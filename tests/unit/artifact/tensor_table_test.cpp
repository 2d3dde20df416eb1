#include "artifact/tensor_table.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::artifact {
namespace {

struct Written {
  std::vector<std::byte> types;
  std::vector<std::byte> data;
};

Written written(std::span<const Tensor> tensors) {
  const TensorTableWriter writer(tensors);
  ByteWriter types;
  ByteWriter data;
  writer.write_types(types);
  writer.write_storages(data);
  return {types.take(), data.take()};
}

TEST(TensorTable, TensorsShareWhatTheyShared) {
  const Tensor first = Tensor::of<float>(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<Tensor> tensors{first, first.view({3, 2}, {1, 3}, 0),
                                    Tensor::of<int64_t>(DType::i64, {1}, {9})};
  const Written bytes = written(tensors);
  EXPECT_EQ(bytes.data.size(), 128U);  // Two storages.
  ByteReader in(bytes.types, "a table");
  const std::vector<Tensor> read = read_tensor_table(in, bytes.data, nullptr);
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].storage(), read[1].storage());
  EXPECT_EQ(read[1].at({2, 1}), 6);
  EXPECT_EQ(read[2].int_at({0}), 9);
}

TEST(TensorTable, TensorsLieInTheData) {
  const std::vector<Tensor> tensors{Tensor::of<float>(DType::f32, {16}, std::vector<float>(16))};
  const Written bytes = written(tensors);
  ByteReader in(bytes.types, "a table");
  EXPECT_THROW(read_tensor_table(in, std::span(bytes.data).first(60), nullptr), Error);
}

}  // namespace
}  // namespace litz::artifact
