// Distributions: moments of many numbers under a fixed key, and independence of streams.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "ir/streams.h"
#include "op_runner.h"
#include "ops/random_streams.h"
#include "support/check.h"
#include "support/philox.h"
#include "types/fill.h"

namespace litz::ops {
namespace {

constexpr int64_t kCount = 100'000;

std::vector<double> numbers(const Tensor& tensor) {
  const Tensor dense = tensor.to(DType::f64).contiguous();
  const auto* first = reinterpret_cast<const double*>(dense.data());
  return {first, first + dense.numel()};
}

Tensor constant(DType dtype, std::vector<int64_t> sizes, double value) {
  return fill_floats(DType::f32, std::move(sizes), 1, 0, static_cast<float>(value)).to(dtype);
}

std::vector<double> drawn(std::string_view op, const std::vector<TestArgument>& arguments) {
  return numbers(run_all(op, arguments)[0]);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values) {
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(values.size());
}

/// Within five standard errors of what they should be; the error of a variance is that of numbers
/// with this excess kurtosis.
void expect_moments(const std::vector<double>& values, double expected_mean,
                    double expected_variance, double kurtosis) {
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(mean(values), expected_mean, 5 * std::sqrt(expected_variance / count));
  EXPECT_NEAR(variance(values), expected_variance,
              5 * expected_variance * std::sqrt((kurtosis + 2) / count));
}

ir::Attribute real(double value) { return {Expr::real(value)}; }

ir::Attribute whole(int64_t value) { return {Expr(value)}; }

ir::Attribute list(std::initializer_list<int64_t> values) {
  ir::Scalars scalars;
  for (const int64_t value : values) scalars.emplace_back(value);
  return {scalars};
}

TEST(Random, MomentsOfRealDistributions) {
  const Tensor self = Tensor::zeros(DType::f32, {kCount});
  expect_moments(drawn("aten.rand", {list({kCount})}), 0.5, 1.0 / 12, -1.2);
  expect_moments(drawn("aten.randn", {list({kCount})}), 0, 1, 0);
  expect_moments(drawn("aten.uniform", {self, real(-2), real(4)}), 1, 3, -1.2);
  expect_moments(drawn("aten.normal", {self, real(3), real(2)}), 3, 4, 0);
  expect_moments(drawn("aten.exponential", {self, real(2)}), 0.5, 0.25, 6);
  const double s2 = 0.25;
  expect_moments(drawn("aten.log_normal", {self, real(0), real(0.5)}), std::exp(s2 / 2),
                 (std::exp(s2) - 1) * std::exp(s2), 8);
  std::vector<double> cauchy = drawn("aten.cauchy", {self, real(1), real(3)});
  std::ranges::sort(cauchy);
  EXPECT_NEAR(cauchy[kCount / 2], 1, 0.1);
  EXPECT_NEAR(cauchy[kCount * 3 / 4], 4, 0.15) << "a quarter lies above median + sigma";
}

TEST(Random, MomentsOfWholeNumbers) {
  const Tensor self = Tensor::zeros(DType::f32, {kCount});
  expect_moments(drawn("aten.randint.low", {whole(-3), whole(7), list({kCount})}), 1.5, 99.0 / 12,
                 -1.22);
  expect_moments(drawn("aten.bernoulli.p", {self, real(0.2)}), 0.2, 0.16, 0.25);
  expect_moments(drawn("aten.geometric", {self, real(0.25)}), 4, 12, 6.1);
  expect_moments(drawn("aten.random.to", {self, whole(100)}), 49.5, 9999.0 / 12, -1.2);
  for (const double rate : {0.5, 4.0, 30.0}) {
    expect_moments(drawn("aten.poisson", {constant(DType::f32, {kCount}, rate)}), rate, rate,
                   1 / rate);
  }
  for (const double p : {0.1, 0.5, 0.9}) {
    const double spread = 50 * p * (1 - p);
    expect_moments(drawn("aten.binomial",
                         {constant(DType::f64, {kCount}, 50), constant(DType::f64, {kCount}, p)}),
                   50 * static_cast<double>(static_cast<float>(p)), spread,
                   (1 - 6 * p * (1 - p)) / spread);
  }
}

TEST(Random, MomentsOfGammaAndShares) {
  for (const double shape : {0.5, 1.0, 6.0}) {
    expect_moments(drawn("aten._standard_gamma", {constant(DType::f64, {kCount}, shape)}), shape,
                   shape, 6 / shape);
  }
  const Tensor shares =
      run_all("aten._sample_dirichlet", {constant(DType::f64, {kCount / 4, 4}, 2)})[0];
  const std::vector<double> values = numbers(shares);
  for (size_t row = 0; row < values.size(); row += 4) {
    ASSERT_NEAR(values[row] + values[row + 1] + values[row + 2] + values[row + 3], 1, 1e-12);
  }
  EXPECT_NEAR(mean(values), 0.25, 1e-12);
  EXPECT_NEAR(variance(values), 0.25 * 0.75 / 9, 1e-3);
}

TEST(Random, GammaOfAnInfiniteShapeIsInfinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(drawn("aten._standard_gamma", {constant(DType::f64, {2}, kInfinity)}),
            (std::vector<double>{kInfinity, kInfinity}));
}

TEST(Random, NumbersLieInTheirRanges) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (const double u : drawn("aten.rand_like", {Tensor::zeros(dtype, {kCount})})) {
      ASSERT_TRUE(u >= 0 && u < 1) << name(dtype) << " " << u;
    }
  }
  const std::vector<double> bytes = drawn("aten.random", {Tensor::zeros(DType::u8, {kCount})});
  EXPECT_EQ(*std::ranges::min_element(bytes), 0);
  EXPECT_EQ(*std::ranges::max_element(bytes), 255);
  const std::vector<double> flags = drawn("aten.random", {Tensor::zeros(DType::bool_, {kCount})});
  EXPECT_NEAR(mean(flags), 0.5, 0.01);
  const std::vector<double> from =
      drawn("aten.random.from",
            {Tensor::zeros(DType::i64, {kCount}), whole(INT64_MAX - 2), ir::Attribute()});
  for (const double value : from) ASSERT_GE(value, static_cast<double>(INT64_MAX - 2));
  std::vector<double> order = drawn("aten.randperm", {whole(1000)});
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<double>(i));
}

