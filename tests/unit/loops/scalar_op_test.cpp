// Every scalar primitive against expected values, through a kernel that applies it to a row.

#include "loops/scalar_op.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/builder.h"
#include "loops/interpreter.h"
#include "loops/lane_function.h"
#include "loops/signature.h"
#include "support/check.h"
#include "support/philox.h"
#include "types/element_visit.h"

namespace litz::loops {
namespace {

using Op = ScalarOp;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename R, typename T>
std::vector<R> apply(Op op, DType result, const std::vector<std::vector<T>>& operands,
                     DType operand = dtype_of<T>()) {
  ExprPool pool;
  KernelBuilder b("row", pool);
  const auto count = static_cast<int64_t>(operands[0].size());
  std::vector<Tensor> tensors;
  std::vector<BufferId> buffers;
  for (const auto& values : operands) {
    buffers.push_back(
        b.input("x" + std::to_string(buffers.size()), contiguous_type(operand, {count})));
    Tensor tensor = Tensor::empty(operand, {count});
    std::copy(values.begin(), values.end(), reinterpret_cast<T*>(tensor.mutable_data()));
    tensors.push_back(tensor);
  }
  const BufferId y = b.output("y", contiguous_type(result, {count}));
  tensors.push_back(Tensor::empty(result, {count}));
  b.loop(std::vector<Expr>{count}, [&](Exprs i) {
    std::vector<Scalar> loaded;
    for (const BufferId buffer : buffers) loaded.push_back(b.load(buffer, i));
    if (op == Op::cast) return b.store(y, i, b.cast(loaded[0], result));
    if (op == Op::bitcast) return b.store(y, i, b.bitcast(loaded[0], result));
    if (op == Op::philox) return b.store(y, i, b.philox(loaded[0], loaded[1], result));
    b.store(y, i, b.op(op, loaded));
  });
  interpret(std::move(b).finish(), tensors, {});
  const auto* data = reinterpret_cast<const R*>(tensors.back().data());
  return {data, data + count};
}

template <typename T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return a == b;
  }
}

// Operands column by column: {a...}, {b...}, expected.
template <typename T, typename R>
void expect_values(Op op, const std::vector<std::vector<T>>& operands,
                   const std::vector<R>& expected) {
  const auto result = apply<R, T>(op, dtype_of<R>(), operands);
  ASSERT_EQ(result.size(), expected.size());
  for (size_t i = 0; i < result.size(); ++i) {
    EXPECT_TRUE(same(result[i], expected[i]))
        << name(op) << " of " << +operands[0][i] << ": " << +result[i] << " not " << +expected[i];
  }
}

using Bools = std::vector<uint8_t>;

void expect_bools(Op op, const std::vector<Bools>& operands, const Bools& expected) {
  EXPECT_EQ((apply<uint8_t, uint8_t>(op, DType::bool_, operands, DType::bool_)), expected)
      << name(op);
}

template <typename T>
void expect_predicate(Op op, const std::vector<std::vector<T>>& operands, const Bools& expected) {
  EXPECT_EQ((apply<uint8_t, T>(op, DType::bool_, operands)), expected) << name(op);
}

