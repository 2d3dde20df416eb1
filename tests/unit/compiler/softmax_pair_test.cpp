// A maximum and the sum of exponentials relative to it, compiled as one reduction, against both
// interpreted one after the other: rows of all lengths and arrangements, special values among them.

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/kernels/kernel_set.h"
#include "compiler/report/compile_report.h"
#include "schedule/schedule.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// --- Kernels

/// Largest value and sum of every row, of as many elements as s0 says.
std::string sums(const std::string& dtype, const std::string& element) {
  const std::string sizes = element == "i, j" ? "s1, s0" : "s0, s1";
  std::string text = "kernel @sums(%x: " + dtype + "[" + sizes + "], out %m: " + dtype +
                     "[s1], out %s: " + dtype + "[s1]) {\n  for i in 0..s1 {\n";
  text += "    %0 = reduce max j in 0..s0 {\n      %1 = load %x[" + element +
          "]\n      yield %1\n    }\n";
  text += "    %2 = reduce sum j in 0..s0 {\n      %3 = load %x[" + element +
          "]\n      %4 = sub %3, %0\n      %5 = exp %4\n      yield %5\n    }\n";
  return text + "    store %m[i], %0\n    store %s[i], %2\n  }\n}\n";
}

/// Rows of numbers, with special ones in some: n ascends over all positions of the last.
std::vector<std::function<double(int64_t j, int64_t n)>> kinds_of_rows() {
  static std::mt19937 random(3);
  const auto any = [] { return std::normal_distribution<double>(0, 3)(random); };
  const double lowest = std::numeric_limits<float>::lowest();
  return {
      [=](int64_t, int64_t) { return any(); },
      [](int64_t j, int64_t) { return static_cast<double>(j) * 0.25; },
      [](int64_t j, int64_t) { return static_cast<double>(j) * -0.25; },
      [](int64_t j, int64_t) { return static_cast<double>(j) * 40; },
      [](int64_t, int64_t) { return 7.0; },
      [=](int64_t j, int64_t n) { return j < n / 2 ? -kInf : any(); },
      [=](int64_t j, int64_t n) { return j + 1 < n ? -kInf : any(); },
      [=](int64_t j, int64_t) { return j > 0 ? -kInf : any(); },
      [](int64_t, int64_t) { return -kInf; },
      [=](int64_t j, int64_t n) { return j == n / 2 ? kInf : any(); },
      [=](int64_t j, int64_t n) { return j % 2 == n % 2 ? kInf : -kInf; },
      [](int64_t, int64_t) { return kInf; },
      [=](int64_t j, int64_t n) { return j == n - 1 ? kNan : any(); },
      [=](int64_t j, int64_t) { return j == 0 ? kNan : any(); },
      [](int64_t j, int64_t n) { return j == n / 3 ? kNan : -kInf; },
      [](int64_t j, int64_t n) { return j == n / 3 ? kNan : kInf; },
      [=](int64_t, int64_t) { return lowest; },
      [=](int64_t j, int64_t) { return j == 0 ? lowest : -kInf; },
      [=](int64_t j, int64_t) { return j % 3 == 0 ? lowest : -lowest; },
      [=](int64_t j, int64_t n) { return j == n - 1 ? -lowest : lowest; },
      [](int64_t j, int64_t) { return j % 2 == 0 ? 0.0 : -0.0; },
      [](int64_t j, int64_t) { return 1e-30 * static_cast<double>(j % 5); },
  };
}

Tensor special_rows(DType dtype, int64_t length, bool transposed) {
  const auto kinds = kinds_of_rows();
  const auto rows = static_cast<int64_t>(kinds.size());
  std::vector<double> values(static_cast<size_t>(rows * length));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < length; ++j) {
      const int64_t at = transposed ? j * rows + i : i * length + j;
      values[static_cast<size_t>(at)] = kinds[static_cast<size_t>(i)](j, length);
    }
  }
  std::vector<int64_t> sizes{rows, length};
  if (transposed) std::swap(sizes[0], sizes[1]);
  return Tensor::of<double>(DType::f64, sizes, std::span<const double>(values)).to(dtype);
}