TEST(Random, ComplexNumbersHaveIndependentParts) {
  const Tensor drawn_numbers = run_all("aten.randn_like", {Tensor::zeros(DType::c64, {kCount})})[0];
  const auto* parts = reinterpret_cast<const float*>(drawn_numbers.data());
  double real_square = 0;
  double imag_square = 0;
  double product = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    real_square += parts[2 * i] * parts[2 * i];
    imag_square += parts[2 * i + 1] * parts[2 * i + 1];
    product += parts[2 * i] * parts[2 * i + 1];
  }
  EXPECT_NEAR(real_square / kCount, 0.5, 0.02);
  EXPECT_NEAR(imag_square / kCount, 0.5, 0.02);
  EXPECT_NEAR(product / kCount, 0, 0.01);
}

TEST(Random, SamplesOfCategories) {
  std::vector<float> shares{0, 1, 3, 0, 4};
  Tensor p = Tensor::zeros(DType::f32, {5});
  std::copy(shares.begin(), shares.end(), reinterpret_cast<float*>(p.mutable_data()));
  std::vector<double> counts(5);
  const ir::Attribute yes(Expr::boolean(true));
  for (const double i : drawn("aten.multinomial", {p, whole(kCount), yes})) {
    ++counts.at(static_cast<size_t>(i));
  }
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(counts[i] / kCount, shares[i] / 8, 0.01) << i;
  // Without replacement, each once; what is impossible comes last.
  std::vector<double> all = drawn("aten.multinomial", {p, whole(3)});
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<double>{1, 2, 4}));
  Tensor rows = Tensor::zeros(DType::f32, {kCount, 2});
  auto* row = reinterpret_cast<float*>(rows.mutable_data());
  for (int64_t i = 0; i < kCount; ++i) row[2 * i] = 1, row[2 * i + 1] = 3;
  EXPECT_NEAR(mean(drawn("aten.multinomial", {rows, whole(1)})), 0.75, 0.01);
}

