// Every kind of reduction, in every arrangement of lanes: alone, inside lanes, and around them.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/builder.h"
#include "loops/interpreter.h"
#include "loops/signature.h"
#include "support/check.h"
#include "types/element_visit.h"

namespace litz::loops {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename R, typename T>
std::vector<R> reduce_rows(ReduceKind kind, int64_t rows, const std::vector<T>& values, DType dtype,
                           DType result) {
  ExprPool pool;
  KernelBuilder b("reduce", pool);
  const int64_t columns = static_cast<int64_t>(values.size()) / std::max<int64_t>(rows, 1);
  const BufferId x = b.input("x", contiguous_type(dtype, {rows, columns}));
  const BufferId y = b.output("y", contiguous_type(result, {rows}));
  b.loop(std::vector<Expr>{rows}, [&](Exprs i) {
    b.store(y, i, b.reduce(kind, std::vector<Expr>{columns}, [&](Exprs j) {
      return b.load(x, {i[0], j[0]});
    }));
  });
  Tensor in = Tensor::empty(dtype, {rows, columns});
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(in.mutable_data()));
  const Tensor out = Tensor::empty(result, {rows});
  interpret(std::move(b).finish(), std::vector{in, out}, {});
  const auto* data = reinterpret_cast<const R*>(out.data());
  return {data, data + rows};
}

// The same row once, and 200 times so that rows take the lanes.
template <typename R, typename T>
void expect_reduced(ReduceKind kind, const std::vector<T>& row, R expected,
                    DType dtype = dtype_of<T>(), DType result = dtype_of<R>()) {
  const auto matches = [&](R actual) {
    if constexpr (std::is_floating_point_v<R>) {
      if (std::isnan(expected)) return std::isnan(actual);
    }
    return actual == expected;
  };
  EXPECT_TRUE(matches((reduce_rows<R, T>(kind, 1, row, dtype, result)[0]))) << name(kind);
  std::vector<T> many;
  for (int i = 0; i < 200; ++i) many.insert(many.end(), row.begin(), row.end());
  for (const R actual : reduce_rows<R, T>(kind, 200, many, dtype, result)) {
    EXPECT_TRUE(matches(actual)) << name(kind);
  }
}

TEST(Reduce, Floats) {
  const std::vector<float> row{3, -1, 4, 1, -5, 9, 2, 6};
  expect_reduced<float>(ReduceKind::sum, row, 19);
  expect_reduced<float>(ReduceKind::prod, row, 6480);
  expect_reduced<float>(ReduceKind::max, row, 9);
  expect_reduced<float>(ReduceKind::min, row, -5);
  expect_reduced<int64_t>(ReduceKind::argmax, row, int64_t{5});
  expect_reduced<int64_t>(ReduceKind::argmin, row, int64_t{4});
  expect_reduced<double>(ReduceKind::sum, std::vector<double>{0.5, 0.25}, 0.75);
}

TEST(Reduce, NaNWinsAndTheFirstOneIsThePosition) {
  const auto nan = static_cast<float>(kNaN);
  const std::vector<float> row{3, nan, 4, nan};
  expect_reduced<float>(ReduceKind::sum, row, nan);
  expect_reduced<float>(ReduceKind::max, row, nan);
  expect_reduced<float>(ReduceKind::min, row, nan);
  expect_reduced<int64_t>(ReduceKind::argmax, row, int64_t{1});
  expect_reduced<int64_t>(ReduceKind::argmin, row, int64_t{1});
}

TEST(Reduce, TiesGiveTheLowestPositionAcrossChunks) {
  std::vector<float> row(5000, 1.0F);
  row[700] = 2;
  row[701] = 2;
  row[4999] = 2;
  EXPECT_EQ((reduce_rows<int64_t, float>(ReduceKind::argmax, 1, row, DType::f32, DType::i64)[0]),
            700);
  EXPECT_EQ((reduce_rows<int64_t, float>(ReduceKind::argmin, 1, row, DType::f32, DType::i64)[0]),
            0);
  // Equal values in different lanes: the later chunk has the lower lane.
  std::vector<float> late(5000, 0.0F);
  late[100] = 1;
  late[1024] = 1;
  EXPECT_EQ((reduce_rows<int64_t, float>(ReduceKind::argmax, 1, late, DType::f32, DType::i64)[0]),
            100);
}