void expect_close(const Tensor& have, const Tensor& want, double tolerance) {
  const Tensor h = have.to(DType::f64).contiguous();
  const Tensor w = want.to(DType::f64).contiguous();
  ASSERT_EQ(h.sizes(), w.sizes());
  for (int64_t i = 0; i < w.numel(); ++i) {
    const double a = reinterpret_cast<const double*>(h.data())[i];
    const double b = reinterpret_cast<const double*>(w.data())[i];
    const bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                      std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
    EXPECT_TRUE(same) << "element " << i << ": " << a << " instead of " << b;
  }
}

class SoftmaxPair : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"s0", "s1"}) {
      SymbolInfo info;
      info.name = name;
      info.range = {0, 1 << 30};
      symbols.push_back(pool.add_symbol(info).symbol());
    }
  }

  std::vector<Tensor> run(const std::string& text, const Tensor& x, int64_t rows, bool compile,
                          const char* target = "host") {
    const loops::Kernel kernel = loops::parse_kernel(text, pool);
    const loops::Kernel* kernels[] = {&kernel};
    const KernelSet set(kernels, {.compile = compile, .target = target});
    EXPECT_EQ(set.reason_interpreted(0).empty(), compile);
    std::vector<Tensor> buffers{x, Tensor::empty(x.dtype(), {rows}),
                                Tensor::empty(x.dtype(), {rows})};
    set.run(0, buffers, bindings);
    return buffers;
  }

  void agree(const std::string& text, const Tensor& x, int64_t rows, double tolerance) {
    const std::vector<Tensor> want = run(text, x, rows, false);
    const auto compare = [&](const std::vector<Tensor>& have) {
      expect_close(have[1], want[1], 0);
      expect_close(have[2], want[2], tolerance);
    };
    compare(run(text, x, rows, true));
#if defined(__x86_64__)
    SCOPED_TRACE("avx2");
    compare(run(text, x, rows, true, "avx2"));
#endif
  }

  bool is_paired(const std::string& text) {
    const schedule::Schedule schedule =
        schedule::make_schedule(loops::parse_kernel(text, pool), {.vector_bytes = 32});
    return to_string(schedule.kernel).find("reduce softmax") != std::string::npos;
  }

  ExprPool pool;
  std::vector<SymbolId> symbols;
  Bindings bindings;
};

// Up to kLeastSoftmaxSteps vectors in two passes, then in one, with sums in parts from some on.
constexpr int64_t kLengths[] = {1,  2,  3,   7,   8,   9,   15,  16,   17,   31,   32,   33,
                                63, 64, 100, 127, 128, 255, 256, 1000, 1023, 1024, 1025, 5003};

TEST_F(SoftmaxPair, RowsOfSpecialValues) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const std::string text = sums(std::string(name(dtype)), "i, j");
    ASSERT_TRUE(is_paired(text));
    for (const int64_t length : kLengths) {
      SCOPED_TRACE(std::string(name(dtype)) + ", " + std::to_string(length));
      const Tensor x = special_rows(dtype, length, false);
      bindings.set(symbols[0], length);
      bindings.set(symbols[1], x.sizes()[0]);
      agree(text, x, x.sizes()[0], dtype == DType::f32 ? 1e-6 : 1e-13);
    }
  }
}

// Every lane has a row of its own.
TEST_F(SoftmaxPair, ColumnsOfSpecialValues) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const std::string text = sums(std::string(name(dtype)), "j, i");
    ASSERT_TRUE(is_paired(text));
    for (const int64_t length : kLengths) {
      SCOPED_TRACE(std::string(name(dtype)) + ", " + std::to_string(length));
      const Tensor x = special_rows(dtype, length, true);
      bindings.set(symbols[0], length);
      bindings.set(symbols[1], x.sizes()[1]);
      agree(text, x, x.sizes()[1], dtype == DType::f32 ? 4e-6 : 1e-13);
    }
  }
}

