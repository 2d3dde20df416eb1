// Arithmetic, comparison and rounding of f32 and f64, each in its own precision.

#include <cmath>

#include "loops/lane_map.h"
#include "loops/real_functions.h"

namespace litz::loops {
namespace {

// A missing function is null; lane_function() reports it, and scalar_op_test.cpp finds it.
template <typename T>
LaneFunction arithmetic(ScalarOp op) {
  if (op == ScalarOp::add) return binary_lanes<T>([](T a, T b) { return a + b; });
  if (op == ScalarOp::sub) return binary_lanes<T>([](T a, T b) { return a - b; });
  if (op == ScalarOp::mul) return binary_lanes<T>([](T a, T b) { return a * b; });
  if (op == ScalarOp::div) return binary_lanes<T>([](T a, T b) { return a / b; });
  if (op == ScalarOp::floor_div)
    return binary_lanes<T>([](T a, T b) { return real_floor_div(a, b); });
  if (op == ScalarOp::trunc_div) return binary_lanes<T>([](T a, T b) { return std::trunc(a / b); });
  if (op == ScalarOp::mod) return binary_lanes<T>([](T a, T b) { return real_mod(a, b); });
  if (op == ScalarOp::fmod) return binary_lanes<T>([](T a, T b) { return std::fmod(a, b); });
  if (op == ScalarOp::neg) return unary_lanes<T>([](T a) { return -a; });
  if (op == ScalarOp::abs) return unary_lanes<T>([](T a) { return std::abs(a); });
  if (op == ScalarOp::sign) {
    return unary_lanes<T>([](T a) { return static_cast<T>((a > 0 ? 1 : 0) - (a < 0 ? 1 : 0)); });
  }
  if (op == ScalarOp::min) {
    return binary_lanes<T>([](T a, T b) { return a < b || std::isnan(a) ? a : b; });
  }
  if (op == ScalarOp::max) {
    return binary_lanes<T>([](T a, T b) { return a > b || std::isnan(a) ? a : b; });
  }
  if (op == ScalarOp::fmin) {
    return binary_lanes<T>([](T a, T b) { return a < b || std::isnan(b) ? a : b; });
  }
  if (op == ScalarOp::fmax) {
    return binary_lanes<T>([](T a, T b) { return a > b || std::isnan(b) ? a : b; });
  }
  if (op == ScalarOp::fma) return ternary_lanes<T>([](T a, T b, T c) { return std::fma(a, b, c); });
  if (op == ScalarOp::copysign)
    return binary_lanes<T>([](T a, T b) { return std::copysign(a, b); });
  if (op == ScalarOp::nextafter)
    return binary_lanes<T>([](T a, T b) { return std::nextafter(a, b); });
  return nullptr;
}

template <typename T>
LaneFunction comparison(ScalarOp op) {
  if (op == ScalarOp::eq) return binary_lanes<T>([](T a, T b) -> uint8_t { return a == b; });
  if (op == ScalarOp::ne) return binary_lanes<T>([](T a, T b) -> uint8_t { return a != b; });
  if (op == ScalarOp::lt) return binary_lanes<T>([](T a, T b) -> uint8_t { return a < b; });
  if (op == ScalarOp::le) return binary_lanes<T>([](T a, T b) -> uint8_t { return a <= b; });
  if (op == ScalarOp::is_nan) return unary_lanes<T>([](T a) -> uint8_t { return a != a; });
  if (op == ScalarOp::is_inf) return unary_lanes<T>([](T a) -> uint8_t { return std::isinf(a); });
  if (op == ScalarOp::signbit)
    return unary_lanes<T>([](T a) -> uint8_t { return std::signbit(a); });
  return nullptr;
}

template <typename T>
LaneFunction rounding(ScalarOp op) {
  if (op == ScalarOp::floor) return unary_lanes<T>([](T a) { return std::floor(a); });
  if (op == ScalarOp::ceil) return unary_lanes<T>([](T a) { return std::ceil(a); });
  if (op == ScalarOp::trunc) return unary_lanes<T>([](T a) { return std::trunc(a); });
  if (op == ScalarOp::round_even) return unary_lanes<T>([](T a) { return std::nearbyint(a); });
  if (op == ScalarOp::sqrt) return unary_lanes<T>([](T a) { return std::sqrt(a); });
  return nullptr;
}

template <typename T>
LaneFunction real_function(ScalarOp op) {
  if (const LaneFunction function = arithmetic<T>(op)) return function;
  if (const LaneFunction function = comparison<T>(op)) return function;
  return rounding<T>(op);
}

}  // namespace

LaneFunction real_lane_function(ScalarOp op, DType dtype) {
  return dtype == DType::f32 ? real_function<float>(op) : real_function<double>(op);
}

}  // namespace litz::loops