template <typename T>
void test_real_arithmetic() {
  using V = std::vector<T>;
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const V a{7, -7, 7, -7, 0, -0.0, inf, nan, 1};
  const V b{2, 2, -2, -2, 5, 5, 2, 2, 0};
  expect_values<T, T>(Op::add, {a, b}, {9, -5, 5, -9, 5, 5, inf, nan, 1});
  expect_values<T, T>(Op::sub, {a, b}, {5, -9, 9, -5, -5, -5, inf, nan, 1});
  expect_values<T, T>(Op::mul, {a, b}, {14, -14, -14, 14, 0, -0.0, inf, nan, 0});
  expect_values<T, T>(Op::div, {a, b}, {3.5, -3.5, -3.5, 3.5, 0, -0.0, inf, nan, inf});
  expect_values<T, T>(Op::floor_div, {a, b}, {3, -4, -4, 3, 0, -0.0, nan, nan, inf});
  expect_values<T, T>(Op::trunc_div, {a, b}, {3, -3, -3, 3, 0, -0.0, inf, nan, inf});
  expect_values<T, T>(Op::mod, {a, b}, {1, 1, -1, -1, 0, -0.0, nan, nan, nan});
  expect_values<T, T>(Op::fmod, {a, b}, {1, -1, 1, -1, 0, -0.0, nan, nan, nan});
  expect_values<T, T>(Op::neg, {a}, {-7, 7, -7, 7, -0.0, 0, -inf, nan, -1});
  expect_values<T, T>(Op::abs, {a}, {7, 7, 7, 7, 0, 0, inf, nan, 1});
  expect_values<T, T>(Op::sign, {V{3, -3, 0, -0.0, inf, -inf, nan}}, {1, -1, 0, 0, 1, -1, 0});
  const V c{1, 2, nan, 1, nan, -inf};
  const V d{2, 1, 1, nan, nan, 3};
  expect_values<T, T>(Op::min, {c, d}, {1, 1, nan, nan, nan, -inf});
  expect_values<T, T>(Op::max, {c, d}, {2, 2, nan, nan, nan, 3});
  expect_values<T, T>(Op::fmin, {c, d}, {1, 1, 1, 1, nan, -inf});
  expect_values<T, T>(Op::fmax, {c, d}, {2, 2, 1, 1, nan, 3});
  const T eps = std::numeric_limits<T>::epsilon();
  // (1 + e)(1 - e) - 1 = -e^2, which two roundings would lose.
  expect_values<T, T>(Op::fma, {V{1 + eps, 2}, V{1 - eps, 3}, V{-1, 4}}, {-eps * eps, 10});
  expect_values<T, T>(Op::copysign, {V{1, -1, 2, nan}, V{-0.0, 3, -5, 1}}, {-1, 1, -2, nan});
  expect_values<T, T>(Op::nextafter, {V{1, 0}, V{2, -1}},
                      {1 + eps, -std::numeric_limits<T>::denorm_min()});
  expect_values<T, T>(Op::hypot, {V{3, inf, std::numeric_limits<T>::max() / 2}, V{4, nan, 0}},
                      {5, inf, std::numeric_limits<T>::max() / 2});
  expect_values<T, T>(Op::floor, {V{1.5, -1.5, -0.0, inf}}, {1, -2, -0.0, inf});
  expect_values<T, T>(Op::ceil, {V{1.5, -1.5, -0.5, nan}}, {2, -1, -0.0, nan});
  expect_values<T, T>(Op::trunc, {V{1.5, -1.5, -0.5}}, {1, -1, -0.0});
  expect_values<T, T>(Op::round_even, {V{0.5, 1.5, 2.5, -0.5, -1.5, 1e10}},
                      {0, 2, 2, -0.0, -2, 1e10});
  expect_values<T, T>(Op::angle, {V{3, -3, 0, nan}}, {0, std::numbers::pi_v<T>, 0, nan});
  expect_values<T, std::complex<T>>(Op::make_complex, {V{1, 2}, V{-3, 4}}, {{1, -3}, {2, 4}});
}

TEST(ScalarOps, RealArithmetic) {
  test_real_arithmetic<float>();
  test_real_arithmetic<double>();
}

template <typename T>
void test_real_predicates() {
  using V = std::vector<T>;
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const V a{1, 2, 2, nan, -0.0, -inf};
  const V b{2, 2, 1, nan, 0, inf};
  expect_predicate<T>(Op::eq, {a, b}, {0, 1, 0, 0, 1, 0});
  expect_predicate<T>(Op::ne, {a, b}, {1, 0, 1, 1, 0, 1});
  expect_predicate<T>(Op::lt, {a, b}, {1, 0, 0, 0, 0, 1});
  expect_predicate<T>(Op::le, {a, b}, {1, 1, 0, 0, 1, 1});
  expect_predicate<T>(Op::is_nan, {a}, {0, 0, 0, 1, 0, 0});
  expect_predicate<T>(Op::is_inf, {a}, {0, 0, 0, 0, 0, 1});
  expect_predicate<T>(Op::signbit, {V{1, -1, -0.0, 0, -inf}}, {0, 1, 1, 0, 1});
}

TEST(ScalarOps, RealPredicates) {
  test_real_predicates<float>();
  test_real_predicates<double>();
}

struct Point {
  Op op;
  double x;
  double y;
};