// Two variables that do not walk memory as one, and a length that is known.
TEST_F(SoftmaxPair, SeveralVariables) {
  const std::string text =
      R"(kernel @f(%x: f32[22, 40, 67]{4000, 100, 1}, out %m: f32[22], out %s: f32[22]) {
  for i in 0..22 {
    %0 = reduce max j in 0..40, k in 0..67 {
      %1 = load %x[i, j, k]
      yield %1
    }
    %2 = reduce sum j in 0..40, k in 0..67 {
      %3 = load %x[i, j, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    store %m[i], %0
    store %s[i], %2
  }
})";
  ASSERT_TRUE(is_paired(text));
  const Tensor rows = special_rows(DType::f32, 40 * 67, false);
  ASSERT_EQ(rows.sizes()[0], 22);
  Tensor x = Tensor::empty_strided(DType::f32, {22, 40, 67}, {4000, 100, 1});
  for (int64_t at = 0; at < rows.numel(); ++at) {
    const int64_t to = at / 2680 * 4000 + at % 2680 / 67 * 100 + at % 67;
    reinterpret_cast<float*>(x.mutable_data())[to] =
        reinterpret_cast<const float*>(rows.data())[at];
  }
  agree(text, x, 22, 1e-6);
}

TEST_F(SoftmaxPair, OfNothingIsAnError) {
  bindings.set(symbols[0], 0);
  bindings.set(symbols[1], 3);
  const std::string text = sums("f32", "i, j");
  EXPECT_THROW(run(text, Tensor::empty(DType::f32, {3, 0}), 3, true), Error);
  bindings.set(symbols[1], 0);
  EXPECT_NO_THROW(run(text, Tensor::empty(DType::f32, {0, 0}), 0, true));
}

TEST_F(SoftmaxPair, OfNothingWhereThatMayBe) {
  bindings.set(symbols[0], 0);
  bindings.set(symbols[1], 19);
  for (const char* element : {"i, j", "j, i"}) {
    std::string text = sums("f32", element);
    text.replace(text.find("max j"), 3, "max may_be_empty");
    ASSERT_TRUE(is_paired(text));
    const bool is_transposed = element[0] == 'j';
    const std::vector<int64_t> sizes{is_transposed ? 0 : 19, is_transposed ? 19 : 0};
    const Tensor x = Tensor::empty(DType::f32, sizes);
    agree(text, x, 19, 0);
    const std::vector<Tensor> results = run(text, x, 19, true);
    for (int64_t i = 0; i < 19; ++i) {
      EXPECT_EQ(results[1].at({i}), -kInf);
      EXPECT_EQ(results[2].at({i}), 0);
    }
  }
}

/// By definition, in long double.
long double exact_sum(const std::vector<float>& row) {
  const float largest = *std::ranges::max_element(row);
  long double sum = 0;
  for (const float x : row) sum += std::exp(static_cast<long double>(x) - largest);
  return sum;
}

// Every new maximum rounds the sums before it once more. In the worst row every element is one, by
// so little that what came before still counts.
TEST_F(SoftmaxPair, ErrorsOfRisingRows) {
  constexpr int64_t kLong = 1 << 20;
  bindings.set(symbols[0], kLong);
  bindings.set(symbols[1], 1);
  const std::string text = sums("f32", "i, j");
  double worst = 0;
  for (const float step : {0x1p-24F, 1e-6F, 1e-5F, 1e-4F, 1e-3F, 0.1F, 20.0F}) {
    for (const float direction : {1.0F, -1.0F}) {
      std::vector<float> row(kLong);
      for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i) * step * direction;
      const Tensor x =
          Tensor::of<float>(DType::f32, {1, kLong}, std::span<const float>(row)).contiguous();
      const long double exact = exact_sum(row);
      for (const char* target : {"host", "avx2"}) {
        const Tensor have = run(text, x, 1, true, target)[2];
        const float sum = *reinterpret_cast<const float*>(have.data());
        const auto error = static_cast<double>(std::abs(sum - exact) / exact);
        worst = std::max(worst, error);
        EXPECT_LT(error, 1e-6) << target << ", steps of " << step * direction;
      }
    }
  }
  RecordProperty("worst_in_billionths", static_cast<int>(worst * 1e9));
}