TEST(Reduce, FloatSumsAreRoundedOnce) {
  // In float, adding ones to 2^24 would stop.
  std::vector<float> row(1001, 1.0F);
  row[0] = 0x1p24F;
  expect_reduced<float>(ReduceKind::sum, row, 0x1p24F + 1000);
}

TEST(Reduce, IntegersWrap) {
  expect_reduced<int32_t>(ReduceKind::sum, std::vector<int32_t>{INT32_MAX, 1}, INT32_MIN);
  expect_reduced<uint8_t>(ReduceKind::prod, std::vector<uint8_t>{16, 17}, uint8_t{16});
  expect_reduced<int8_t>(ReduceKind::max, std::vector<int8_t>{-100, -7}, int8_t{-7});
  expect_reduced<int16_t>(ReduceKind::min, std::vector<int16_t>{-100, -7}, int16_t{-100});
  expect_reduced<uint32_t>(ReduceKind::bit_xor, std::vector<uint32_t>{5, 3, 8}, uint32_t{14});
  expect_reduced<uint64_t>(ReduceKind::max, std::vector<uint64_t>{1, UINT64_MAX}, UINT64_MAX);
  expect_reduced<uint16_t>(ReduceKind::sum, std::vector<uint16_t>{65535, 2}, uint16_t{1});
  expect_reduced<int64_t>(ReduceKind::argmax, std::vector<int64_t>{1, 7, 7}, int64_t{1});
}

TEST(Reduce, Bools) {
  const auto expect_bool = [](ReduceKind kind, const std::vector<uint8_t>& row, bool expected) {
    expect_reduced<uint8_t, uint8_t>(kind, row, expected ? 1 : 0, DType::bool_, DType::bool_);
  };
  expect_bool(ReduceKind::any, {0, 0, 2}, true);
  expect_bool(ReduceKind::any, {0, 0}, false);
  expect_bool(ReduceKind::all, {1, 1, 1}, true);
  expect_bool(ReduceKind::all, {1, 0, 1}, false);
  expect_bool(ReduceKind::max, {0, 1}, true);
  expect_bool(ReduceKind::min, {0, 1}, false);
  expect_bool(ReduceKind::bit_xor, {1, 1, 1}, true);
  expect_reduced<int64_t, uint8_t>(ReduceKind::argmax, {0, 1, 1}, 1, DType::bool_, DType::i64);
}

TEST(Reduce, Complex) {
  using C = std::complex<float>;
  expect_reduced<C>(ReduceKind::sum, std::vector<C>{{1, 2}, {3, -5}}, C(4, -3));
  expect_reduced<C>(ReduceKind::prod, std::vector<C>{{1, 2}, {3, -4}}, C(11, 2));
  using D = std::complex<double>;
  expect_reduced<D>(ReduceKind::sum, std::vector<D>{{1, 2}, {3, -5}}, D(4, -3));
}

TEST(Reduce, EmptyRanges) {
  const std::vector<float> none;
  EXPECT_EQ((reduce_rows<float, float>(ReduceKind::sum, 3, none, DType::f32, DType::f32)),
            (std::vector<float>{0, 0, 0}));
  EXPECT_EQ((reduce_rows<float, float>(ReduceKind::prod, 300, none, DType::f32, DType::f32)),
            std::vector<float>(300, 1.0F));
  const auto bools = [](ReduceKind kind) {
    return reduce_rows<uint8_t, uint8_t>(kind, 1, {}, DType::bool_, DType::bool_)[0];
  };
  EXPECT_EQ(bools(ReduceKind::any), 0);
  EXPECT_EQ(bools(ReduceKind::all), 1);
  EXPECT_EQ((reduce_rows<int32_t, int32_t>(ReduceKind::bit_xor, 1, {}, DType::i32, DType::i32)[0]),
            0);
  for (const ReduceKind kind : {ReduceKind::max, ReduceKind::min}) {
    EXPECT_THROW((reduce_rows<float, float>(kind, 1, none, DType::f32, DType::f32)), Error);
    EXPECT_NO_THROW((reduce_rows<float, float>(kind, 0, none, DType::f32, DType::f32)));
  }
  for (const ReduceKind kind : {ReduceKind::argmax, ReduceKind::argmin}) {
    EXPECT_THROW((reduce_rows<int64_t, float>(kind, 1, none, DType::f32, DType::i64)), Error);
  }
}