// Values to more digits than a double has.
constexpr Point kPoints[] = {
    {Op::sqrt, 2, 1.4142135623730950488},
    {Op::sqrt, -1, kNaN},
    {Op::sqrt, kInf, kInf},
    {Op::rsqrt, 4, 0.5},
    {Op::rsqrt, 2, 0.70710678118654752440},
    {Op::rsqrt, 0, kInf},
    {Op::exp, 1, 2.7182818284590452354},
    {Op::exp, -kInf, 0},
    {Op::exp, 1000, kInf},
    {Op::exp2, 0.5, 1.4142135623730950488},
    {Op::exp2, -3, 0.125},
    {Op::expm1, 1e-10, 1.00000000005e-10},
    {Op::expm1, 1, 1.7182818284590452354},
    {Op::log, 2, 0.69314718055994530942},
    {Op::log, 0, -kInf},
    {Op::log, -1, kNaN},
    {Op::log2, 8, 3},
    {Op::log2, 3, 1.5849625007211561815},
    {Op::log10, 1000, 3},
    {Op::log10, 2, 0.30102999566398119521},
    {Op::log1p, 1e-10, 9.9999999995e-11},
    {Op::log1p, -1, -kInf},
    {Op::sin, 1, 0.84147098480789650665},
    {Op::cos, 1, 0.54030230586813971740},
    {Op::tan, 1, 1.5574077246549022305},
    {Op::sin, kInf, kNaN},
    {Op::asin, 0.5, 0.52359877559829887308},
    {Op::asin, 2, kNaN},
    {Op::acos, 0.5, 1.0471975511965977462},
    {Op::acos, 1, 0},
    {Op::atan, 1, 0.78539816339744830962},
    {Op::atan, kInf, 1.5707963267948966192},
    {Op::sinh, 1, 1.1752011936438014569},
    {Op::cosh, 1, 1.5430806348152437785},
    {Op::tanh, 1, 0.76159415595576488812},
    {Op::tanh, 100, 1},
    {Op::tanh, 1e-10, 1e-10},
    {Op::asinh, 1, 0.88137358701954302523},
    {Op::acosh, 2, 1.3169578969248167086},
    {Op::acosh, 0.5, kNaN},
    {Op::atanh, 0.5, 0.54930614433405484570},
    {Op::atanh, 1, kInf},
    {Op::erf, 0.5, 0.52049987781304653768},
    {Op::erf, -kInf, -1},
    {Op::erfc, 0.5, 0.47950012218695346232},
    {Op::erfc, 5, 1.5374597944280348502e-12},
    {Op::erfinv, 0.5, 0.47693627620446987338},
    {Op::erfinv, -0.25, -0.22531205501217810},
    {Op::erfinv, 0.9375, 1.3171503349861307488},
    {Op::erfinv, 1, kInf},
    {Op::erfinv, -1, -kInf},
    {Op::erfinv, 1.5, kNaN},
    {Op::erfinv, 0, 0},
    {Op::lgamma, 0.5, 0.57236494292470008707},
    {Op::lgamma, 10, 12.801827480081469611},
    {Op::lgamma, -1, kInf},
    {Op::lgamma, 3, 0.69314718055994530942},
    {Op::digamma, 1, -0.57721566490153286061},
    {Op::digamma, 0.5, -1.9635100260214234794},
    {Op::digamma, 10, 2.2517525890667211077},
    {Op::digamma, -0.5, 0.036489973978576520559},
    {Op::digamma, 0.0, -kInf},
    {Op::digamma, -0.0, kInf},
    {Op::digamma, -3, kNaN},
    {Op::digamma, -1e-30, 1e30},
    {Op::digamma, 1e-30, -1e30},
};

TEST(ScalarOps, ElementaryFunctionsOfFloats) {
  for (const Point& p : kPoints) {
    const auto x = static_cast<float>(p.x);
    const float y = apply<float, float>(p.op, DType::f32, {{x}})[0];
    // Points that a float does not hold move by the slope.
    const double tolerance = static_cast<double>(x) == p.x ? 6.1e-8 : 2e-7;
    if (std::isnan(p.y) || std::isinf(p.y) || std::abs(p.y) > 1e30) {
      EXPECT_TRUE(same(y, static_cast<float>(p.y))) << name(p.op) << " of " << p.x << ": " << y;
    } else {
      EXPECT_NEAR(y, p.y, tolerance * std::abs(p.y)) << name(p.op) << " of " << p.x;
    }
  }
}

