// Sums of many terms keep their digits along rows, along columns, and over several dimensions:
// 0.1 does not cancel, so every rounding of a plain sum would go the same way.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/kernels/kernel_set.h"
#include "compiler/text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

class LongSums : public testing::TestWithParam<const char*> {
 protected:
  /// Runs the kernel on x of these sizes and returns its other buffers.
  std::vector<Tensor> run(const std::string& text, const Tensor& x) {
    const loops::Kernel kernel = loops::parse_kernel(text, pool);
    const loops::Kernel* kernels[] = {&kernel};
    const KernelSet set(kernels, {.compile = true, .target = GetParam()});
    EXPECT_EQ(set.reason_interpreted(0), "");
    std::vector<Tensor> buffers{x};
    for (size_t i = 1; i < kernel.buffers.size(); ++i) {
      const TensorType& type = kernel.buffers[i].type;
      buffers.push_back(Tensor::empty(type.dtype, evaluate(type.sizes, bindings)));
    }
    set.run(0, buffers, bindings);
    buffers.erase(buffers.begin());
    return buffers;
  }

  static Tensor filled(std::vector<int64_t> sizes, float value) {
    Tensor tensor = Tensor::empty(DType::f32, std::move(sizes));
    auto* values = reinterpret_cast<float*>(tensor.mutable_data());
    std::fill(values, values + tensor.numel(), value);
    return tensor;
  }

  static void expect_all(const Tensor& tensor, double value, double tolerance) {
    const auto* values = reinterpret_cast<const float*>(tensor.data());
    for (int64_t i = 0; i < tensor.numel(); ++i) {
      ASSERT_NEAR(static_cast<double>(values[i]) / value, 1, tolerance) << i;
    }
  }

  ExprPool pool;
  Bindings bindings;
};

#if defined(__x86_64__)
INSTANTIATE_TEST_SUITE_P(Targets, LongSums, testing::Values("host", "avx2"));
#else
INSTANTIATE_TEST_SUITE_P(Targets, LongSums, testing::Values("host"));
#endif

TEST_P(LongSums, OfRows) {
  const std::vector<Tensor> sums = run(R"(kernel @rows(%x: f32[2, 1000003], out %y: f32[2]) {
  for i in 0..2 {
    %0 = reduce sum k in 0..1000003 {
      %1 = load %x[i, k]
      yield %1
    }
    store %y[i], %0
  }
})",
                                       filled({2, 1000003}, 0.1F));
  expect_all(sums[0], 1000003 * static_cast<double>(0.1F), 2e-6);
}

TEST_P(LongSums, OfColumns) {
  const std::vector<Tensor> sums = run(R"(kernel @columns(%x: f32[65537, 37], out %y: f32[37]) {
  for j in 0..37 {
    %0 = reduce sum k in 0..65537 {
      %1 = load %x[k, j]
      yield %1
    }
    store %y[j], %0
  }
})",
                                       filled({65537, 37}, 0.1F));
  expect_all(sums[0], 65537 * static_cast<double>(0.1F), 2e-6);
}

TEST_P(LongSums, OverOuterAndInnerDimensions) {
  const std::vector<Tensor> sums = run(R"(kernel @both(%x: f32[30011, 8, 5], out %y: f32[8]) {
  for j in 0..8 {
    %0 = reduce sum k in 0..30011, l in 0..5 {
      %1 = load %x[k, j, l]
      yield %1
    }
    store %y[j], %0
  }
})",
                                       filled({30011, 8, 5}, 0.1F));
  expect_all(sums[0], 30011 * 5 * static_cast<double>(0.1F), 2e-6);
}

// Several reductions of the same columns with stores between them, one of them needing another.
TEST_P(LongSums, TogetherWithOthers) {
  Tensor x = fill_floats(DType::f32, {5000, 160}, 3, 1.0F, 0.0F);
  const std::vector<Tensor> results = run(R"(kernel @columns(%x: f32[5000, 160],
    out %s: f32[160], out %m: f32[160], out %d: f32[160], out %n: f32[160]) {
  for j in 0..160 {
    %0 = reduce sum k in 0..5000 {
      %1 = load %x[k, j]
      yield %1
    }
    store %s[j], %0
    %2 = reduce max l in 0..5000 {
      %3 = load %x[l, j]
      yield %3
    }
    store %m[j], %2
    %4 = const f32 5000.0
    %5 = div %0, %4
    %6 = reduce sum p in 0..5000 {
      %7 = load %x[p, j]
      %8 = sub %7, %5
      %9 = mul %8, %8
      yield %9
    }
    store %d[j], %6
    %10 = reduce min q in 0..5000 {
      %11 = load %x[q, j]
      %12 = sub %11, %2
      yield %12
    }
    store %n[j], %10
  }
})",
                                          x);
  for (int64_t j = 0; j < 160; ++j) {
    double sum = 0;
    double most = -INFINITY;
    double least = INFINITY;
    for (int64_t i = 0; i < 5000; ++i) {
      sum += x.at({i, j});
      most = std::max(most, x.at({i, j}));
      least = std::min(least, x.at({i, j}));
    }
    double squares = 0;
    for (int64_t i = 0; i < 5000; ++i) {
      squares += (x.at({i, j}) - sum / 5000) * (x.at({i, j}) - sum / 5000);
    }
    EXPECT_NEAR(results[0].at({j}), sum, 1e-3);
    EXPECT_EQ(results[1].at({j}), most);
    EXPECT_NEAR(results[2].at({j}) / squares, 1, 1e-6);
    EXPECT_EQ(results[3].at({j}), static_cast<float>(least) - static_cast<float>(most));
  }
}

// PyTorch adds the diagonal of f32 in f64.
TEST(Traces, KeepSmallTerms) {
  Tensor x = Tensor::zeros(DType::f32, {5, 5});
  auto* const values = reinterpret_cast<float*>(x.mutable_data());
  for (int i = 0; i < 5; ++i) values[i * 6] = i == 0 ? 1.0F : 4e-8F;
  Executable program(text_program("graph @main(%x: f32[5, 5]) -> (f32[]) {\n"
                                  "  %y = aten.trace(%x) : f32[]\n  return %y\n}\n"),
                     {.threads = 1});
  const std::vector<Leaf> results = program.run(std::vector<Leaf>{x});
  EXPECT_EQ(std::get<Tensor>(results[0]).at({}), 1.00000011920928955078125);
}

}  // namespace
}  // namespace litz::compiler