TEST(Reduce, PositionsCountRowMajorOverSeveralVariables) {
  ExprPool pool;
  KernelBuilder b("argmax", pool);
  const BufferId x = b.input("x", contiguous_type(DType::f32, {2, 3}));
  const BufferId y = b.output("y", contiguous_type(DType::i64, {}));
  b.store(y, IndexVector{}, b.reduce(ReduceKind::argmax, std::vector<Expr>{3, 2}, [&](Exprs i) {
    return b.load(x, {i[1], i[0]});
  }));
  const std::vector<float> values{0, 1, 2, 9, 4, 5};
  const Tensor in = Tensor::of<float>(DType::f32, {2, 3}, std::span<const float>(values));
  const Tensor out = Tensor::empty(DType::i64, {});
  interpret(std::move(b).finish(), std::vector{in, out}, {});
  EXPECT_EQ(*reinterpret_cast<const int64_t*>(out.data()), 1);  // x[1, 0], at (0, 1).
}

TEST(Reduce, LimitsOfNothing) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const int64_t rows : {1, 300}) {
    ExprPool pool;
    const std::string n = std::to_string(rows);
    const std::string text =
        "kernel @f(%x: f32[" + n + ", s0], out %y: f32[" + n + ", 4]) {\n  for i in 0.." + n + R"( {
    %0 = reduce max may_be_empty j in 0..s0 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce min may_be_empty k in 0..2, l in 0..s0 {
      %3 = load %x[i, l]
      yield %3
    }
    %4, %5 = reduce softmax may_be_empty m in 0..s0 {
      %6 = load %x[i, m]
      yield %6
    }
    store %y[i, 0], %0
    store %y[i, 1], %2
    store %y[i, 2], %4
    store %y[i, 3], %5
  }
})";
    const Kernel kernel = parse_kernel(text, pool);
    Bindings bindings;
    bindings.set(pool.find_symbol("s0")->symbol(), 0);
    const Tensor out = Tensor::empty(DType::f32, {rows, 4});
    interpret(kernel, std::vector{Tensor::empty(DType::f32, {rows, 0}), out}, bindings);
    for (int64_t i = 0; i < rows; ++i) {
      EXPECT_EQ(out.at({i, 0}), -kInf);
      EXPECT_EQ(out.at({i, 1}), kInf);
      EXPECT_EQ(out.at({i, 2}), -kInf);
      EXPECT_EQ(out.at({i, 3}), 0);
    }
  }
}

// --- softmax: the largest value and the sum of exponentials relative to it

template <typename T>
std::pair<std::vector<T>, std::vector<T>> softmax_rows(int64_t rows, const std::vector<T>& values) {
  ExprPool pool;
  const int64_t columns = static_cast<int64_t>(values.size()) / rows;
  const std::string type = std::is_same_v<T, float> ? "f32" : "f64";
  const std::string r = std::to_string(rows);
  const std::string c = std::to_string(columns);
  const std::string text = "kernel @f(%x: " + type + "[" + r + ", " + c + "], out %m: " + type +
                           "[" + r + "], out %s: " + type + "[" + r + "]) {\n  for i in 0.." + r +
                           " {\n    %0, %1 = reduce softmax j in 0.." + c +
                           " {\n      %2 = load %x[i, j]\n      yield %2\n    }\n"
                           "    store %m[i], %0\n    store %s[i], %1\n  }\n}\n";
  Tensor in = Tensor::empty(dtype_of<T>(), {rows, columns});
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(in.mutable_data()));
  const Tensor largest = Tensor::empty(dtype_of<T>(), {rows});
  const Tensor sum = Tensor::empty(dtype_of<T>(), {rows});
  interpret(parse_kernel(text, pool), std::vector{in, largest, sum}, {});
  const auto* m = reinterpret_cast<const T*>(largest.data());
  const auto* s = reinterpret_cast<const T*>(sum.data());
  return {{m, m + rows}, {s, s + rows}};
}

