// Elementary functions of complex numbers, all of doubles, by the formulas of
// types/complex_functions.h and of Kahan ("Branch cuts for complex elementary functions", 1987).

#include "codegen/cuda/prelude.h"

namespace litz::codegen {
namespace {

constexpr std::string_view kComplex = R"cuda(
struct C128 { f64 real, imag; };
__device__ inline C128 operator+(C128 a, C128 b) { return {a.real + b.real, a.imag + b.imag}; }
__device__ inline C128 operator-(C128 a, C128 b) { return {a.real - b.real, a.imag - b.imag}; }
__device__ inline C128 operator*(C128 a, C128 b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
__device__ inline C128 operator*(C128 a, f64 b) { return {a.real * b, a.imag * b}; }
// Smith's method: divides by the larger part of the divisor.
__device__ inline C128 operator/(C128 a, C128 b) {
  const f64 real_size = fabs(b.real), imag_size = fabs(b.imag);
  if (real_size == 0 && imag_size == 0) return {a.real / real_size, a.imag / imag_size};
  if (real_size >= imag_size) {
    const f64 ratio = b.imag / b.real, scale = 1 / (b.real + b.imag * ratio);
    return {(a.real + a.imag * ratio) * scale, (a.imag - a.real * ratio) * scale};
  }
  const f64 ratio = b.real / b.imag, scale = 1 / (b.imag + b.real * ratio);
  return {(a.imag + a.real * ratio) * scale, (a.imag * ratio - a.real) * scale};
}
__device__ inline bool is_finite(f64 a) { return a - a == 0; }

// Results at infinities, NaN and zeros are those of C's complex functions.

__device__ inline f64 not_a_number() { return bits_as<f64>(0x7ff8000000000000ull); }
constexpr f64 kPi = 3.14159265358979323846;
// Beyond it the exponential is computed as a product of its root, since only that may be too large.
constexpr f64 kLargeExponent = 709;

__device__ inline C128 complex_exp(C128 a) {
  if (a.imag == 0) return {exp(a.real), a.imag};
  if (a.real == -infinity_of(f64(0)) && !is_finite(a.imag)) return {0, copysign(0.0, a.imag)};
  if (a.real == infinity_of(f64(0)) && !is_finite(a.imag)) return {a.real, a.imag - a.imag};
  if (a.real > kLargeExponent) {
    const f64 root = exp(a.real / 2);
    return {root * cos(a.imag) * root, root * sin(a.imag) * root};
  }
  const f64 size = exp(a.real);
  return {size * cos(a.imag), size * sin(a.imag)};
}
__device__ inline C128 complex_log(C128 a) {
  const f64 size = hypot(a.real, a.imag);
  f64 real = log(size);
  // Near 1 the logarithm of the size loses digits.
  if (size > 0.5 && size < 2) {
    const f64 most = fmax(fabs(a.real), fabs(a.imag)), least = fmin(fabs(a.real), fabs(a.imag));
    real = 0.5 * log1p((most - 1) * (most + 1) + least * least);
  }
  return {real, atan2(a.imag, a.real)};
}
__device__ inline C128 complex_sqrt(C128 a) {
  if (is_inf(a.imag)) return {infinity_of(f64(0)), a.imag};
  if (a.real == 0 && a.imag == 0) return {0, a.imag};
  if (is_inf(a.real)) {
    const f64 other = a.imag != a.imag ? a.imag : 0.0;
    return a.real > 0 ? C128{a.real, copysign(other, a.imag)}
                      : C128{other, copysign(-a.real, a.imag)};
  }
  const f64 half = sqrt((fabs(a.real) + hypot(a.real, a.imag)) / 2);
  if (a.real >= 0) return {half, a.imag / (2 * half)};
  return {fabs(a.imag) / (2 * half), copysign(half, a.imag)};
}
__device__ inline C128 complex_rsqrt(C128 a) { return C128{1, 0} / complex_sqrt(a); }
__device__ inline C128 complex_exp2(C128 a) { return complex_exp(a * 0.693147180559945309417); }
__device__ inline C128 complex_log2(C128 a) {
  const C128 natural = complex_log(a);
  return {natural.real / 0.693147180559945309417, natural.imag / 0.693147180559945309417};
}
__device__ inline C128 complex_log10(C128 a) {
  const C128 natural = complex_log(a);
  return {natural.real / 2.30258509299404568402, natural.imag / 2.30258509299404568402};
}
__device__ inline C128 complex_expm1(C128 a) {
  const f64 half = sin(a.imag / 2);
  return {expm1(a.real) * cos(a.imag) - 2 * half * half, exp(a.real) * sin(a.imag)};
}
// Corrects the logarithm by the rounding error of 1 + a.
__device__ inline C128 complex_log1p(C128 a) {
  const C128 sum = {a.real + 1, a.imag};
  if (sum.real == 1 && sum.imag == 0) return a;
  const C128 rounded = {sum.real - 1, sum.imag};
  if (rounded.real == a.real && rounded.imag == a.imag) return complex_log(sum);
  return complex_log(sum) * (a / rounded);
}
__device__ inline C128 complex_pow(C128 a, C128 b) {
  if (a.real == 0 && a.imag == 0) {
    if (b.real == 0 && b.imag == 0) return {1, 0};
    return b.real > 0 ? C128{0, 0} : C128{not_a_number(), not_a_number()};
  }
  if (a.imag == 0 && b.imag == 0 && a.real > 0) return {pow(a.real, b.real), 0};
  return complex_exp(b * complex_log(a));
}
__device__ inline C128 complex_sinh(C128 a) {
  if (a.imag == 0) return {sinh(a.real), a.imag};
  if (!is_finite(a.imag)) {
    const f64 none = a.imag - a.imag;
    return {a.real == 0 || is_inf(a.real) ? a.real : none, none};
  }
  if (fabs(a.real) > kLargeExponent) {
    const f64 root = exp(fabs(a.real) / 2);
    return {copysign(root / 2, a.real) * cos(a.imag) * root, root / 2 * sin(a.imag) * root};
  }
  return {sinh(a.real) * cos(a.imag), cosh(a.real) * sin(a.imag)};
}
__device__ inline C128 complex_cosh(C128 a) {
  if (a.imag == 0) {
    return {cosh(a.real), a.real != a.real ? a.imag : a.imag * copysign(1.0, a.real)};
  }
  if (!is_finite(a.imag)) {
    const f64 none = a.imag - a.imag;
    return {is_inf(a.real) ? infinity_of(none) : none, a.real == 0 ? 0 : none};
  }
  if (fabs(a.real) > kLargeExponent) {
    const f64 root = exp(fabs(a.real) / 2);
    return {root / 2 * cos(a.imag) * root, copysign(root / 2, a.real) * sin(a.imag) * root};
  }
  return {cosh(a.real) * cos(a.imag), sinh(a.real) * sin(a.imag)};
}
__device__ inline C128 complex_tanh(C128 a) {
  if (a.real != a.real) return {a.real, a.imag == 0 ? a.imag : a.real};
  if (!is_finite(a.imag) && !is_inf(a.real)) {
    return {a.real == 0 ? a.real : a.imag - a.imag, a.imag - a.imag};
  }
  if (fabs(a.real) > 22) {
    const f64 rest = 4 * sin(a.imag) * cos(a.imag) * exp(-2 * fabs(a.real));
    return {copysign(1.0, a.real), is_finite(a.imag) ? rest : copysign(0.0, a.imag)};
  }
  const f64 t = tan(a.imag), slope = 1 + t * t, s = sinh(a.real), c = sqrt(1 + s * s);
  if (is_inf(t)) return {c / s, 1 / t};
  const f64 below = 1 + slope * s * s;
  return {slope * c * s / below, t / below};
}
__device__ inline C128 complex_sin(C128 a) {
  const C128 turned = complex_sinh({-a.imag, a.real});
  return {turned.imag, -turned.real};
}
__device__ inline C128 complex_cos(C128 a) { return complex_cosh({-a.imag, a.real}); }
__device__ inline C128 complex_tan(C128 a) {
  const C128 turned = complex_tanh({-a.imag, a.real});
  return {turned.imag, -turned.real};
}
__device__ inline bool has_nan(C128 a) { return a.real != a.real || a.imag != a.imag; }
__device__ inline bool has_infinity(C128 a) { return is_inf(a.real) || is_inf(a.imag); }
// The angle of an infinite number in the right half-plane.
__device__ inline f64 infinite_angle(C128 a) {
  if (!is_inf(a.imag)) return copysign(0.0, a.imag);
  return copysign(is_inf(a.real) ? kPi / 4 : kPi / 2, a.imag);
}
__device__ inline C128 complex_asin(C128 a) {
  if (has_nan(a)) {
    if (a.real == 0) return a;
    return {not_a_number(), has_infinity(a) ? copysign(infinity_of(f64(0)), a.imag) : not_a_number()};
  }
  if (has_infinity(a)) {
    return {infinite_angle({a.imag, a.real}), copysign(infinity_of(f64(0)), a.imag)};
  }
  const C128 left = complex_sqrt({1 - a.real, -a.imag}), right = complex_sqrt({1 + a.real, a.imag});
  const f64 real = atan2(a.real, (left * right).real);
  // asinh of Im(conj(left) right).
  return {real, asinh(left.real * right.imag - left.imag * right.real)};
}
__device__ inline C128 complex_acos(C128 a) {
  if (has_nan(a)) {
    const C128 other = complex_asin(a);
    return {kPi / 2 - other.real, -other.imag};
  }
  const C128 left = complex_sqrt({1 - a.real, -a.imag}), right = complex_sqrt({1 + a.real, a.imag});
  return {2 * atan2(left.real, right.real),
          asinh(right.real * left.imag - right.imag * left.real)};
}
__device__ inline C128 complex_asinh(C128 a) {
  if (is_inf(a.imag)) {
    return {copysign(infinity_of(f64(0)), a.real),
            a.real != a.real ? a.real : infinite_angle(a)};
  }
  if (!is_finite(a.real)) {
    const bool is_known = is_inf(a.real) ? a.imag == a.imag : a.imag == 0;
    return {a.real, is_known ? copysign(0.0, a.imag) : not_a_number()};
  }
  const C128 turned = complex_asin({-a.imag, a.real});
  return a.imag != a.imag ? C128{a.imag, a.imag} : C128{turned.imag, -turned.real};
}
__device__ inline C128 complex_acosh(C128 a) {
  if (has_infinity(a)) {
    const f64 angle = has_nan(a) ? not_a_number() : atan2(a.imag, a.real);
    return {infinity_of(f64(0)), angle};
  }
  if (has_nan(a)) return {not_a_number(), a.real == 0 ? kPi / 2 : not_a_number()};
  const C128 left = complex_sqrt({a.real - 1, a.imag}), right = complex_sqrt({a.real + 1, a.imag});
  return {asinh(left.real * right.real + left.imag * right.imag),
          2 * atan2(left.imag, right.real)};
}
__device__ inline C128 complex_atanh(C128 a) {
  const f64 x = a.real, y = a.imag;
  if (is_inf(y)) return {copysign(0.0, x), copysign(kPi / 2, y)};
  if (is_inf(x)) return {copysign(0.0, x), y != y ? y : copysign(kPi / 2, y)};
  if (has_nan(a)) return {x == 0 ? x : not_a_number(), not_a_number()};
  // Squares of large parts are too large: 1 / a is the difference from the limit.
  if (fabs(x) > 1e16 || fabs(y) > 1e16) {
    const C128 rest = C128{1, 0} / a;
    return {copysign(rest.real, x), copysign(kPi / 2, y)};
  }
  const f64 above = (1 + x) * (1 + x) + y * y, below = (1 - x) * (1 - x) + y * y;
  f64 real = fabs(x) < 0.1 ? 0.25 * log1p(4 * x / below) : 0.25 * (log(above) - log(below));
  // Beside the poles the square of the distance is too small.
  if (fabs(x) == 1 && fabs(y) < 1e-30) real = copysign(0.5 * (log(2.0) - log(fabs(y))), x);
  return {real, 0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y)};
}
__device__ inline C128 complex_atan(C128 a) {
  const C128 turned = complex_atanh({-a.imag, a.real});
  return {turned.imag, -turned.real};
}
)cuda";

}  // namespace

std::string_view cuda_complex_prelude() { return kComplex; }

}  // namespace litz::codegen
