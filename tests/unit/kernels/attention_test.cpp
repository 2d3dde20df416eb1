#include <random>

#include <gtest/gtest.h>

#include "library_call.h"

namespace litz::kernels {
namespace {

Tensor drawn(std::vector<int64_t> sizes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(sizes[0] * sizes[1] * sizes[2]));
  for (float& value : values) value = normal(random);
  return Tensor::of<float>(DType::f32, std::move(sizes), std::span<const float>(values));
}

std::vector<float> attended(const Tensor& query, const Tensor& key, const Tensor& value) {
  const std::vector<LibraryArgument> arguments{query, key, value, std::monostate(), 0.25, false};
  Tensor result = Tensor::zeros(DType::f32, query.sizes());
  const Tensor made = call_library("attention", arguments, {result})[0];
  const auto* const values = reinterpret_cast<const float*>(made.data());
  return {values, values + made.numel()};
}

// Rows are attended in blocks. A thin block would read keys and values where they lie, and sum in
// the order of their layout.
TEST(Attention, ResultsDoNotDependOnTheLayoutOfKeysAndValues) {
  for (const int64_t rows : {5, 127, 128, 129, 130, 258, 513}) {
    const Tensor query = drawn({2, rows, 64}, 1);
    const Tensor key = drawn({2, 70, 64}, 2);
    const Tensor value = drawn({2, 70, 64}, 3);
    const std::vector<float> expected = attended(query, key, value);
    const std::vector<int64_t> across{70 * 64, 1, 70};
    EXPECT_EQ(attended(query, key.clone(across), value), expected) << rows;
    EXPECT_EQ(attended(query, key, value.clone(across)), expected) << rows;
  }
}

}  // namespace
}  // namespace litz::kernels
