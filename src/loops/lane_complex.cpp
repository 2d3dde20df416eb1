// Arithmetic and elementary functions of c64 and c128, evaluated in parts of double.

#include <cmath>
#include <complex>

#include "loops/lane_map.h"
#include "types/complex_functions.h"

namespace litz::loops {
namespace {

using Z = std::complex<double>;

template <typename T, typename F>
LaneFunction unary(F) {
  using C = std::complex<T>;
  return unary_lanes<C>([](C a) { return C(F{}(Z(a))); });
}

template <typename T, typename F>
LaneFunction binary(F) {
  using C = std::complex<T>;
  return binary_lanes<C>([](C a, C b) { return C(F{}(Z(a), Z(b))); });
}

template <typename T>
LaneFunction arithmetic(ScalarOp op) {
  using C = std::complex<T>;
  if (op == ScalarOp::add) return binary<T>([](Z a, Z b) { return a + b; });
  if (op == ScalarOp::sub) return binary<T>([](Z a, Z b) { return a - b; });
  if (op == ScalarOp::mul) return binary<T>([](Z a, Z b) { return complex_product(a, b); });
  if (op == ScalarOp::div) {
    return binary_lanes<C>([](C a, C b) { return complex_quotient(a, b); });
  }
  if (op == ScalarOp::pow) return binary<T>([](Z a, Z b) { return std::pow(a, b); });
  if (op == ScalarOp::neg) return unary<T>([](Z a) { return -a; });
  if (op == ScalarOp::sign) return unary<T>([](Z a) { return complex_direction(a); });
  if (op == ScalarOp::conj) return unary<T>([](Z a) { return std::conj(a); });
  if (op == ScalarOp::abs)
    return unary_lanes<C>([](C a) { return static_cast<T>(std::abs(Z(a))); });
  if (op == ScalarOp::angle)
    return unary_lanes<C>([](C a) { return static_cast<T>(std::arg(Z(a))); });
  if (op == ScalarOp::real) return unary_lanes<C>([](C a) { return a.real(); });
  if (op == ScalarOp::imag) return unary_lanes<C>([](C a) { return a.imag(); });
  if (op == ScalarOp::eq) return binary_lanes<C>([](C a, C b) -> uint8_t { return a == b; });
  if (op == ScalarOp::ne) return binary_lanes<C>([](C a, C b) -> uint8_t { return a != b; });
  if (op == ScalarOp::is_nan) {
    return unary_lanes<C>(
        [](C a) -> uint8_t { return std::isnan(a.real()) || std::isnan(a.imag()); });
  }
  if (op == ScalarOp::is_inf) {
    return unary_lanes<C>(
        [](C a) -> uint8_t { return std::isinf(a.real()) || std::isinf(a.imag()); });
  }
  return nullptr;
}

template <typename T>
LaneFunction elementary(ScalarOp op) {
  if (op == ScalarOp::sqrt) return unary<T>([](Z a) { return std::sqrt(a); });
  if (op == ScalarOp::rsqrt) return unary<T>([](Z a) { return complex_rsqrt(a); });
  if (op == ScalarOp::exp) return unary<T>([](Z a) { return std::exp(a); });
  if (op == ScalarOp::exp2) return unary<T>([](Z a) { return complex_exp2(a); });
  if (op == ScalarOp::expm1) return unary<T>([](Z a) { return complex_expm1(a); });
  if (op == ScalarOp::log) return unary<T>([](Z a) { return std::log(a); });
  if (op == ScalarOp::log2) return unary<T>([](Z a) { return complex_log2(a); });
  if (op == ScalarOp::log10) return unary<T>([](Z a) { return std::log10(a); });
  if (op == ScalarOp::log1p) return unary<T>([](Z a) { return complex_log1p(a); });
  if (op == ScalarOp::sin) return unary<T>([](Z a) { return std::sin(a); });
  if (op == ScalarOp::cos) return unary<T>([](Z a) { return std::cos(a); });
  if (op == ScalarOp::tan) return unary<T>([](Z a) { return std::tan(a); });
  if (op == ScalarOp::asin) return unary<T>([](Z a) { return std::asin(a); });
  if (op == ScalarOp::acos) return unary<T>([](Z a) { return std::acos(a); });
  if (op == ScalarOp::atan) return unary<T>([](Z a) { return std::atan(a); });
  if (op == ScalarOp::sinh) return unary<T>([](Z a) { return std::sinh(a); });
  if (op == ScalarOp::cosh) return unary<T>([](Z a) { return std::cosh(a); });
  if (op == ScalarOp::tanh) return unary<T>([](Z a) { return std::tanh(a); });
  if (op == ScalarOp::asinh) return unary<T>([](Z a) { return std::asinh(a); });
  if (op == ScalarOp::acosh) return unary<T>([](Z a) { return std::acosh(a); });
  if (op == ScalarOp::atanh) return unary<T>([](Z a) { return std::atanh(a); });
  return nullptr;
}

template <typename T>
LaneFunction complex_function(ScalarOp op) {
  if (const LaneFunction function = arithmetic<T>(op)) return function;
  return elementary<T>(op);
}

}  // namespace

LaneFunction complex_lane_function(ScalarOp op, DType dtype) {
  return dtype == DType::c64 ? complex_function<float>(op) : complex_function<double>(op);
}

}  // namespace litz::loops