TEST(ScalarOps, ElementaryFunctionsOfDoubles) {
  for (const Point& p : kPoints) {
    const double y = apply<double, double>(p.op, DType::f64, {{p.x}})[0];
    if (std::isnan(p.y) || std::isinf(p.y)) {
      EXPECT_TRUE(same(y, p.y)) << name(p.op) << " of " << p.x << ": " << y;
    } else {
      EXPECT_NEAR(y, p.y, 2.3e-16 * std::abs(p.y)) << name(p.op) << " of " << p.x;
    }
  }
}

TEST(ScalarOps, ErfinvInvertsErf) {
  std::vector<double> x;
  for (int i = -999; i <= 999; ++i) x.push_back(i / 1000.0);
  x.insert(x.end(), {1e-300, 1e-12, 1 - 1e-15, -1 + 1e-13, 0x1p-1074});
  const auto y = apply<double, double>(Op::erfinv, DType::f64, {x});
  for (size_t i = 0; i < x.size(); ++i) {
    const double back =
        std::abs(x[i]) > 0.5 ? std::copysign(1 - std::erfc(std::abs(y[i])), x[i]) : std::erf(y[i]);
    EXPECT_NEAR(back, x[i], 5e-16 * std::abs(x[i])) << x[i];
  }
}

TEST(ScalarOps, BinaryElementary) {
  using V = std::vector<float>;
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_values<float, float>(Op::pow,
                              {V{2, -2, -2, 0, nan, 1, 4, 0}, V{10, 3, 0.5, 0, 0, nan, -0.5, -1}},
                              {1024, -8, nan, 1, 1, 1, 0.5, inf});
  const auto pi = std::numbers::pi_v<float>;
  expect_values<float, float>(Op::atan2, {V{0, 0, -0.0F, 1, -1}, V{1, -1, -1, 0, 0}},
                              {0, pi, -pi, pi / 2, -pi / 2});
}

template <typename T>
void test_signed() {
  using V = std::vector<T>;
  const T low = std::numeric_limits<T>::min();
  const T high = std::numeric_limits<T>::max();
  const V a{7, -7, 7, -7, low, high, 0};
  const V b{2, 2, -2, -2, -1, 1, 5};
  expect_values<T, T>(Op::add, {a, b}, {9, -5, 5, -9, high, low, 5});
  expect_values<T, T>(Op::sub, {V{1, low}, V{2, 1}}, {-1, high});
  expect_values<T, T>(Op::mul, {V{3, high, low}, V{-4, 2, -1}}, {-12, -2, low});
  expect_values<T, T>(Op::floor_div, {a, b}, {3, -4, -4, 3, low, high, 0});
  expect_values<T, T>(Op::trunc_div, {a, b}, {3, -3, -3, 3, low, high, 0});
  expect_values<T, T>(Op::mod, {a, b}, {1, 1, -1, -1, 0, 0, 0});
  expect_values<T, T>(Op::fmod, {a, b}, {1, -1, 1, -1, 0, 0, 0});
  expect_values<T, T>(Op::neg, {V{1, low}}, {-1, low});
  expect_values<T, T>(Op::abs, {V{-1, low, 4}}, {1, low, 4});
  expect_values<T, T>(Op::sign, {V{-9, 0, 9}}, {-1, 0, 1});
  expect_values<T, T>(Op::min, {a, b}, {2, -7, -2, -7, low, 1, 0});
  expect_values<T, T>(Op::max, {a, b}, {7, 2, 7, -2, -1, high, 5});
  expect_values<T, T>(Op::fmin, {V{1}, V{2}}, {1});
  expect_values<T, T>(Op::fmax, {V{1}, V{2}}, {2});
  expect_values<T, T>(Op::fma, {V{3}, V{4}, V{-5}}, {7});
  expect_values<T, T>(Op::pow, {V{3, 2, 1, -1, -1, 5, 0, 2}, V{4, 0, -3, -3, -2, -1, 0, 100}},
                      {81, 1, 1, -1, 1, 0, 1, 0});
  expect_predicate<T>(Op::eq, {a, b}, {0, 0, 0, 0, 0, 0, 0});
  expect_predicate<T>(Op::ne, {V{1, 2}, V{1, 3}}, {0, 1});
  expect_predicate<T>(Op::lt, {a, b}, {0, 1, 0, 1, 1, 0, 1});
  expect_predicate<T>(Op::le, {V{1, 2, 3}, V{2, 2, 2}}, {1, 1, 0});
  expect_predicate<T>(Op::signbit, {V{-1, 0, 1}}, {1, 0, 0});
  expect_values<T, T>(Op::bit_and, {V{12, -1}, V{10, 5}}, {8, 5});
  expect_values<T, T>(Op::bit_or, {V{12, 0}, V{10, 5}}, {14, 5});
  expect_values<T, T>(Op::bit_xor, {V{12, -1}, V{10, 5}}, {6, -6});
  expect_values<T, T>(Op::bit_not, {V{0, 5}}, {-1, -6});
  const T width = 8 * sizeof(T);
  expect_values<T, T>(Op::shift_left,
                      {V{1, 3, 1, 1, -1}, V{3, static_cast<T>(width - 1), width, -1, 1}},
                      {8, low, 0, 0, -2});
  expect_values<T, T>(Op::shift_right, {V{-8, 8, -8, 8, -8, 8}, V{1, 1, width, width, -1, -1}},
                      {-4, 4, -1, 0, -1, 0});
}

