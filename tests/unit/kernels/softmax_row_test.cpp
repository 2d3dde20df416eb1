// The softmax of attention's rows, in the vectors of every instruction set that this machine runs.

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/micro_kernels.h"

namespace litz::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<SoftmaxRow> softmax_rows() {
  std::vector<SoftmaxRow> rows{portable_micro_kernels().softmax_row};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    rows.push_back(avx2_micro_kernels().softmax_row);
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    rows.push_back(avx512_micro_kernels().softmax_row);
  }
#endif
  return rows;
}

std::vector<double> expected(const std::vector<float>& scores, double scale) {
  double largest = -kInf;
  for (const float score : scores) largest = std::max(largest, score * scale);
  std::vector<double> weights;
  double sum = 0;
  for (const float score : scores) {
    weights.push_back(std::exp(score * scale - largest));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

TEST(SoftmaxRow, IsExactToAFewUnitsForEveryLength) {
  for (const SoftmaxRow run : softmax_rows()) {
    for (int count = 1; count < 70; ++count) {
      for (const float scale : {1.0F, 0.125F, -2.0F}) {
        std::vector<float> scores;
        for (int j = 0; j < count; ++j) {
          scores.push_back(static_cast<float>((j * 7919 + 13) % 101) * 0.37F - 20.0F);
        }
        const std::vector<double> want = expected(scores, scale);
        scores.push_back(123);  // Beyond the row.
        run(scores.data(), count, scale, false);
        for (int j = 0; j < count; ++j) {
          // Scaling rounds scores of up to 40; the exponential turns that into a relative error.
          ASSERT_NEAR(scores[static_cast<size_t>(j)], want[static_cast<size_t>(j)],
                      4e-6 * want[static_cast<size_t>(j)] + 1e-37)
              << count << " scores, number " << j;
        }
        EXPECT_EQ(scores.back(), 123);
      }
    }
  }
}

TEST(SoftmaxRow, MinusInfinityHasNoWeight) {
  for (const SoftmaxRow run : softmax_rows()) {
    std::vector<float> scores(37, -kInf);
    scores[5] = -1000;
    scores[36] = -1000;
    run(scores.data(), 37, 1, true);
    for (size_t j = 0; j < scores.size(); ++j) EXPECT_EQ(scores[j], j == 5 || j == 36 ? 0.5F : 0);
  }
}

TEST(SoftmaxRow, RowsOfNothing) {
  for (const SoftmaxRow run : softmax_rows()) {
    for (const int count : {1, 16, 37}) {
      std::vector<float> safe(static_cast<size_t>(count), -kInf);
      std::vector<float> plain = safe;
      run(safe.data(), count, 1, true);
      run(plain.data(), count, 1, false);
      for (const float weight : safe) EXPECT_EQ(weight, 0);
      for (const float weight : plain) EXPECT_TRUE(std::isnan(weight));
    }
  }
}

TEST(SoftmaxRow, NaNAndInfinitySpoilTheRow) {
  for (const SoftmaxRow run : softmax_rows()) {
    for (const float spoiler : {kInf, std::numeric_limits<float>::quiet_NaN()}) {
      for (const size_t at : {size_t{0}, size_t{20}, size_t{36}}) {
        for (const float others : {0.5F, -kInf}) {
          std::vector<float> scores(37, others);
          scores[at] = spoiler;
          run(scores.data(), 37, 1, true);
          EXPECT_TRUE(std::isnan(scores[at]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace litz::kernels
