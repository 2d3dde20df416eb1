// Accuracy of the emitted elementary functions over their whole domain, and their special values.

#include "codegen/llvm/elementary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "elementary_reference.h"
#include "elementary_runner.h"
#include "loops/real_functions.h"
#include "runtime/cpu/imports.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

// The reference is itself off by as much, and a bound of 1/2 is that of correct rounding.
constexpr double kSlack = 1e-3;

template <typename T>
struct Samples {
  std::vector<T> x;
  std::vector<T> y;
};

Samples<float> samples(float) {
  const std::vector<float> x = sweep(49999);
  return {x, partners(x)};
}

Samples<double> samples(double) {
  const std::vector<double> x = random_doubles(24000);
  return {x, partners(x)};
}

template <typename T>
std::vector<T> run_all(ScalarOp op, int lanes, const Samples<T>& samples,
                       const CpuTarget& target = CpuTarget::host()) {
  std::vector<T> out(samples.x.size());
  ElementaryRunner<T>(op, lanes, target)
      .run(samples.x.data(), samples.y.data(), out.data(), static_cast<int64_t>(out.size()));
  return out;
}

// fmod by a tiny divisor takes the C library thousands of steps in long double.
template <typename T>
bool is_slow(ScalarOp op, T x, T y) {
  return op == ScalarOp::fmod && std::abs(x / y) > T{1e30};
}

template <typename T>
void expect_accurate(const ElementaryFunction& function, const Samples<T>& in, double bound) {
  const std::vector<T> out = run_all<T>(function.op, 8, in);
  double worst = 0;
  size_t worst_at = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (is_slow(function.op, in.x[i], in.y[i])) continue;
    const double error = error_in_units(out[i], function.reference(in.x[i], in.y[i]));
    if (error > worst) {
      worst = error;
      worst_at = i;
    }
  }
  EXPECT_LE(worst, bound) << loops::name(function.op) << " of f" << sizeof(T) * 8 << " at "
                          << std::hexfloat << in.x[worst_at] << ", " << in.y[worst_at] << " gave "
                          << out[worst_at] << " for "
                          << function.reference(in.x[worst_at], in.y[worst_at]);
}

class Elementary : public testing::TestWithParam<ElementaryFunction> {};

TEST_P(Elementary, IsAccurateInF32) {
  expect_accurate<float>(GetParam(), samples(0.0F), GetParam().f32_bound + kSlack);
}

TEST_P(Elementary, IsAccurateInF64) {
  expect_accurate<double>(GetParam(), samples(0.0), GetParam().f64_bound + kSlack);
}

// Widths, and narrower registers than this machine's, must not show in a result.
template <typename T>
void expect_same_at_any_width(ScalarOp op) {
  Samples<T> in = samples(T{0});
  in.x.resize(4096);
  in.y.resize(4096);
  const std::vector<T> expected = run_all<T>(op, 8, in);
  const auto expect_same = [&](int lanes, const CpuTarget& target) {
    const std::vector<T> out = run_all<T>(op, lanes, in, target);
    for (size_t i = 0; i < out.size(); ++i) {
      ASSERT_TRUE(same_or_nan(out[i], expected[i]))
          << loops::name(op) << " at " << in.x[i] << ", " << in.y[i] << " in " << lanes
          << " lanes for " << target.name << " gave " << out[i] << " and in 8 " << expected[i];
    }
  };
  const CpuTarget host = CpuTarget::host();
  expect_same(1, host);
  expect_same(16, host);
  const CpuTarget avx2 = CpuTarget::named("avx2");
  if (avx2.triple == host.triple) expect_same(16, avx2);
}

TEST_P(Elementary, IsTheSameAtAnyWidth) {
  expect_same_at_any_width<float>(GetParam().op);
  expect_same_at_any_width<double>(GetParam().op);
}

// All pairs of the numbers where functions have limits, poles and branches.
template <typename T>
Samples<T> special_pairs() {
  using Limits = std::numeric_limits<T>;
  const T odd = std::ldexp(T{1}, Limits::digits) - 1;
  const std::vector<T> magnitudes{T{0},
                                  Limits::denorm_min(),
                                  Limits::min() / 2,
                                  Limits::min(),
                                  Limits::epsilon() / 4,
                                  T{0.25},
                                  T{0.5},
                                  T{1} - Limits::epsilon() / 2,
                                  T{1},
                                  T{1} + Limits::epsilon(),
                                  T{1.5},
                                  T{2},
                                  T{3},
                                  T{4},
                                  T{100},
                                  odd,
                                  odd + 1,
                                  odd * 4,
                                  Limits::max() / 4,
                                  Limits::max(),
                                  Limits::infinity(),
                                  Limits::quiet_NaN()};
  std::vector<T> values;
  for (const T magnitude : magnitudes) values.insert(values.end(), {magnitude, -magnitude});
  Samples<T> pairs;
  for (const T x : values) {
    for (const T y : values) {
      pairs.x.push_back(x);
      pairs.y.push_back(y);
    }
  }
  return pairs;
}

TEST_P(Elementary, HasItsSpecialValues) {
  expect_accurate<float>(GetParam(), special_pairs<float>(), GetParam().f32_bound + kSlack);
  expect_accurate<double>(GetParam(), special_pairs<double>(), GetParam().f64_bound + kSlack);
}