TEST(ScalarOps, SignedIntegers) {
  test_signed<int8_t>();
  test_signed<int16_t>();
  test_signed<int32_t>();
  test_signed<int64_t>();
}

template <typename T>
void test_unsigned() {
  using V = std::vector<T>;
  const T high = std::numeric_limits<T>::max();
  expect_values<T, T>(Op::add, {V{high}, V{2}}, {1});
  expect_values<T, T>(Op::sub, {V{1}, V{2}}, {high});
  expect_values<T, T>(Op::mul, {V{high}, V{high}}, {1});
  expect_values<T, T>(Op::floor_div, {V{high, 7}, V{2, high}}, {static_cast<T>(high / 2), 0});
  expect_values<T, T>(Op::trunc_div, {V{7}, V{2}}, {3});
  expect_values<T, T>(Op::mod, {V{high, 7}, V{2, 4}}, {1, 3});
  expect_values<T, T>(Op::fmod, {V{7}, V{4}}, {3});
  expect_values<T, T>(Op::neg, {V{1}}, {high});
  expect_values<T, T>(Op::abs, {V{high}}, {high});
  expect_values<T, T>(Op::sign, {V{high, 0}}, {1, 0});
  expect_values<T, T>(Op::max, {V{1}, V{high}}, {high});
  expect_values<T, T>(Op::pow, {V{3, 2}, V{2, 200}}, {9, 0});
  expect_values<T, T>(Op::bit_not, {V{0}}, {high});
  expect_predicate<T>(Op::lt, {V{1}, V{high}}, {1});
  const T width = 8 * sizeof(T);
  expect_values<T, T>(Op::shift_left, {V{1, 1}, V{3, width}}, {8, 0});
  expect_values<T, T>(Op::shift_right, {V{high, high}, V{1, width}}, {static_cast<T>(high / 2), 0});
}

TEST(ScalarOps, UnsignedIntegers) {
  test_unsigned<uint8_t>();
  test_unsigned<uint16_t>();
  test_unsigned<uint32_t>();
  test_unsigned<uint64_t>();
}

TEST(ScalarOps, IntegerDivisionByZeroIsAnError) {
  for (const Op op : {Op::floor_div, Op::trunc_div, Op::mod, Op::fmod}) {
    EXPECT_THROW((apply<int32_t, int32_t>(op, DType::i32, {{1}, {0}})), Error) << name(op);
  }
}

TEST(ScalarOps, Bool) {
  const Bools a{0, 0, 1, 1};
  const Bools b{0, 1, 0, 1};
  for (const Op op : {Op::add, Op::max, Op::fmax, Op::bit_or})
    expect_bools(op, {a, b}, {0, 1, 1, 1});
  for (const Op op : {Op::mul, Op::min, Op::fmin, Op::bit_and})
    expect_bools(op, {a, b}, {0, 0, 0, 1});
  expect_bools(Op::bit_xor, {a, b}, {0, 1, 1, 0});
  expect_bools(Op::bit_not, {a}, {1, 1, 0, 0});
  expect_bools(Op::eq, {a, b}, {1, 0, 0, 1});
  expect_bools(Op::ne, {a, b}, {0, 1, 1, 0});
  expect_bools(Op::lt, {a, b}, {0, 1, 0, 0});
  expect_bools(Op::le, {a, b}, {1, 1, 0, 1});
  expect_bools(Op::select, {a, b, Bools{1, 1, 1, 0}}, {1, 1, 0, 1});
  expect_bools(Op::bit_not, {Bools{0, 2, 255, 1}}, {1, 0, 0, 0});  // Any non-zero byte is true.
}

