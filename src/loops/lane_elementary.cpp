// Elementary functions of f32 and f64: evaluated one precision up and rounded once.
//
// f32 goes through double. f64 goes through long double, except for the functions that glibc's
// double versions already give to within one unit in the last place.

#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>

#include "loops/lane_map.h"
#include "loops/real_functions.h"

namespace litz::loops {
namespace {

template <typename T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

// Applies F in the wider precision.
template <typename T, typename F>
LaneFunction widened(F) {
  return unary_lanes<T>([](T a) { return static_cast<T>(F{}(static_cast<Wider<T>>(a))); });
}

template <typename T, typename F>
LaneFunction widened_pair(F) {
  return binary_lanes<T>([](T a, T b) {
    return static_cast<T>(F{}(static_cast<Wider<T>>(a), static_cast<Wider<T>>(b)));
  });
}

// Applies F in double for both types.
template <typename T, typename F>
LaneFunction in_double(F) {
  return unary_lanes<T>([](T a) { return static_cast<T>(F{}(static_cast<double>(a))); });
}

template <typename T>
LaneFunction exponential(ScalarOp op) {
  using W = Wider<T>;
  if (op == ScalarOp::rsqrt) return widened<T>([](W a) { return 1 / std::sqrt(a); });
  if (op == ScalarOp::exp) return in_double<T>([](double a) { return std::exp(a); });
  if (op == ScalarOp::exp2) return in_double<T>([](double a) { return std::exp2(a); });
  if (op == ScalarOp::expm1) return widened<T>([](W a) { return std::expm1(a); });
  if (op == ScalarOp::log) return in_double<T>([](double a) { return std::log(a); });
  if (op == ScalarOp::log2) return in_double<T>([](double a) { return std::log2(a); });
  if (op == ScalarOp::log10) return widened<T>([](W a) { return std::log10(a); });
  if (op == ScalarOp::log1p) return widened<T>([](W a) { return std::log1p(a); });
  if (op == ScalarOp::hypot) return widened_pair<T>([](W a, W b) { return std::hypot(a, b); });
  if (op == ScalarOp::pow) {
    return binary_lanes<T>([](T a, T b) {
      return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    });
  }
  return nullptr;
}

template <typename T>
LaneFunction trigonometric(ScalarOp op) {
  using W = Wider<T>;
  if (op == ScalarOp::sin) return in_double<T>([](double a) { return std::sin(a); });
  if (op == ScalarOp::cos) return in_double<T>([](double a) { return std::cos(a); });
  if (op == ScalarOp::tan) return widened<T>([](W a) { return std::tan(a); });
  if (op == ScalarOp::asin) return widened<T>([](W a) { return std::asin(a); });
  if (op == ScalarOp::acos) return widened<T>([](W a) { return std::acos(a); });
  if (op == ScalarOp::atan) return widened<T>([](W a) { return std::atan(a); });
  if (op == ScalarOp::atan2) return widened_pair<T>([](W a, W b) { return std::atan2(a, b); });
  if (op == ScalarOp::sinh) return widened<T>([](W a) { return std::sinh(a); });
  if (op == ScalarOp::cosh) return widened<T>([](W a) { return std::cosh(a); });
  if (op == ScalarOp::tanh) return widened<T>([](W a) { return std::tanh(a); });
  if (op == ScalarOp::asinh) return widened<T>([](W a) { return std::asinh(a); });
  if (op == ScalarOp::acosh) return widened<T>([](W a) { return std::acosh(a); });
  if (op == ScalarOp::atanh) return widened<T>([](W a) { return std::atanh(a); });
  return nullptr;
}

template <typename T>
LaneFunction special(ScalarOp op) {
  using W = Wider<T>;
  if (op == ScalarOp::erf) return widened<T>([](W a) { return std::erf(a); });
  if (op == ScalarOp::erfc) return widened<T>([](W a) { return std::erfc(a); });
  if (op == ScalarOp::erfinv) return widened<T>([](W a) { return erfinv(a); });
  if (op == ScalarOp::lgamma) return widened<T>([](W a) { return log_gamma(a); });
  if (op == ScalarOp::digamma) return widened<T>([](W a) { return digamma(a); });
  if (op == ScalarOp::angle) {
    return unary_lanes<T>([](T a) {
      return std::isnan(a) ? a : a < 0 ? std::numbers::pi_v<T> : T{0};
    });
  }
  if (op == ScalarOp::make_complex) {
    return binary_lanes<T>([](T a, T b) { return std::complex<T>(a, b); });
  }
  return nullptr;
}

template <typename T>
LaneFunction elementary(ScalarOp op) {
  if (const LaneFunction function = exponential<T>(op)) return function;
  if (const LaneFunction function = trigonometric<T>(op)) return function;
  return special<T>(op);
}

}  // namespace

LaneFunction elementary_lane_function(ScalarOp op, DType dtype) {
  return dtype == DType::f32 ? elementary<float>(op) : elementary<double>(op);
}

}  // namespace litz::loops