TEST_P(Elementary, CallsWhatTheRuntimeProvides) {
  for (const bool is_f64 : {false, true}) {
    const std::string import = elementary_import(GetParam().op, is_f64);
    if (import.empty()) continue;
    EXPECT_NE(runtime::find_import(import), nullptr) << import;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Elementary, testing::ValuesIn(elementary_functions()),
                         [](const auto& test) { return std::string(loops::name(test.param.op)); });

template <typename T>
void expect_nextafter() {
  const Samples<T> in = special_pairs<T>();
  const std::vector<T> out = run_all<T>(ScalarOp::nextafter, 8, in);
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(same_or_nan(out[i], std::nextafter(in.x[i], in.y[i])))
        << in.x[i] << " towards " << in.y[i] << " gave " << out[i];
  }
}

TEST(ElementaryNextafter, IsTheCLibrarys) {
  expect_nextafter<float>();
  expect_nextafter<double>();
}

template <typename T>
void expect_constant_power(T y) {
  const Samples<T> in = special_pairs<T>();
  std::vector<T> out(in.x.size());
  ElementaryRunner<T>(ScalarOp::pow, y, 8)
      .run(in.x.data(), in.y.data(), out.data(), static_cast<int64_t>(out.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const long double exact = std::pow(static_cast<long double>(in.x[i]), y);
    EXPECT_LE(error_in_units(out[i], exact), sizeof(T) == 4 ? 0.51 : 1)
        << in.x[i] << " to the power " << y << " gave " << out[i];
  }
}

TEST(ElementaryPow, HasShortFormsForConstants) {
  for (const double y : {-5.0, -4.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
    expect_constant_power(static_cast<float>(y));
    expect_constant_power(y);
  }
}

// Polynomials of pieces are worst at their ends.
void expect_accurate_in_pieces(ScalarOp op, float rate) {
  Samples<float> in;
  for (int piece = 0; piece < 8; ++piece) {
    float x = (static_cast<float>(piece) + 0.5F) / rate;
    for (int step = 0; step < 8192; ++step) x = std::nextafter(x, 0.0F);
    for (int step = 0; step < 16384; ++step) {
      in.x.push_back(step % 2 == 0 ? x : -x);
      x = std::nextafter(x, 10.0F);
    }
  }
  in.y = in.x;
  for (const ElementaryFunction& function : elementary_functions()) {
    if (function.op == op) expect_accurate(function, in, function.f32_bound);
  }
}

TEST(ElementaryPieces, AreAccurateWhereTheyMeet) {
  expect_accurate_in_pieces(ScalarOp::erf, 1.91F);
  expect_accurate_in_pieces(ScalarOp::tanh, 0.831F);
}

// The numbers that come closest to multiples of pi/2: all but the last bits of x 2/pi cancel.
TEST(ElementaryTrigonometric, ReducesTheHardestArguments) {
  const double hard = 0x1.6ac5b262ca1ffp+849;
  const float hard_f32 = 0x1.f37c8ap+95F;
  for (const ScalarOp op : {ScalarOp::sin, ScalarOp::cos, ScalarOp::tan}) {
    for (const ElementaryFunction& function : elementary_functions()) {
      if (function.op != op) continue;
      EXPECT_LE(error_in_units(ElementaryRunner<double>(op, 4)(hard), function.reference(hard, 0)),
                1);
      EXPECT_LE(
          error_in_units(ElementaryRunner<float>(op, 4)(hard_f32), function.reference(hard_f32, 0)),
          0.51);
    }
  }
}

// Their errors near zeros are not bounded in units of the result.
TEST(ElementaryGamma, AreAccurateAwayFromZeros) {
  for (const double x : {1e-300, 1e-3, 0.25, 0.75, 3.5, 10.0, 1e5, 1e300, -0.5, -3.25}) {
    EXPECT_NEAR(ElementaryRunner<double>(ScalarOp::lgamma, 8)(x) / loops::log_gamma(x), 1, 1e-15);
    EXPECT_NEAR(ElementaryRunner<double>(ScalarOp::digamma, 8)(x) / loops::digamma(x), 1, 1e-13);
  }
  const ElementaryRunner<float> digamma(ScalarOp::digamma, 8);
  EXPECT_EQ(digamma(0.0F), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(digamma(-0.0F), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(digamma(-2.0F)));
  EXPECT_EQ(ElementaryRunner<float>(ScalarOp::lgamma, 8)(-2.0F),
            std::numeric_limits<float>::infinity());
}

TEST(ElementaryOps, AreKnown) {
  EXPECT_TRUE(is_elementary(ScalarOp::exp));
  EXPECT_FALSE(is_elementary(ScalarOp::add));
  EXPECT_EQ(runtime::find_import("litz_unknown_f64"), nullptr);
}

TEST(ElementaryOps, UseAllThatTheRuntimeProvides) {
  std::set<std::string, std::less<>> used;
  for (int op = 0; op < loops::kScalarOpCount; ++op) {
    for (const bool is_f64 : {false, true}) {
      used.insert(elementary_import(static_cast<ScalarOp>(op), is_f64));
    }
  }
  for (const std::string_view name : runtime::import_names()) {
    EXPECT_TRUE(!name.ends_with("_f64") || used.contains(name)) << name;
  }
}

}  // namespace
}  // namespace litz::codegen
