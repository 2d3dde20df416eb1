// Kernels on complex numbers, compiled in parts, against the interpreter.

#include "schedule/complex_parts.h"

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/llvm/kernel_compiler.h"
#include "compiler/kernels/kernel_set.h"
#include "loops/signature.h"

namespace litz::compiler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ComplexParts : public testing::Test {
 protected:
  /// Numbers of every kind, in pairs.
  template <typename T>
  static Tensor special(int64_t count, size_t stride) {
    const std::vector<double> numbers{0.0, -0.0,      1.0,        -1.5, 3e38, 1e-40,
                                      2.5, kInfinity, -kInfinity, NAN,  1e30, -7.25};
    std::vector<std::complex<T>> values;
    for (int64_t i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(i) * stride;
      values.emplace_back(static_cast<T>(numbers[k % 12]), static_cast<T>(numbers[k / 12 % 12]));
    }
    constexpr DType dtype = sizeof(T) == 4 ? DType::c64 : DType::c128;
    return Tensor::of_bytes(dtype, {count}, std::as_bytes(std::span(values)));
  }

  Tensor run(const loops::Kernel& kernel, std::vector<Tensor> buffers, bool compile) {
    const loops::Kernel* kernels[] = {&kernel};
    const KernelSet set(kernels, {.compile = compile});
    EXPECT_EQ(set.reason_interpreted(0).empty(), compile);
    const TensorType& out = kernel.buffers.back().type;
    buffers.push_back(Tensor::zeros(out.dtype, evaluate(out.sizes, bindings)));
    set.run(0, buffers, bindings);
    return buffers.back();
  }

