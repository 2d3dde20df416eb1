// Attention over whole buffers: its text, its rules, and its values by hand.

#include "loops/attend.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "loops/attention_kernel.h"
#include "loops/interpreter.h"
#include "support/check.h"

namespace litz::loops {
namespace {

Tensor singles(std::vector<int64_t> sizes, const std::vector<float>& values) {
  return Tensor::of<float>(DType::f32, std::move(sizes), std::span<const float>(values));
}

/// One matrix in f32.
AttentionText small() {
  return {.dtype = "f32", .batch = "", .rows = "2", .keys = "3", .depth = "1", .columns = "1"};
}

Tensor attention(const AttentionText& text, std::vector<Tensor> buffers) {
  ExprPool pool;
  buffers.push_back(Tensor::zeros(DType::f32, {2, 1}));
  const Kernel kernel = parse_kernel(attention_kernel(text), pool);
  verify(kernel);
  EXPECT_EQ(to_string(kernel), attention_kernel(text));
  interpret(kernel, buffers, {});
  return buffers.back();
}

const Tensor kQuery = singles({2, 1}, {1, 2});
const Tensor kKey = singles({3, 1}, {0, 4, 8});
const Tensor kValue = singles({3, 1}, {10, 20, 40});

/// Values weighted by the exponentials of these scores.
float weighted(const std::vector<double>& scores) {
  const double values[] = {10, 20, 40};
  double sum = 0;
  double total = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    sum += std::exp(scores[i]) * values[i];
    total += std::exp(scores[i]);
  }
  return static_cast<float>(sum / total);
}

TEST(Attend, WeighsValuesByTheSoftmaxOfScaledScores) {
  const Tensor result = attention(small(), {kQuery, kKey, kValue});
  EXPECT_NEAR(result.at({0, 0}), weighted({0, 1, 2}), 1e-5);
  EXPECT_NEAR(result.at({1, 0}), weighted({0, 2, 4}), 1e-5);
}

TEST(Attend, MasksAreAddedAfterTheScale) {
  AttentionText text = small();
  text.mask = "f32";
  const Tensor mask = singles({2, 3}, {1, 0, 0, 0, 0, -1});
  const Tensor result = attention(text, {kQuery, kKey, kValue, mask});
  EXPECT_NEAR(result.at({0, 0}), weighted({1, 1, 2}), 1e-5);
  EXPECT_NEAR(result.at({1, 0}), weighted({0, 2, 3}), 1e-5);
}

TEST(Attend, CausalRowsSeeTheKeysUpToTheirPlace) {
  AttentionText text = small();
  text.causal = true;
  const Tensor result = attention(text, {kQuery, kKey, kValue});
  EXPECT_NEAR(result.at({0, 0}), weighted({0}), 1e-5);
  EXPECT_NEAR(result.at({1, 0}), weighted({0, 2}), 1e-5);
}

TEST(Attend, RowsWithoutScoresAreNaNOrZero) {
  AttentionText text = small();
  text.mask = "bool";
  const Tensor mask = singles({2, 3}, {1, 1, 0, 0, 0, 0}).to(DType::bool_);
  const Tensor result = attention(text, {kQuery, kKey, kValue, mask});
  EXPECT_NEAR(result.at({0, 0}), weighted({0, 1}), 1e-5);
  EXPECT_TRUE(std::isnan(result.at({1, 0})));
  text.safe = true;
  EXPECT_EQ(attention(text, {kQuery, kKey, kValue, mask}).at({1, 0}), 0);
}

std::string failure(const std::string& text) {
  try {
    ExprPool pool;
    verify(parse_kernel(text, pool));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Attend, BuffersMustFitEachOther) {
  const std::string head =
      "kernel @k(%q: f32[2, 1], %k: f32[3, 1], %v: f32[4, 1], %w: f32[3, 1], %m: f32[2, 3], "
      "out %o: f32[2, 1]) {\n  ";
  const auto failure_in = [&](const std::string& instr) { return failure(head + instr + "\n}\n"); };
  EXPECT_EQ(failure_in("attend %o, %q, %k, %w mask %m scale 1.0"), "");
  EXPECT_NE(failure_in("attend %o, %q, %k, %v scale 1.0").find("must fit each other"),
            std::string::npos);
  EXPECT_NE(failure_in("attend %o, %q, %k, %w mask %k scale 1.0").find("must fit each other"),
            std::string::npos);
  EXPECT_NE(failure_in("attend %q, %q, %k, %w scale 1.0").find("must write an output"),
            std::string::npos);
  EXPECT_NE(failure_in("for i in 0..2 {\n attend %o, %q, %k, %w scale 1.0\n }").find("in a loop"),
            std::string::npos);
}

}  // namespace
}  // namespace litz::loops