TEST(ScalarOps, ComplexArithmetic) {
  using V = std::vector<C64>;
  expect_predicate<C64>(Op::eq, {V{{1, 2}, {1, 2}}, V{{1, 2}, {1, 3}}}, {1, 0});
  expect_predicate<C64>(Op::ne, {V{{1, 2}, {1, 2}}, V{{1, 2}, {1, 3}}}, {0, 1});
  const auto check_all = [](Op op, const std::vector<V>& operands, const V& expected) {
    EXPECT_EQ((apply<C64, C64>(op, DType::c64, operands)), expected) << name(op);
  };
  check_all(Op::add, {V{{1, 2}}, V{{3, -4}}}, {{4, -2}});
  check_all(Op::sub, {V{{1, 2}}, V{{3, -4}}}, {{-2, 6}});
  check_all(Op::mul, {V{{1, 2}}, V{{3, -4}}}, {{11, 2}});
  check_all(Op::div, {V{{11, 2}}, V{{3, -4}}}, {{1, 2}});
  check_all(Op::neg, {V{{1, -2}}}, {{-1, 2}});
  check_all(Op::sign, {V{{3, 4}, {0, 0}}}, {{0.6F, 0.8F}, {0, 0}});
  check_all(Op::conj, {V{{1, -2}}}, {{1, 2}});
  check_all(Op::pow, {V{{0, 1}}, V{{0, 0}}}, {{1, 0}});
  EXPECT_EQ((apply<float, C64>(Op::abs, DType::f32, {{{3, 4}}})), std::vector<float>{5});
  EXPECT_EQ((apply<float, C64>(Op::angle, DType::f32, {{{0, 1}}})),
            std::vector<float>{std::numbers::pi_v<float> / 2});
  EXPECT_EQ((apply<float, C64>(Op::real, DType::f32, {{{3, 4}}})), std::vector<float>{3});
  EXPECT_EQ((apply<double, C128>(Op::imag, DType::f64, {{{3, 4}}})), std::vector<double>{4});
  const auto nan = static_cast<float>(kNaN);
  const auto inf = static_cast<float>(kInf);
  expect_predicate<C64>(Op::is_nan, {V{{nan, 1}, {1, nan}, {inf, 1}}}, {1, 1, 0});
  expect_predicate<C64>(Op::is_inf, {V{{nan, 1}, {1, nan}, {inf, 1}}}, {0, 0, 1});
}

TEST(ScalarOps, ComplexElementaryFunctions) {
  const C128 z(0.3, -0.7);
  const std::pair<Op, C128> cases[] = {
      {Op::sqrt, std::sqrt(z)},
      {Op::rsqrt, 1.0 / std::sqrt(z)},
      {Op::exp, std::exp(z)},
      {Op::exp2, std::pow(C128(2), z)},
      {Op::expm1, std::exp(z) - 1.0},
      {Op::log, std::log(z)},
      {Op::log2, std::log(z) / std::log(2.0)},
      {Op::log10, std::log10(z)},
      {Op::log1p, std::log(1.0 + z)},
      {Op::sin, std::sin(z)},
      {Op::cos, std::cos(z)},
      {Op::tan, std::tan(z)},
      {Op::asin, std::asin(z)},
      {Op::acos, std::acos(z)},
      {Op::atan, std::atan(z)},
      {Op::sinh, std::sinh(z)},
      {Op::cosh, std::cosh(z)},
      {Op::tanh, std::tanh(z)},
      {Op::asinh, std::asinh(z)},
      {Op::acosh, std::acosh(z)},
      {Op::atanh, std::atanh(z)},
  };
  for (const auto& [op, expected] : cases) {
    const C128 wide = apply<C128, C128>(op, DType::c128, {{z}})[0];
    EXPECT_LT(std::abs(wide - expected), 1e-15) << name(op);
    const C64 narrow = apply<C64, C64>(op, DType::c64, {{C64(z)}})[0];
    EXPECT_LT(std::abs(C128(narrow) - expected), 3e-7) << name(op);
  }
  // Where the direct formulas lose everything.
  const C128 tiny(1e-20, 1e-20);
  EXPECT_EQ((apply<C128, C128>(Op::log1p, DType::c128, {{tiny}})[0]), tiny);
  EXPECT_EQ((apply<C128, C128>(Op::expm1, DType::c128, {{tiny}})[0]), tiny);
}