  /// Equal to the bit, but for which NaN.
  static void expect_same(const Tensor& want, const Tensor& have) {
    for (int64_t i = 0; i < want.numel(); ++i) {
      const std::complex<double> w = want.complex_at(std::span(&i, 1));
      const std::complex<double> h = have.complex_at(std::span(&i, 1));
      const auto same = [](double x, double y) {
        return (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
      };
      ASSERT_TRUE(same(w.real(), h.real()) && same(w.imag(), h.imag()))
          << i << ": " << h << " instead of " << w;
    }
  }

  template <typename T>
  void agree(const std::string& body, const std::string& result) {
    const std::string dtype = sizeof(T) == 4 ? "c64" : "c128";
    const std::string text = "kernel @k(%x: " + dtype + "[144], %y: " + dtype +
                             "[144], out %o: " + result +
                             "[144]) {\n  for i in 0..144 {\n    %0 = load %x[i]\n" +
                             "    %1 = load %y[143 - i]\n" + body + "    store %o[i], %2\n  }\n}";
    SCOPED_TRACE(text);
    const loops::Kernel kernel = loops::parse_kernel(text, pool);
    const std::vector<Tensor> inputs{special<T>(144, 1), special<T>(144, 5)};
    expect_same(run(kernel, inputs, false), run(kernel, inputs, true));
  }

  ExprPool pool;
  Bindings bindings;
};

TEST_F(ComplexParts, OperationsAgreeToTheBit) {
  for (const std::string op : {"add %0, %1", "sub %0, %1", "mul %0, %1", "neg %0", "conj %0"}) {
    agree<float>("    %2 = " + op + "\n", "c64");
    agree<double>("    %2 = " + op + "\n", "c128");
  }
  for (const std::string op : {"eq %0, %1", "ne %0, %1", "is_nan %0", "is_inf %0"}) {
    agree<float>("    %2 = " + op + "\n", "bool");
  }
  for (const std::string op : {"real %0", "imag %0"}) {
    agree<float>("    %2 = " + op + "\n", "f32");
    agree<double>("    %2 = " + op + "\n", "f64");
  }
}

TEST_F(ComplexParts, ChoicesAndCasts) {
  agree<float>("    %3 = is_nan %0\n    %2 = select %3, %1, %0\n", "c64");
  agree<float>("    %2 = cast c128 %0\n", "c128");
  agree<float>("    %2 = cast bool %0\n", "bool");
  agree<float>("    %2 = cast f64 %0\n", "f64");
  agree<float>("    %3 = real %0\n    %4 = imag %1\n    %2 = make_complex %3, %4\n", "c64");
  agree<float>("    %3 = imag %0\n    %2 = cast c64 %3\n", "c64");
}

TEST_F(ComplexParts, EveryOperationIsCompiled) {
  for (int i = 0; i < loops::kScalarOpCount; ++i) {
    const auto op = static_cast<loops::ScalarOp>(i);
    if (op == loops::ScalarOp::cast || op == loops::ScalarOp::bitcast) continue;
    for (const DType dtype : {DType::c64, DType::c128}) {
      const int arity = loops::arity(op);
      const std::vector<DType> operands(static_cast<size_t>(arity), dtype);
      const auto result = loops::result_dtype(op, operands, dtype);
      if (!result || arity > 2) continue;
      // Our hypot and atan2 differ from the C library's in the last place.
      const bool is_rounded =
          op == loops::ScalarOp::abs || op == loops::ScalarOp::angle || op == loops::ScalarOp::sign;
      if (is_rounded && dtype == DType::c128) continue;
      const std::string body =
          "    %2 = " + std::string(loops::name(op)) + (arity == 1 ? " %0\n" : " %0, %1\n");
      if (dtype == DType::c64) {
        agree<float>(body, std::string(name(*result)));
      } else {
        agree<double>(body, std::string(name(*result)));
      }
    }
  }
}

TEST_F(ComplexParts, BitsOfC64) {
  agree<float>("    %2 = bitcast i64 %0\n", "i64");
  agree<float>("    %3 = bitcast f64 %0\n    %2 = bitcast c64 %3\n", "c64");
}

TEST_F(ComplexParts, SumsAndProducts) {
  for (const std::string dtype : {"c64", "c128"}) {
    for (const std::string kind : {"sum", "prod"}) {
      const loops::Kernel kernel = loops::parse_kernel(
          "kernel @k(%x: " + dtype + "[4, 3, 2], out %o: " + dtype +
              "[4]) {\n  for i in 0..4 {\n    %0 = reduce " + kind +
              " j in 0..3, k in 0..2 {\n      %1 = load %x[i, j, k]\n      %2 = mul %1, %1\n"
              "      yield %2\n    }\n    store %o[i], %0\n  }\n}",
          pool);
      // Small whole numbers, so that no order of additions matters.
      std::vector<std::complex<double>> values;
      for (int i = 0; i < 24; ++i) values.emplace_back(i % 5 - 2, i % 3 - 1);
      const Tensor x = Tensor::of_bytes(DType::c128, {4, 3, 2}, std::as_bytes(std::span(values)))
                           .to(kernel.buffers[0].type.dtype);
      expect_same(run(kernel, {x}, false), run(kernel, {x}, true));
    }
  }
}

TEST_F(ComplexParts, HalvesOfC32) {
  const loops::Kernel kernel = loops::parse_kernel(R"(kernel @k(%x: c32[40], out %o: c32[40]) {
  for i in 0..40 {
    %0 = load %x[i]
    %1 = cast c64 %0
    %2 = exp %1
    %3 = cast c32 %2
    store %o[i], %3
  }
})",
                                                   pool);
  const Tensor x = special<float>(40, 1).to(DType::c32);
  const Tensor want = run(kernel, {x}, false).to(DType::c64);
  expect_same(want, run(kernel, {x}, true).to(DType::c64));
}

TEST_F(ComplexParts, WhatHasNoFormIsInterpreted) {
  const loops::Kernel kernel = loops::parse_kernel(
      "kernel @k(%x: c64[4], out %o: c64[4]) {\n  for i in 0..4 {\n    %0 = load %x[i]\n"
      "    store mul %o[i], %0\n  }\n}",
      pool);
  EXPECT_FALSE(schedule::in_parts(kernel).has_value());
  EXPECT_EQ(codegen::reason_not_compiled(kernel), "complex numbers");
}

TEST_F(ComplexParts, CarriedValuesAndPredicates) {
  const loops::Kernel kernel = loops::parse_kernel(R"(kernel @k(%x: c64[40], out %o: c64[40]) {
  %0 = const c64 (1.0, 0.5)
  %1 = for i in 0..40 carry (%2 = %0) {
    %3 = index i64 i
    %4 = const i64 30
    %5 = lt %3, %4
    %6 = const c64 (0.5, -0.25)
    %7 = load %x[i] if %5 else %6
    %8 = mul %2, %7
    store %o[i], %8
    yield %8
  }
})",
                                                   pool);
  Tensor x = special<float>(40, 1);
  expect_same(run(kernel, {x}, false), run(kernel, {x}, true));
}

}  // namespace
}  // namespace litz::compiler
