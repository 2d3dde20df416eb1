#include "elementary_reference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "loops/real_functions.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;
using Wide = long double;

constexpr std::array kFunctions{
    ElementaryFunction{ScalarOp::sqrt, [](Wide x, Wide) { return std::sqrt(x); }, 0.5, 0.5},
    ElementaryFunction{ScalarOp::rsqrt, [](Wide x, Wide) { return 1 / std::sqrt(x); }, 0.51, 0.51},
    ElementaryFunction{ScalarOp::exp, [](Wide x, Wide) { return std::exp(x); }, 0.9, 1.02},
    ElementaryFunction{ScalarOp::exp2, [](Wide x, Wide) { return std::exp2(x); }, 1, 1},
    ElementaryFunction{ScalarOp::expm1, [](Wide x, Wide) { return std::expm1(x); }, 1.05, 1.1},
    ElementaryFunction{ScalarOp::log, [](Wide x, Wide) { return std::log(x); }, 1, 1},
    ElementaryFunction{ScalarOp::log2, [](Wide x, Wide) { return std::log2(x); }, 1, 1},
    ElementaryFunction{ScalarOp::log10, [](Wide x, Wide) { return std::log10(x); }, 1, 1},
    ElementaryFunction{ScalarOp::log1p, [](Wide x, Wide) { return std::log1p(x); }, 1, 1},
    ElementaryFunction{ScalarOp::sin, [](Wide x, Wide) { return std::sin(x); }, 0.51, 1},
    ElementaryFunction{ScalarOp::cos, [](Wide x, Wide) { return std::cos(x); }, 0.51, 1},
    ElementaryFunction{ScalarOp::tan, [](Wide x, Wide) { return std::tan(x); }, 0.51, 1},
    ElementaryFunction{ScalarOp::asin, [](Wide x, Wide) { return std::asin(x); }, 0.51, 1.5},
    ElementaryFunction{ScalarOp::acos, [](Wide x, Wide) { return std::acos(x); }, 0.51, 1.5},
    ElementaryFunction{ScalarOp::atan, [](Wide x, Wide) { return std::atan(x); }, 0.51, 2},
    ElementaryFunction{ScalarOp::atan2, [](Wide x, Wide y) { return std::atan2(x, y); }, 0.51, 2},
    ElementaryFunction{ScalarOp::sinh, [](Wide x, Wide) { return std::sinh(x); }, 0.51, 2},
    ElementaryFunction{ScalarOp::cosh, [](Wide x, Wide) { return std::cosh(x); }, 0.51, 2},
    ElementaryFunction{ScalarOp::tanh, [](Wide x, Wide) { return std::tanh(x); }, 0.85, 1},
    ElementaryFunction{ScalarOp::asinh, [](Wide x, Wide) { return std::asinh(x); }, 0.51, 2},
    ElementaryFunction{ScalarOp::acosh, [](Wide x, Wide) { return std::acosh(x); }, 0.51, 2},
    ElementaryFunction{ScalarOp::atanh, [](Wide x, Wide) { return std::atanh(x); }, 0.51, 2},
    ElementaryFunction{ScalarOp::erf, [](Wide x, Wide) { return std::erf(x); }, 0.95, 1.5},
    ElementaryFunction{ScalarOp::erfc, [](Wide x, Wide) { return std::erfc(x); }, 0.51, 4},
    ElementaryFunction{ScalarOp::erfinv, [](Wide x, Wide) { return loops::erfinv(x); }, 0.6, 0.51},
    ElementaryFunction{ScalarOp::pow, [](Wide x, Wide y) { return std::pow(x, y); }, 0.51, 1},
    ElementaryFunction{ScalarOp::hypot, [](Wide x, Wide y) { return std::hypot(x, y); }, 0.51, 1},
    ElementaryFunction{ScalarOp::floor, [](Wide x, Wide) { return std::floor(x); }, 0, 0},
    ElementaryFunction{ScalarOp::ceil, [](Wide x, Wide) { return std::ceil(x); }, 0, 0},
    ElementaryFunction{ScalarOp::trunc, [](Wide x, Wide) { return std::trunc(x); }, 0, 0},
    ElementaryFunction{ScalarOp::round_even, [](Wide x, Wide) { return std::nearbyint(x); }, 0, 0},
    ElementaryFunction{ScalarOp::copysign, [](Wide x, Wide y) { return std::copysign(x, y); }, 0,
                       0},
    ElementaryFunction{ScalarOp::fmod, [](Wide x, Wide y) { return std::fmod(x, y); }, 0, 0},
};

}  // namespace

std::span<const ElementaryFunction> elementary_functions() { return kFunctions; }

template <typename T>
bool same_or_nan(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename T>
double error_in_units(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(exact);
  if (std::isnan(got) || std::isnan(rounded) || got == 0 || std::isinf(rounded)) {
    if (same_or_nan(got, rounded)) return 0;
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::clamp(exponent, Limits::min_exponent, Limits::max_exponent);
  const Wide unit = std::ldexp(Wide{1}, exponent - Limits::digits);
  const bool is_unlike = std::isnan(got) != std::isnan(rounded) || (got == 0 && rounded == 0);
  if (is_unlike) return HUGE_VAL;
  // Infinity stands for the number that would follow the largest.
  const Wide limit = std::ldexp(Wide{1}, Limits::max_exponent);
  const Wide value = std::isinf(got) ? std::copysign(limit, got) : got;
  return static_cast<double>(std::abs(value - exact) / unit);
}

std::vector<float> sweep(uint64_t stride) {
  std::vector<float> values;
  for (uint64_t pattern = 0; pattern < uint64_t{1} << 32; pattern += stride) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(pattern)));
  }
  values.resize(values.size() / 16 * 16);
  return values;
}

std::vector<double> random_doubles(size_t count) {
  std::mt19937_64 random(7);
  std::vector<double> values;
  while (values.size() < count) {
    uint64_t pattern = random();
    if (values.size() % 2 == 0) {
      const uint64_t exponent = 1023 - 32 + random() % 44;
      pattern = (pattern & 0x800fffffffffffffU) | exponent << 52;
    }
    values.push_back(std::bit_cast<double>(pattern));
  }
  return values;
}

template <typename T>
std::vector<T> partners(const std::vector<T>& x) {
  std::mt19937_64 random(11);
  std::vector<T> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const T scale = static_cast<T>(random() % 1000) / T{250} - T{2};
    const T whole = static_cast<T>(random() % 41) / T{2} - T{10};
    const T other = x[random() % x.size()];
    y[i] = i % 3 == 0 ? x[i] * scale : i % 3 == 1 ? whole : other;
  }
  return y;
}

template bool same_or_nan(float, float);
template bool same_or_nan(double, double);
template double error_in_units(float, long double);
template double error_in_units(double, long double);
template std::vector<float> partners(const std::vector<float>&);
template std::vector<double> partners(const std::vector<double>&);

}  // namespace litz::codegen
