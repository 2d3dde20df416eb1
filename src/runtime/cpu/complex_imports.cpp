// Elementary functions of complex numbers, all of doubles.

#include "runtime/cpu/complex_imports.h"

#include <array>
#include <complex>

#include "types/complex_functions.h"

namespace litz::runtime {
namespace {

using Z = std::complex<double>;

void give(Z value, double* result) {
  result[0] = value.real();
  result[1] = value.imag();
}

template <typename F>
Import function(std::string_view name, F) {
  const auto call = [](double real, double imaginary, double* result) noexcept {
    give(F{}(Z(real, imaginary)), result);
  };
  return {name, reinterpret_cast<void*>(static_cast<void (*)(double, double, double*)>(call))};
}

void power(double base_real, double base_imaginary, double real, double imaginary,
           double* result) noexcept {
  give(std::pow(Z(base_real, base_imaginary), Z(real, imaginary)), result);
}

}  // namespace

std::span<const Import> complex_imports() {
  static const std::array kImports{
      function("litz_complex_acos", [](Z a) { return std::acos(a); }),
      function("litz_complex_acosh", [](Z a) { return std::acosh(a); }),
      function("litz_complex_asin", [](Z a) { return std::asin(a); }),
      function("litz_complex_asinh", [](Z a) { return std::asinh(a); }),
      function("litz_complex_atan", [](Z a) { return std::atan(a); }),
      function("litz_complex_atanh", [](Z a) { return std::atanh(a); }),
      function("litz_complex_cos", [](Z a) { return std::cos(a); }),
      function("litz_complex_cosh", [](Z a) { return std::cosh(a); }),
      function("litz_complex_exp", [](Z a) { return std::exp(a); }),
      function("litz_complex_exp2", [](Z a) { return complex_exp2(a); }),
      function("litz_complex_expm1", [](Z a) { return complex_expm1(a); }),
      function("litz_complex_log", [](Z a) { return std::log(a); }),
      function("litz_complex_log10", [](Z a) { return std::log10(a); }),
      function("litz_complex_log1p", [](Z a) { return complex_log1p(a); }),
      function("litz_complex_log2", [](Z a) { return complex_log2(a); }),
      Import{"litz_complex_pow", reinterpret_cast<void*>(power)},
      function("litz_complex_rsqrt", [](Z a) { return complex_rsqrt(a); }),
      function("litz_complex_sin", [](Z a) { return std::sin(a); }),
      function("litz_complex_sinh", [](Z a) { return std::sinh(a); }),
      function("litz_complex_sqrt", [](Z a) { return std::sqrt(a); }),
      function("litz_complex_tan", [](Z a) { return std::tan(a); }),
      function("litz_complex_tanh", [](Z a) { return std::tanh(a); }),
  };
  return kImports;
}

}  // namespace litz::runtime
