// The arithmetic on Scalars: each function appends one primitive.

#include <array>

#include "loops/builder.h"
#include "support/check.h"

namespace litz::loops {
namespace {

Scalar build(ScalarOp op, Scalar a) { return a.builder().op(op, std::array{a}); }

Scalar build(ScalarOp op, Scalar a, Scalar b) { return a.builder().op(op, std::array{a, b}); }

Scalar build(ScalarOp op, Scalar a, Scalar b, Scalar c) {
  return a.builder().op(op, std::array{a, b, c});
}

// A number beside a scalar is a constant of the scalar's dtype.
Scalar number(Scalar like, double value) { return like.builder().constant(like.dtype(), value); }

}  // namespace

Scalar operator+(Scalar a, Scalar b) { return build(ScalarOp::add, a, b); }

Scalar operator+(Scalar a, double b) { return a + number(a, b); }

Scalar operator+(double a, Scalar b) { return number(b, a) + b; }

Scalar operator-(Scalar a, Scalar b) { return build(ScalarOp::sub, a, b); }

Scalar operator-(Scalar a, double b) { return a - number(a, b); }

Scalar operator-(double a, Scalar b) { return number(b, a) - b; }

Scalar operator*(Scalar a, Scalar b) { return build(ScalarOp::mul, a, b); }

Scalar operator*(Scalar a, double b) { return a * number(a, b); }

Scalar operator*(double a, Scalar b) { return number(b, a) * b; }

Scalar operator/(Scalar a, Scalar b) { return build(ScalarOp::div, a, b); }

Scalar operator/(Scalar a, double b) { return a / number(a, b); }

Scalar operator/(double a, Scalar b) { return number(b, a) / b; }

Scalar operator-(Scalar a) { return build(ScalarOp::neg, a); }

Scalar operator==(Scalar a, Scalar b) { return build(ScalarOp::eq, a, b); }

Scalar operator==(Scalar a, double b) { return a == number(a, b); }

Scalar operator!=(Scalar a, Scalar b) { return build(ScalarOp::ne, a, b); }

Scalar operator!=(Scalar a, double b) { return a != number(a, b); }

Scalar operator<(Scalar a, Scalar b) { return build(ScalarOp::lt, a, b); }

Scalar operator<(Scalar a, double b) { return a < number(a, b); }

Scalar operator<=(Scalar a, Scalar b) { return build(ScalarOp::le, a, b); }

Scalar operator<=(Scalar a, double b) { return a <= number(a, b); }

Scalar operator>(Scalar a, Scalar b) { return build(ScalarOp::lt, b, a); }

Scalar operator>(Scalar a, double b) { return a > number(a, b); }

Scalar operator>=(Scalar a, Scalar b) { return build(ScalarOp::le, b, a); }

Scalar operator>=(Scalar a, double b) { return a >= number(a, b); }

Scalar operator&(Scalar a, Scalar b) { return build(ScalarOp::bit_and, a, b); }

Scalar operator|(Scalar a, Scalar b) { return build(ScalarOp::bit_or, a, b); }

Scalar operator^(Scalar a, Scalar b) { return build(ScalarOp::bit_xor, a, b); }

Scalar operator!(Scalar a) {
  check(a.dtype() == DType::bool_, "logical not takes a bool:", name(a.dtype()));
  return build(ScalarOp::bit_not, a);
}

Scalar operator~(Scalar a) { return build(ScalarOp::bit_not, a); }

Scalar select(Scalar condition, Scalar a, Scalar b) {
  return build(ScalarOp::select, condition, a, b);
}

Scalar select(Scalar condition, Scalar a, double b) { return select(condition, a, number(a, b)); }

Scalar select(Scalar condition, double a, Scalar b) { return select(condition, number(b, a), b); }

Scalar floor_div(Scalar a, Scalar b) { return build(ScalarOp::floor_div, a, b); }

Scalar trunc_div(Scalar a, Scalar b) { return build(ScalarOp::trunc_div, a, b); }

Scalar mod(Scalar a, Scalar b) { return build(ScalarOp::mod, a, b); }

Scalar fmod(Scalar a, Scalar b) { return build(ScalarOp::fmod, a, b); }

Scalar min(Scalar a, Scalar b) { return build(ScalarOp::min, a, b); }

Scalar max(Scalar a, Scalar b) { return build(ScalarOp::max, a, b); }

Scalar fmin(Scalar a, Scalar b) { return build(ScalarOp::fmin, a, b); }

Scalar fmax(Scalar a, Scalar b) { return build(ScalarOp::fmax, a, b); }

Scalar copysign(Scalar a, Scalar b) { return build(ScalarOp::copysign, a, b); }

Scalar nextafter(Scalar a, Scalar b) { return build(ScalarOp::nextafter, a, b); }

Scalar hypot(Scalar a, Scalar b) { return build(ScalarOp::hypot, a, b); }

Scalar shift_left(Scalar a, Scalar b) { return build(ScalarOp::shift_left, a, b); }

Scalar shift_right(Scalar a, Scalar b) { return build(ScalarOp::shift_right, a, b); }

Scalar pow(Scalar a, Scalar b) { return build(ScalarOp::pow, a, b); }

Scalar atan2(Scalar a, Scalar b) { return build(ScalarOp::atan2, a, b); }

Scalar make_complex(Scalar a, Scalar b) { return build(ScalarOp::make_complex, a, b); }

Scalar min(Scalar a, double b) { return min(a, number(a, b)); }

Scalar max(Scalar a, double b) { return max(a, number(a, b)); }

Scalar pow(Scalar a, double b) { return pow(a, number(a, b)); }

Scalar fma(Scalar a, Scalar b, Scalar c) { return build(ScalarOp::fma, a, b, c); }

Scalar abs(Scalar a) { return build(ScalarOp::abs, a); }

Scalar sign(Scalar a) { return build(ScalarOp::sign, a); }

Scalar is_nan(Scalar a) { return build(ScalarOp::is_nan, a); }

Scalar is_inf(Scalar a) { return build(ScalarOp::is_inf, a); }

Scalar signbit(Scalar a) { return build(ScalarOp::signbit, a); }

Scalar floor(Scalar a) { return build(ScalarOp::floor, a); }

Scalar ceil(Scalar a) { return build(ScalarOp::ceil, a); }

Scalar trunc(Scalar a) { return build(ScalarOp::trunc, a); }

Scalar round_even(Scalar a) { return build(ScalarOp::round_even, a); }

Scalar sqrt(Scalar a) { return build(ScalarOp::sqrt, a); }

Scalar rsqrt(Scalar a) { return build(ScalarOp::rsqrt, a); }

Scalar exp(Scalar a) { return build(ScalarOp::exp, a); }

Scalar exp2(Scalar a) { return build(ScalarOp::exp2, a); }

Scalar expm1(Scalar a) { return build(ScalarOp::expm1, a); }

Scalar log(Scalar a) { return build(ScalarOp::log, a); }

Scalar log2(Scalar a) { return build(ScalarOp::log2, a); }

Scalar log10(Scalar a) { return build(ScalarOp::log10, a); }

Scalar log1p(Scalar a) { return build(ScalarOp::log1p, a); }

Scalar sin(Scalar a) { return build(ScalarOp::sin, a); }

Scalar cos(Scalar a) { return build(ScalarOp::cos, a); }

Scalar tan(Scalar a) { return build(ScalarOp::tan, a); }

Scalar asin(Scalar a) { return build(ScalarOp::asin, a); }

Scalar acos(Scalar a) { return build(ScalarOp::acos, a); }

Scalar atan(Scalar a) { return build(ScalarOp::atan, a); }

Scalar sinh(Scalar a) { return build(ScalarOp::sinh, a); }

Scalar cosh(Scalar a) { return build(ScalarOp::cosh, a); }

Scalar tanh(Scalar a) { return build(ScalarOp::tanh, a); }

Scalar asinh(Scalar a) { return build(ScalarOp::asinh, a); }

Scalar acosh(Scalar a) { return build(ScalarOp::acosh, a); }

Scalar atanh(Scalar a) { return build(ScalarOp::atanh, a); }

Scalar erf(Scalar a) { return build(ScalarOp::erf, a); }

Scalar erfc(Scalar a) { return build(ScalarOp::erfc, a); }

Scalar erfinv(Scalar a) { return build(ScalarOp::erfinv, a); }

Scalar lgamma(Scalar a) { return build(ScalarOp::lgamma, a); }

Scalar digamma(Scalar a) { return build(ScalarOp::digamma, a); }

Scalar real(Scalar a) { return build(ScalarOp::real, a); }

Scalar imag(Scalar a) { return build(ScalarOp::imag, a); }

Scalar conj(Scalar a) { return build(ScalarOp::conj, a); }

Scalar angle(Scalar a) { return build(ScalarOp::angle, a); }

}  // namespace litz::loops