TEST(ScalarOps, NarrowFormatsCompareByValue) {
  // bf16: 1, -0, +0, NaN.
  const std::vector<uint16_t> a{0x3f80, 0x8000, 0x7fc0};
  const std::vector<uint16_t> b{0x4000, 0x0000, 0x7fc0};
  const auto run = [&](Op op, std::vector<std::vector<uint16_t>> operands) {
    return apply<uint8_t, uint16_t>(op, DType::bool_, operands, DType::bf16);
  };
  EXPECT_EQ(run(Op::eq, {a, b}), (Bools{0, 1, 0}));
  EXPECT_EQ(run(Op::ne, {a, b}), (Bools{1, 0, 1}));
  EXPECT_EQ(run(Op::lt, {a, b}), (Bools{1, 0, 0}));
  EXPECT_EQ(run(Op::le, {a, b}), (Bools{1, 1, 0}));
  EXPECT_EQ(run(Op::is_nan, {a}), (Bools{0, 0, 1}));
  EXPECT_EQ(run(Op::is_inf, {std::vector<uint16_t>{0x7f80, 0xff80, 0}}), (Bools{1, 1, 0}));
  EXPECT_EQ(run(Op::signbit, {a}), (Bools{0, 1, 0}));
}

TEST(ScalarOps, CastsFollowPyTorch) {
  using F = std::vector<float>;
  EXPECT_EQ((apply<uint8_t, float>(Op::cast, DType::u8, {F{300, -1, 1.9F}})),
            (std::vector<uint8_t>{44, 255, 1}));
  EXPECT_EQ((apply<int32_t, float>(Op::cast, DType::i32, {F{-1.9F, 3e9F}})),
            (std::vector<int32_t>{-1, INT32_MIN}));
  EXPECT_EQ((apply<uint8_t, float>(Op::cast, DType::bool_,
                                   {F{0, -0.0F, 0.1F, static_cast<float>(kNaN)}})),
            (Bools{0, 0, 1, 1}));
  EXPECT_EQ((apply<uint16_t, float>(Op::cast, DType::bf16, {F{1.0F, 1.00390625F}})),
            (std::vector<uint16_t>{0x3f80, 0x3f80}));
  EXPECT_EQ((apply<int8_t, int64_t>(Op::cast, DType::i8, {{300, -129}})),
            (std::vector<int8_t>{44, 127}));
  EXPECT_EQ((apply<C64, int8_t>(Op::cast, DType::c64, {{-3}})), (std::vector<C64>{{-3, 0}}));
  EXPECT_EQ((apply<float, C128>(Op::cast, DType::f32, {{{2, 5}}})), F{2});
  EXPECT_EQ((apply<uint16_t, int8_t>(Op::cast, DType::f16, {{-2}})), std::vector<uint16_t>{0xc000});
  EXPECT_EQ((apply<float, uint16_t>(Op::cast, DType::f32, {{0xc000}}, DType::f16)), F{-2});
  EXPECT_EQ((apply<float, uint64_t>(Op::cast, DType::f32, {{UINT64_MAX}})), F{0x1p64F});
}

TEST(ScalarOps, BitcastsKeepBits) {
  EXPECT_EQ((apply<int32_t, float>(Op::bitcast, DType::i32, {{1.0F}})),
            std::vector<int32_t>{0x3f800000});
  EXPECT_EQ((apply<double, int64_t>(Op::bitcast, DType::f64, {{0x4000000000000000}})),
            std::vector<double>{2});
  EXPECT_EQ((apply<uint8_t, uint8_t>(Op::bitcast, DType::bool_, {{0, 2}})), (Bools{0, 1}));
  EXPECT_EQ((apply<int16_t, uint16_t>(Op::bitcast, DType::i16, {{0xffff}})),
            std::vector<int16_t>{-1});
}

