// Functions of complex numbers on a grid against the interpreter, whose functions are std::complex's
// and those of types/complex_functions.h.

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <sstream>

#include "emulated_kernel.h"
#include "loops/interpreter.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;
using loops::ScalarOp;

using ComplexPreludeTest = EmulatedKernelTest;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Numbers with all pairs of these parts.
Tensor grid(const std::vector<double>& parts) {
  std::vector<std::complex<double>> values;
  for (const double real : parts) {
    for (const double imaginary : parts) values.emplace_back(real, imaginary);
  }
  return Tensor::of<std::complex<double>>(DType::c128, {static_cast<int64_t>(values.size())},
                                          std::span<const std::complex<double>>(values));
}

std::vector<double> finite_parts() {
  return {0.0, -0.0, 1e-12, -1e-12, 0.25, -0.25, 0.5, -0.5, 1, -1, 1.5, -1.5, 3, -3, 20, -20};
}

std::vector<double> all_parts() {
  std::vector<double> parts{0.0,  -0.0,   0.5,   -0.5,   1,    -1,    300,
                            -300, 1e-300, 1e200, -1e200, kInf, -kInf, kNaN};
  return parts;
}

using enum ScalarOp;

constexpr ScalarOp kFunctions[] = {sqrt,  rsqrt, exp,   exp2,  expm1, log,  log2, log10,
                                   log1p, sin,   cos,   tan,   asin,  acos, atan, sinh,
                                   cosh,  tanh,  asinh, acosh, atanh, neg,  sign, conj};

/// How the results of one function differ, at most a few of them.
std::string differences(const Tensor& at, const Tensor& actual, const Tensor& expected,
                        double tolerance) {
  const auto values = [](const Tensor& tensor) {
    return reinterpret_cast<const std::complex<double>*>(tensor.data());
  };
  const auto is_same = [&](double a, double b, double size) {
    if (std::isnan(b)) return std::isnan(a);
    if (a == b) return a != 0 || std::signbit(a) == std::signbit(b);
    return std::abs(a - b) <= tolerance * size;
  };
  std::ostringstream text;
  int count = 0;
  for (int64_t i = 0; i < at.numel(); ++i) {
    const std::complex<double> a = values(actual)[i];
    const std::complex<double> b = values(expected)[i];
    const double size = std::max(std::abs(b), std::numeric_limits<double>::min());
    if (is_same(a.real(), b.real(), size) && is_same(a.imag(), b.imag(), size)) continue;
    if (++count <= 6) text << values(at)[i] << " gives " << a << ", not " << b << "\n";
  }
  if (count > 6) text << "and " << count - 6 << " more\n";
  return text.str();
}

class ComplexFunctions : public ComplexPreludeTest {
 protected:
  void test(const Tensor& points, double tolerance) {
    KernelBuilder b("functions", pool_);
    const TensorType type = contiguous_type(DType::c128, {points.numel()});
    const BufferId x = b.input("x", type);
    std::vector<BufferId> outputs;
    std::vector<Tensor> tensors{points};
    for (const ScalarOp op : kFunctions) {
      outputs.push_back(b.output(std::string(loops::name(op)), type));
      tensors.push_back(Tensor::zeros(DType::c128, {points.numel()}));
    }
    b.loop(type.sizes, [&](Exprs i) {
      const Scalar value = b.load(x, i);
      for (size_t f = 0; f < outputs.size(); ++f) {
        b.store(outputs[f], i, b.op(kFunctions[f], std::array{value}));
      }
    });
    const loops::Kernel kernel = std::move(b).finish();
    const std::vector<Tensor> expected = clones(tensors);
    loops::interpret(kernel, expected, {});
    run(kernel, tensors);
    for (size_t f = 0; f < outputs.size(); ++f) {
      EXPECT_EQ(differences(points, tensors[f + 1], expected[f + 1], tolerance), "")
          << loops::name(kFunctions[f]);
    }
  }
};

TEST_F(ComplexFunctions, OfFiniteNumbers) { test(grid(finite_parts()), 1e-13); }

TEST_F(ComplexFunctions, AtTheEdges) { test(grid(all_parts()), 1e-13); }

}  // namespace
}  // namespace litz::codegen
