// Elementary functions are evaluated in long double and rounded once where the C library has no
// such function; the others are the C library's own.

#include "runtime/cpu/imports.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <math.h>  // lgamma_r is not in <cmath>.
#include <memory>
#include <new>
#include <numbers>

#include "runtime/cpu/complex_imports.h"
#include "types/sort_row.h"

namespace litz::runtime {
namespace {

// A first guess to about three digits, from the tail of the logarithm (Winitzki's form).
long double guess_erfinv(long double x) {
  constexpr long double kShape = 0.147L;
  const long double tail = std::log1p(-x * x);
  const long double half = 2 / (std::numbers::pi_v<long double> * kShape) + tail / 2;
  return std::sqrt(std::sqrt(half * half - tail / kShape) - half);
}

// Halley's method on erf(y) - x; near one on erfc(y) - (1 - x), where erf has no digits left.
double erfinv(double x) {
  const double magnitude = std::abs(x);
  if (!(magnitude <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == 1) return std::copysign(std::numeric_limits<double>::infinity(), x);
  // Below this the first term of the series is all there is.
  if (magnitude < 1e-9) {
    return static_cast<double>(x * (std::sqrt(std::numbers::pi_v<long double>) / 2));
  }
  long double y = guess_erfinv(magnitude);
  for (int step = 0; step < 3; ++step) {
    const long double error = magnitude < 0.5
                                  ? std::erf(y) - magnitude
                                  : (1 - static_cast<long double>(magnitude)) - std::erfc(y);
    const long double slope = 2 * std::numbers::inv_sqrtpi_v<long double> * std::exp(-y * y);
    const long double newton = error / slope;
    y -= newton / (1 + y * newton);
  }
  return static_cast<double>(std::copysign(y, static_cast<long double>(x)));
}

// For x > 0: the recurrence upwards until the asymptotic series has converged.
long double positive_digamma(long double x) {
  long double shift = 0;
  for (; x < 15; x += 1) shift -= 1 / x;
  // B(2k) / 2k.
  constexpr std::array<long double, 8> kSeries{1.0L / 12,   -1.0L / 120,    1.0L / 252,
                                               -1.0L / 240, 1.0L / 132,     -691.0L / 32760,
                                               1.0L / 12,   -3617.0L / 8160};
  const long double inverse_square = 1 / (x * x);
  long double series = 0;
  for (size_t i = kSeries.size(); i-- > 0;) series = (series + kSeries[i]) * inverse_square;
  return shift + (std::log(x) - 0.5L / x - series);
}

double digamma(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (std::isinf(x) && x > 0) return x;
  if (x > 0) return static_cast<double>(positive_digamma(x));
  if (std::trunc(x) == x) return std::numeric_limits<double>::quiet_NaN();
  // Reflection; the distance from the nearest pole is exact, and keeps the tangent accurate.
  constexpr long double kPi = std::numbers::pi_v<long double>;
  const long double fraction = static_cast<long double>(x) - std::round(x);
  return static_cast<double>(positive_digamma(1 - static_cast<long double>(x)) -
                             kPi / std::tan(kPi * fraction));
}

double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/// Memory that a thread keeps for one number.
class ScratchMemory {
 public:
  void* of_size(size_t bytes) {
    if (bytes > size_) {
      memory_.reset();
      size_ = 0;
      memory_.reset(::operator new(bytes, kAlignment, std::nothrow));
      if (memory_ != nullptr) size_ = bytes;
    }
    return memory_.get();
  }

 private:
  static constexpr std::align_val_t kAlignment{64};

  struct Free {
    void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
  };

  std::unique_ptr<void, Free> memory_;
  size_t size_ = 0;
};

void* scratch(int64_t number, int64_t bytes) noexcept {
  try {
    thread_local std::vector<ScratchMemory> memories;
    const auto at = static_cast<size_t>(number);
    if (at >= memories.size()) memories.resize(at + 1);
    return memories[at].of_size(static_cast<size_t>(std::max<int64_t>(bytes, 1)));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

int32_t sort_row(int32_t dtype, void* elements, int64_t size, int64_t count, int32_t descending,
                 int64_t* origins) noexcept {
  try {
    litz::sort_row(static_cast<DType>(dtype), static_cast<std::byte*>(elements), size, count,
                   descending != 0, origins);
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);

Import unary(std::string_view name, Unary function) {
  return {name, reinterpret_cast<void*>(function)};
}

Import binary(std::string_view name, Binary function) {
  return {name, reinterpret_cast<void*>(function)};
}

std::span<const Import> own_imports() {
  static const std::array kImports{
      unary("litz_digamma_f64", digamma),
      unary("litz_erf_f64", std::erf),
      unary("litz_erfc_f64", std::erfc),
      unary("litz_erfinv_f64", erfinv),
      binary("litz_fmod_f64", std::fmod),
      unary("litz_lgamma_f64", lgamma),
      Import{"litz_scratch", reinterpret_cast<void*>(scratch)},
      Import{"litz_sort_row", reinterpret_cast<void*>(sort_row)},
  };
  return kImports;
}

}  // namespace

void* find_import(std::string_view name) {
  for (const std::span<const Import> list : {own_imports(), complex_imports()}) {
    for (const Import& import : list) {
      if (import.name == name) return import.address;
    }
  }
  return nullptr;
}

std::vector<std::string_view> import_names() {
  std::vector<std::string_view> names;
  for (const std::span<const Import> list : {own_imports(), complex_imports()}) {
    for (const Import& import : list) names.push_back(import.name);
  }
  return names;
}

}  // namespace litz::runtime