TEST(ScalarOps, PhiloxIsTheGenerator) {
  const auto bits = apply<int64_t, int64_t>(Op::philox, DType::i64, {{0, 5, 5}, {0, 9, 1}});
  EXPECT_EQ(static_cast<uint64_t>(bits[0]), 0xe169c58d6627e8d5U);
  EXPECT_NE(bits[0], bits[1]);
  EXPECT_EQ(bits[2], philox_bits(5, 1));
  const auto words =
      apply<int32_t, int64_t>(Op::philox, DType::i32, {{0, 0, 5, 5}, {1, 2, -1, -2}});
  EXPECT_EQ(static_cast<uint32_t>(words[0]), 0xe169c58dU);
  EXPECT_EQ(static_cast<uint32_t>(words[1]), 0xbc57ac4cU);
  EXPECT_EQ(words[2], static_cast<int32_t>(philox_bits(5, -1) >> 32));
  EXPECT_EQ(words[3], static_cast<int32_t>(philox_bits(5, -1)));
}

TEST(ScalarOps, EveryOperationThatExistsHasAFunction) {
  for (int i = 0; i < kScalarOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_EQ(parse_scalar_op(name(op)), op);
    int count = 0;
    for (int d = 0; d < kDTypeCount; ++d) {
      const auto dtype = static_cast<DType>(d);
      std::vector<DType> operands(static_cast<size_t>(arity(op)), dtype);
      if (op == Op::select) operands[0] = DType::bool_;
      const auto result = result_dtype(op, operands, dtype);
      if (!result) continue;
      ++count;
      if (op == Op::cast) continue;
      EXPECT_NE(lane_function(op, dtype, *result), nullptr) << name(op) << ' ' << litz::name(dtype);
    }
    EXPECT_GT(count, 0) << name(op);
  }
  EXPECT_EQ(parse_scalar_op("blend"), std::nullopt);
}

// Rows stand in the order of the enumerators, so a cost in the wrong row would show here.
TEST(ScalarOps, CostsAreThoseOfTheOperation) {
  EXPECT_EQ(cost(Op::add), 1);
  for (int i = 0; i < kScalarOpCount; ++i) EXPECT_GE(cost(static_cast<Op>(i)), 1);
  for (const Op op : {Op::mul, Op::select, Op::cast, Op::lt}) EXPECT_EQ(cost(op), 1) << name(op);
  for (const Op op : {Op::exp, Op::log, Op::sin, Op::erf, Op::tanh, Op::pow, Op::philox}) {
    EXPECT_GT(cost(op), cost(Op::sqrt)) << name(op);
  }
  EXPECT_LT(cost(Op::div), cost(Op::sqrt));
}

TEST(ScalarOps, SpellingsAreTheEnumerators) {
  // The name table is by position: the ends of each group would show a shift.
  EXPECT_EQ(name(Op::add), "add");
  EXPECT_EQ(name(Op::hypot), "hypot");
  EXPECT_EQ(name(Op::signbit), "signbit");
  EXPECT_EQ(name(Op::shift_right), "shift_right");
  EXPECT_EQ(name(Op::round_even), "round_even");
  EXPECT_EQ(name(Op::digamma), "digamma");
  EXPECT_EQ(name(Op::make_complex), "make_complex");
  EXPECT_EQ(name(Op::philox), "philox");
  EXPECT_EQ(parse_reduce_kind("argmin"), ReduceKind::argmin);
  EXPECT_EQ(parse_reduce_kind("median"), std::nullopt);
  EXPECT_EQ(parse_store_mode("max"), StoreMode::max);
  EXPECT_EQ(parse_store_mode("sub"), std::nullopt);
}

TEST(Builder, RefusesWhatDoesNotExist) {
  ExprPool pool;
  KernelBuilder b("bad", pool);
  const Scalar real = b.constant(DType::f32, 1.0);
  const Scalar half = b.constant(DType::f16, 1.0);
  const Scalar whole = b.constant(DType::i64, int64_t{1});
  EXPECT_THROW(real + whole, InternalError);
  EXPECT_THROW(half + half, InternalError);
  EXPECT_THROW(exp(whole), InternalError);
  EXPECT_THROW(!whole, InternalError);
  EXPECT_THROW(whole + 0.5, Error);
  EXPECT_THROW(b.constant(DType::bool_, int64_t{2}), Error);
  EXPECT_THROW(b.bitcast(real, DType::f64), InternalError);
  EXPECT_THROW(Scalar().dtype(), InternalError);
  KernelBuilder other("other", pool);
  EXPECT_THROW(other.cast(real, DType::f64), InternalError);
}

}  // namespace
}  // namespace litz::loops
