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

std::vector<float> attended(const Tensor& query, const Tensor& key, const Tensor& value,
                            const LibraryArgument& mask = std::monostate(),
                            bool is_causal = false) {
  const std::vector<LibraryArgument> arguments{query, key, value, mask, 0.25, false, is_causal};
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

// Blocks of causal rows end at their diagonals.
TEST(Attention, CausalRowsSeeTheKeysUpToTheirPlace) {
  for (const auto& [rows, keys] :
       {std::pair<int64_t, int64_t>{1, 5}, {5, 1}, {63, 64}, {65, 65}, {200, 130}, {130, 200}}) {
    const Tensor query = drawn({2, rows, 64}, 1);
    const Tensor key = drawn({2, keys, 64}, 2);
    const Tensor value = drawn({2, keys, 64}, 3);
    std::vector<uint8_t> shown;
    for (int64_t i = 0; i < rows * keys; ++i) shown.push_back(i % keys <= i / keys ? 1 : 0);
    const Tensor mask =
        Tensor::of<uint8_t>(DType::bool_, {rows, keys}, std::span<const uint8_t>(shown));
    const std::vector<float> expected = attended(query, key, value, mask);
    const std::vector<float> actual = attended(query, key, value, std::monostate(), true);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(actual[i], expected[i], 1e-6) << rows << " " << keys << " " << i;
    }
  }
}

}  // namespace
}  // namespace litz::kernels
