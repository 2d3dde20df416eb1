// Random kernels: the interpreter's lanes agree bit for bit with an evaluator that has none, and
// text round-trips.

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "loops/failure_of.h"
#include "loops/interpreter.h"
#include "loops/random_kernel.h"
#include "loops/simple_evaluator.h"
#include "loops/simplify.h"

namespace litz::loops {
namespace {

constexpr int kKernels = 150;

std::vector<Tensor> clones(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors) copies.push_back(tensor.clone(tensor.strides()));
  return copies;
}

// All NaNs are one value: which bits survive an addition of two is the compiler's choice.
bool agree(const Tensor& a, const Tensor& b) {
  const size_t bytes = a.storage()->size();
  if (a.dtype() != DType::f32) return std::memcmp(a.data(), b.data(), bytes) == 0;
  const auto* x = reinterpret_cast<const float*>(a.data());
  const auto* y = reinterpret_cast<const float*>(b.data());
  for (size_t i = 0; i < bytes / sizeof(float); ++i) {
    if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    if (std::memcmp(&x[i], &y[i], sizeof(float)) != 0) return false;
  }
  return true;
}

TEST(RandomKernels, LanesAgreeWithOneElementAtATime) {
  int completed = 0;
  for (int seed = 0; seed < kKernels; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    ExprPool pool;
    const RandomKernel made = random_kernel(pool, random);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto expected = clones(made.buffers);
    const auto actual = clones(made.buffers);
    const auto expected_failure =
        failure_of([&] { evaluate_simply(made.kernel, expected, made.bindings); });
    const auto actual_failure = failure_of([&] { interpret(made.kernel, actual, made.bindings); });
    ASSERT_EQ(actual_failure.has_value(), expected_failure.has_value()) << to_string(made.kernel);
    if (expected_failure) continue;  // A maximum of nothing.
    ++completed;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(agree(actual[i], expected[i])) << made.kernel.buffers[i].name << '\n'
                                                 << to_string(made.kernel);
    }
  }
  EXPECT_GT(completed, kKernels / 2);
}

TEST(RandomKernels, SimplifyingChangesNoResult) {
  for (int seed = 0; seed < kKernels; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    ExprPool pool;
    RandomKernel made = random_kernel(pool, random);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string before = to_string(made.kernel);
    const auto expected = clones(made.buffers);
    const auto actual = clones(made.buffers);
    const auto expected_failure =
        failure_of([&] { interpret(made.kernel, expected, made.bindings); });
    simplify(made.kernel);
    verify(made.kernel);
    ASSERT_FALSE(simplify(made.kernel)) << before << to_string(made.kernel);
    const auto actual_failure = failure_of([&] { interpret(made.kernel, actual, made.bindings); });
    ASSERT_EQ(actual_failure.has_value(), expected_failure.has_value()) << before;
    if (expected_failure) continue;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(agree(actual[i], expected[i])) << before << to_string(made.kernel);
    }
  }
}

TEST(RandomKernels, TextRoundTrips) {
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    ExprPool pool;
    const std::string text = to_string(random_kernel(pool, random).kernel);
    ASSERT_EQ(to_string(parse_kernel(text, pool)), text);
    ExprPool fresh;
    ASSERT_EQ(to_string(parse_kernel(text, fresh)), text);
  }
}

}  // namespace
}  // namespace litz::loops
