// Attention by matrix units on the emulated card against the interpreter.

#include <cmath>
#include <limits>

#include "emulated_kernel.h"
#include "loops/attention_kernel.h"

namespace litz::codegen {
namespace {

using loops::attention_kernel;
using loops::AttentionText;

class AttentionPreludeTest : public EmulatedKernelTest {
 protected:
  /// Sums of products of halves differ by their order, and weights are rounded.
  static constexpr double kTolerance = 0.02;

  /// Fractions between -1 and 1.
  static Tensor fractions(DType dtype, std::vector<int64_t> sizes) {
    Tensor whole = whole_numbers(DType::f64, std::move(sizes), 64);
    auto* const values = reinterpret_cast<double*>(whole.mutable_data());
    for (int64_t i = 0; i < whole.numel(); ++i) values[i] /= 64;
    return whole.to(dtype);
  }

  /// Positive values, so that no sum is small beside its parts.
  static Tensor positive(DType dtype, std::vector<int64_t> sizes) {
    Tensor whole = whole_numbers(DType::f64, std::move(sizes), 32);
    auto* const values = reinterpret_cast<double*>(whole.mutable_data());
    for (int64_t i = 0; i < whole.numel(); ++i) values[i] = (values[i] + 48) / 32;
    return whole.to(dtype);
  }

  void check(AttentionText text, int64_t rows, int64_t keys, int64_t depth, int64_t columns,
             std::vector<Tensor> mask = {}) {
    const DType dtype = text.dtype == "f16" ? DType::f16 : DType::bf16;
    text.rows = std::to_string(rows);
    text.keys = std::to_string(keys);
    text.depth = std::to_string(depth);
    text.columns = std::to_string(columns);
    std::vector<Tensor> buffers{fractions(dtype, {2, 3, rows, depth}),
                                fractions(dtype, {2, 3, keys, depth}),
                                positive(dtype, {2, 3, keys, columns})};
    buffers.insert(buffers.end(), mask.begin(), mask.end());
    buffers.push_back(Tensor::zeros(dtype, {2, 3, rows, columns}));
    compare(attention_kernel(text), buffers, kTolerance);
  }
};

TEST_F(AttentionPreludeTest, RowsKeysAndColumnsOfAnyNumber) {
  check({}, 64, 64, 64, 64);
  check({.dtype = "f16"}, 130, 100, 32, 48);
  check({}, 1, 65, 8, 24);
  check({}, 70, 3, 128, 128);
  check({.dtype = "f16"}, 5, 200, 5, 7);
}

TEST_F(AttentionPreludeTest, MasksExcludeOrAdd) {
  Tensor bools = whole_numbers(DType::f64, {2, 3, 9, 70}, 1);
  check({.mask = "bool", .safe = true}, 9, 70, 16, 16, {bools.to(DType::bool_)});
  Tensor added = whole_numbers(DType::f32, {2, 3, 9, 70}, 3);
  check({.mask = "f32"}, 9, 70, 16, 16, {added});
}

TEST_F(AttentionPreludeTest, CausalRowsSeeTheKeysUpToTheirPlace) {
  for (const auto& [rows, keys] : {std::pair{1, 5}, {64, 64}, {130, 130}, {70, 200}, {200, 70}}) {
    check({.causal = true}, rows, keys, 16, 16);
  }
}

TEST_F(AttentionPreludeTest, RowsWithoutScoresAndInfinities) {
  Tensor mask = Tensor::zeros(DType::f32, {2, 3, 4, 70});
  auto* const values = reinterpret_cast<float*>(mask.mutable_data());
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < mask.numel(); ++i) {
    const int64_t row = i / 70 % 4;
    // The first row has no scores, the second none among its first 64, the third an infinite one.
    if (row == 0 || (row == 1 && i % 70 < 64)) values[i] = -kInf;
    if (row == 2 && i % 70 == 65) values[i] = kInf;
  }
  check({.mask = "f32", .safe = false}, 4, 70, 16, 16, {mask});
  check({.mask = "f32", .safe = true}, 4, 70, 16, 16, {mask});
}

// A row whose scores are all the lowest number is the mean of the values, as PyTorch's models mask.
TEST_F(AttentionPreludeTest, MasksReachDownToTheLowestNumber) {
  Tensor mask = Tensor::zeros(DType::f32, {2, 3, 4, 70});
  auto* const values = reinterpret_cast<float*>(mask.mutable_data());
  for (int64_t i = 0; i < mask.numel(); ++i) {
    if (i / 70 % 4 == 1) values[i] = std::numeric_limits<float>::lowest();
    if (i / 70 % 4 == 2 && i % 2 == 0) values[i] = -3.39e38F;
  }
  check({.mask = "f32"}, 4, 70, 16, 16, {mask});
}

TEST_F(AttentionPreludeTest, NoKeysGiveZeros) { check({}, 3, 0, 16, 16); }

TEST_F(AttentionPreludeTest, OperandsMayBeStridedAndRepeated) {
  const char* const text = R"(
kernel @attention(%q: bf16[2, 3, 5, 16]{240, 16, 48, 1}, %k: bf16[2, 3, 9, 16]{144, 0, 16, 1}, %v: bf16[2, 3, 9, 16]{432, 144, 1, 9}, %m: f32[2, 3, 5, 9]{0, 0, 0, 1}, out %o: bf16[2, 3, 5, 16]{240, 16, 48, 1}) {
  attend %o, %q, %k, %v mask %m scale 0.5
})";
  const auto strided = [](const Tensor& dense, std::vector<int64_t> sizes,
                          std::vector<int64_t> strides) {
    return dense.view(std::move(sizes), std::move(strides), 0);
  };
  compare(text,
          {strided(fractions(DType::bf16, {2, 5, 3, 16}), {2, 3, 5, 16}, {240, 16, 48, 1}),
           strided(fractions(DType::bf16, {2, 9, 16}), {2, 3, 9, 16}, {144, 0, 16, 1}),
           strided(positive(DType::bf16, {2, 3, 16, 9}), {2, 3, 9, 16}, {432, 144, 1, 9}),
           strided(fractions(DType::f32, {9}), {2, 3, 5, 9}, {0, 0, 0, 1}),
           strided(Tensor::zeros(DType::bf16, {2, 5, 3, 16}), {2, 3, 5, 16}, {240, 16, 48, 1})},
          kTolerance);
}

TEST_F(AttentionPreludeTest, SizesMayBeSymbols) {
  const Expr rows = pool_.add_symbol({.name = "s0", .range = {0, 100}});
  const Expr keys = pool_.add_symbol({.name = "s1", .range = {0, 100}});
  const loops::Kernel kernel = parsed(attention_kernel({.rows = "s0", .keys = "s1"}));
  Bindings sizes;
  sizes.set(rows.symbol(), 66);
  sizes.set(keys.symbol(), 67);
  compare(kernel,
          {fractions(DType::bf16, {2, 3, 66, 16}), fractions(DType::bf16, {2, 3, 67, 16}),
           positive(DType::bf16, {2, 3, 67, 16}), Tensor::zeros(DType::bf16, {2, 3, 66, 16})},
          sizes, kTolerance);
}

}  // namespace
}  // namespace litz::codegen