// --- Programs

std::vector<Tensor> results_of(const char* text, const std::vector<Leaf>& inputs,
                               const Options& options) {
  Executable executable(text_program(text), options);
  std::vector<Tensor> results;
  for (const Leaf& leaf : executable.run(inputs)) {
    results.push_back(std::get<Tensor>(leaf).contiguous());
  }
  return results;
}

constexpr const char* kOfAnyLength = R"(
sym s0 in [1, 100000] hint 512
graph @main(%x: DTYPE[24, s0]) -> (DTYPE[24, s0], DTYPE[24, s0], DTYPE[24], DTYPE[24, s0]) {
  %h = aten.mul.Scalar(%x, 0.5)
  %a = aten._softmax(%h, -1, false)
  %b = aten._log_softmax(%h, -1, false)
  %c = aten.logsumexp(%h, [-1])
  %d = aten._safe_softmax(%h, -1)
  return %a, %b, %c, %d
})";

std::string of_dtype(std::string text, const std::string& dtype) {
  for (size_t at = 0; (at = text.find("DTYPE", at)) != std::string::npos;) {
    text.replace(at, 5, dtype);
  }
  return text;
}

TEST(SoftmaxPrograms, CompiledAsInterpreted) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
    const std::string text = of_dtype(kOfAnyLength, std::string(name(dtype)));
    const double tolerance = dtype == DType::bf16  ? 1e-2
                             : dtype == DType::f16 ? 2e-3
                             : dtype == DType::f32 ? 4e-6
                                                   : 1e-12;
    for (const int64_t length : {1, 5, 16, 33, 257, 5000}) {
      SCOPED_TRACE(std::string(name(dtype)) + ", " + std::to_string(length));
      Tensor x = fill_floats(DType::f64, {24, length}, 5, 6, 0).clone();
      const Tensor special = special_rows(DType::f64, length, false);
      std::memcpy(x.mutable_data(), special.data(), static_cast<size_t>(special.numel()) * 8);
      x = x.to(dtype);
      const auto want = results_of(text.c_str(), {x}, {.executor = ExecutorKind::interpreter});
      const auto have = results_of(text.c_str(), {x}, {.threads = 1});
      const auto threaded = results_of(text.c_str(), {x}, {.threads = 3});
      for (size_t i = 0; i < want.size(); ++i) {
        SCOPED_TRACE("result " + std::to_string(i));
        expect_close(have[i], want[i], tolerance);
        const auto bytes = static_cast<size_t>(want[i].numel() * item_size(dtype));
        EXPECT_EQ(std::memcmp(have[i].data(), threaded[i].data(), bytes), 0);
      }
    }
  }
}

TEST(SoftmaxPrograms, ReportsTellOfOnePass) {
  constexpr const char* kText = R"(
sym s0 in [1, 100000] hint 512
graph @main(%x: f32[24, s0]) -> (f32[24, s0]) {
  %a = aten._softmax(%x, -1, false)
  return %a
})";
  Options options;
  options.keep_report = true;
  const Executable executable(text_program(kText), options);
  const CompileReport report =
      executable.report(std::vector<Leaf>{fill_floats(DType::f32, {24, 100}, 1, 1, 0)});
  ASSERT_EQ(report.steps.size(), 1U);
  std::vector<std::string> kinds;
  for (const ReportedLoop& loop : report.steps[0].loops) kinds.push_back(loop.kind);
  EXPECT_THAT(kinds, testing::ElementsAre("for", "reduce softmax", "for"));
}

}  // namespace
}  // namespace litz::compiler