template <typename T>
void expect_softmax(const std::vector<T>& row, T largest, double sum) {
  const auto matches = [](double actual, double expected) {
    if (std::isnan(expected)) return std::isnan(actual);
    const double step = std::numeric_limits<T>::epsilon();
    return actual == expected || std::abs(actual - expected) <= 2 * step * std::abs(expected);
  };
  for (const int64_t rows : {1, 200}) {
    std::vector<T> many;
    for (int64_t i = 0; i < rows; ++i) many.insert(many.end(), row.begin(), row.end());
    const auto [m, s] = softmax_rows<T>(rows, many);
    for (int64_t i = 0; i < rows; ++i) {
      const auto at = static_cast<size_t>(i);
      EXPECT_TRUE(matches(m[at], largest)) << m[at] << " instead of " << largest;
      EXPECT_TRUE(matches(s[at], sum)) << s[at] << " instead of " << sum;
    }
  }
}

template <typename T>
void expect_softmax_of_special_values() {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  constexpr T kLowest = std::numeric_limits<T>::lowest();
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  expect_softmax<T>({0, 1, 2}, 2, 1 + std::exp(-1.0) + std::exp(-2.0));
  expect_softmax<T>({2, 1, 0}, 2, 1 + std::exp(-1.0) + std::exp(-2.0));
  expect_softmax<T>({5}, 5, 1);
  expect_softmax<T>({-kInf, -kInf, -kInf, 3, 2}, 3, 1 + std::exp(-1.0));
  expect_softmax<T>({3, -kInf, 2}, 3, 1 + std::exp(-1.0));
  expect_softmax<T>({-kInf, -kInf}, -kInf, kNaN);
  expect_softmax<T>({1, kInf, 2}, kInf, kNaN);
  expect_softmax<T>({kInf, -kInf}, kInf, kNaN);
  expect_softmax<T>({1, kNan, 2}, kNan, kNaN);
  expect_softmax<T>({kNan, kInf}, kNan, kNaN);
  expect_softmax<T>({-kInf, kNan}, kNan, kNaN);
  expect_softmax<T>({kLowest, kLowest}, kLowest, 2);
  expect_softmax<T>({kLowest, -kInf}, kLowest, 1);
  expect_softmax<T>({kLowest, -kLowest, 0}, -kLowest, 1);
}

TEST(Reduce, SoftmaxOfSpecialValues) {
  expect_softmax_of_special_values<float>();
  expect_softmax_of_special_values<double>();
}

TEST(Reduce, SoftmaxOfRisingAndFallingRows) {
  std::vector<float> rising(3000);
  for (size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<float>(i) * 0.01F;
  double sum = 0;
  for (const float x : rising) sum += std::exp(static_cast<double>(x) - rising.back());
  expect_softmax<float>(rising, rising.back(), sum);
  const float largest = rising.back();
  std::ranges::reverse(rising);
  expect_softmax<float>(rising, largest, sum);
}

TEST(Reduce, SoftmaxOfNothingIsAnError) {
  EXPECT_THROW(softmax_rows<float>(3, {}), Error);
  EXPECT_EQ(reduced_dtype(ReduceKind::softmax, DType::f16), std::nullopt);
  EXPECT_EQ(reduced_dtype(ReduceKind::softmax, DType::i32), std::nullopt);
}

}  // namespace
}  // namespace litz::loops