TEST(Random, ParametersMustFit) {
  const Tensor self = Tensor::zeros(DType::f32, {2});
  EXPECT_THROW(run_all("aten.geometric", {self, real(1)}), Error);
  EXPECT_THROW(run_all("aten.exponential", {self, real(0)}), Error);
  EXPECT_THROW(run_all("aten.uniform", {self, real(2), real(1)}), Error);
  EXPECT_THROW(run_all("aten.bernoulli.p", {self, real(1.5)}), Error);
  EXPECT_THROW(run_all("aten.normal", {self, real(0), real(-1)}), Error);
  EXPECT_THROW(run_all("aten.randint", {whole(0), list({2})}), Error);
  EXPECT_THROW(run_all("aten.multinomial", {self, whole(3)}), Error);
  EXPECT_THROW(run_all("aten.rand_like", {Tensor::zeros(DType::i64, {2})}), Error);
  EXPECT_THROW(run_all("aten.random.to", {Tensor::zeros(DType::u8, {2}), whole(300)}), Error);
  EXPECT_THROW(run_all("aten.bernoulli", {Tensor::zeros(DType::i64, {2})}), Error);
  EXPECT_THROW(run_all("aten.rrelu", {self, real(0.5), real(0.1)}), Error);
  const char* const noisy = "aten.rrelu_with_noise_functional";
  EXPECT_THROW(run_all(noisy, {self, Tensor::zeros(DType::f32, {3})}), Error);
  EXPECT_THROW(run_all(noisy, {self, Tensor::zeros(DType::f64, {2}), real(0.1), real(0.3),
                               ir::Attribute(Expr::boolean(true))}),
               Error);
  EXPECT_THROW(run_all("aten.poisson", {constant(DType::f32, {2}, -1)}), Error);
}

// --- streams

std::vector<double> from_stream(int64_t stream) {
  const int64_t key = sub_key(key_of_call(0, 0), stream);
  std::vector<double> values;
  for (int64_t i = 0; i < kCount; ++i) {
    values.push_back(static_cast<double>(static_cast<uint64_t>(philox_bits(key, i)) >> 11) *
                     0x1p-53);
  }
  return values;
}

TEST(Streams, AreIndependent) {
  const std::vector<double> first = from_stream(1);
  for (const int64_t stream : {int64_t{2}, int64_t{3}, ir::part_of_stream(1, 1)}) {
    const std::vector<double> second = from_stream(stream);
    double product = 0;
    for (size_t i = 0; i < first.size(); ++i) product += (first[i] - 0.5) * (second[i] - 0.5);
    EXPECT_NEAR(product / static_cast<double>(kCount) * 12, 0, 5 / std::sqrt(kCount));
  }
  EXPECT_EQ(from_stream(2), from_stream(2));
}

TEST(Streams, DoNotOverlap) {
  std::set<int64_t> seen;
  for (const int64_t stream : {1, 2, 3}) {
    const int64_t key = sub_key(key_of_call(0, 0), stream);
    for (int64_t i = 0; i < kCount; ++i) seen.insert(philox_bits(key, i));
  }
  EXPECT_EQ(seen.size(), size_t{3} * kCount);
}

TEST(Streams, PartsAreTheirOwn) {
  EXPECT_EQ(ir::part_of_stream(7, 0), 7);
  std::set<int64_t> parts;
  for (int64_t outer = 0; outer < 20; ++outer) {
    for (int64_t part = 1; part < 20; ++part) {
      parts.insert(ir::part_of_stream(ir::part_of_stream(7, outer), part));
    }
  }
  EXPECT_EQ(parts.size(), size_t{20} * 19);
}

TEST(Streams, KeysDifferBySeedAndCall) {
  std::set<int64_t> keys;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (uint64_t call = 0; call < 100; ++call) keys.insert(key_of_call(seed, call));
  }
  EXPECT_EQ(keys.size(), 10'000U);
  EXPECT_GE(*keys.begin(), 0);
  EXPECT_LT(*keys.rbegin(), int64_t{1} << 62);
}

}  // namespace
}  // namespace litz::ops
