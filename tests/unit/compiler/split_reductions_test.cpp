// Long reductions give the same bits for every number of threads, and what they give whole.

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

constexpr int64_t kLong = 600'011;  // A prime.

std::vector<Tensor> results_of(Executable& executable, const Tensor& x) {
  std::vector<Tensor> results;
  for (const Leaf& leaf : executable.run(std::vector<Leaf>{x})) {
    results.push_back(std::get<Tensor>(leaf).contiguous());
  }
  return results;
}

void expect_close(const Tensor& have, const Tensor& want, const std::string& what) {
  const Tensor h = have.to(DType::f64);
  const Tensor w = want.to(DType::f64);
  ASSERT_EQ(h.sizes(), w.sizes());
  for (int64_t i = 0; i < w.numel(); ++i) {
    const double a = reinterpret_cast<const double*>(h.data())[i];
    const double b = reinterpret_cast<const double*>(w.data())[i];
    if (!is_floating(want.dtype())) {
      EXPECT_EQ(a, b) << what << " element " << i;
    } else if (std::isnan(b)) {
      EXPECT_TRUE(std::isnan(a)) << what;
    } else {
      EXPECT_NEAR(a, b, 1e-5 * std::max(100.0, std::abs(b))) << what << " element " << i;
    }
  }
}

/// Compiled, for several numbers of threads, and interpreted as it was written.
void agree(const char* text, const std::vector<Tensor>& inputs, bool is_split) {
  Executable whole(text_program(text),
                   {.executor = ExecutorKind::interpreter, .threads = 1, .fuse = false});
  Executable one(text_program(text), {.threads = 1});
  const LaunchCounts counts = one.launch_counts();
  EXPECT_EQ(counts.interpreted, 0);
  EXPECT_EQ(counts.kernels > whole.launch_counts().kernels, is_split);
  for (const int threads : {2, 3, 8}) {
    Executable many(text_program(text), {.threads = threads});
    for (const Tensor& x : inputs) {
      const std::vector<Tensor> want = results_of(one, x);
      const std::vector<Tensor> have = results_of(many, x);
      for (size_t i = 0; i < want.size(); ++i) {
        const auto bytes = static_cast<size_t>(want[i].numel() * item_size(want[i].dtype()));
        EXPECT_EQ(std::memcmp(have[i].data(), want[i].data(), bytes), 0)
            << threads << " threads, result " << i << "\n"
            << text;
      }
    }
  }
  for (const Tensor& x : inputs) {
    const std::vector<Tensor> want = results_of(whole, x);
    const std::vector<Tensor> have = results_of(one, x);
    for (size_t i = 0; i < want.size(); ++i) {
      expect_close(have[i], want[i], std::string(text) + "result " + std::to_string(i));
    }
  }
}

Tensor numbers(DType dtype, std::vector<int64_t> sizes) {
  return fill_floats(DType::f32, std::move(sizes), 7, 1, 0).to(dtype);
}

constexpr char kAll[] = R"(
graph @main(%x: f32[600011]) -> (f32[], f32[], f32[], f32[], i64[], i64[]) {
  %s = aten.sum(%x)
  %m = aten.mean(%x)
  %v = aten.var(%x)
  %a = aten.max(%x)
  %p = aten.argmax(%x)
  %q = aten.argmin(%x)
  return %s, %m, %v, %a, %p, %q
})";

TEST(SplitReductions, OfFloats) {
  Tensor with_nan = numbers(DType::f32, {kLong}).clone();
  for (const int64_t at : {kLong / 2, kLong - 1}) {
    reinterpret_cast<float*>(with_nan.mutable_data())[at] = std::numeric_limits<float>::quiet_NaN();
  }
  Tensor ties = Tensor::empty(DType::f32, {kLong});
  for (int64_t i = 0; i < kLong; ++i) {
    reinterpret_cast<float*>(ties.mutable_data())[i] = static_cast<float>(i % 1000);
  }
  agree(kAll, {numbers(DType::f32, {kLong}), with_nan, ties}, true);
}

TEST(SplitReductions, OfHalfFloatsAndIntegers) {
  agree(R"(
graph @main(%x: bf16[600011]) -> (bf16[], bf16[]) {
  %s = aten.sum(%x)
  %m = aten.mean(%x)
  return %s, %m
})",
        {numbers(DType::bf16, {kLong})}, true);
  agree(R"(
graph @main(%x: i32[600011]) -> (i64[], i64[], bool[], bool[]) {
  %s = aten.sum(%x)
  %p = aten.argmax(%x)
  %a = aten.any(%x)
  %b = aten.all(%x)
  return %s, %p, %a, %b
})",
        {Tensor::zeros(DType::i32, {kLong}), numbers(DType::i32, {kLong})}, true);
}

TEST(SplitReductions, OfFewRowsAndColumns) {
  agree(R"(
graph @main(%x: f32[3, 100003]) -> (f32[3]) {
  %s = aten.sum.dim_IntList(%x, [1])
  return %s
})",
        {numbers(DType::f32, {3, 100003})}, true);
  agree(R"(
graph @main(%x: f32[3, 100003]) -> (i64[3]) {
  %s = aten.argmax(%x, 1)
  return %s
})",
        {numbers(DType::f32, {3, 100003})}, true);
  agree(R"(
graph @main(%x: f32[100003, 8]) -> (f32[8]) {
  %s = aten.sum.dim_IntList(%x, [0])
  return %s
})",
        {numbers(DType::f32, {100003, 8})}, true);
}

// The second sum reads the first one; a row that fits no cache gains by parts.
TEST(SplitReductions, OfVariancesOfLongRows) {
  agree(R"(
graph @main(%x: f32[2, 1100003]) -> (f32[2]) {
  %v = aten.var.dim(%x, [1])
  return %v
})",
        {numbers(DType::f32, {2, 1100003})}, true);
}

TEST(SplitReductions, OfSymbolicSizes) {
  std::vector<Tensor> inputs;
  for (const int64_t size : {1, 2, 7, 1000, 16384, 65537, 300000}) {
    inputs.push_back(numbers(DType::f32, {size, 3}));
  }
  agree(R"(
sym s0 in [1, 1000000] hint 4
graph @main(%x: f32[s0, 3]) -> (f32[], f32[], i64[]) {
  %y = aten.exp(%x)
  %s = aten.sum(%y)
  %m = aten.max(%y)
  %p = aten.argmax(%x)
  return %s, %m, %p
})",
        inputs, true);
}

// Small sizes of a program that may get large ones cost a launch more: one part on one thread.
TEST(SplitReductions, OfSmallSymbolicSizesMakeOnePart) {
  const char* text = R"(
sym s0 in [1, 1000000] hint 300000
graph @main(%x: f32[s0]) -> (f32[]) {
  %s = aten.sum(%x)
  return %s
})";
  Executable executable(text_program(text), {.threads = 1, .target = "avx2"});
  EXPECT_EQ(executable.launch_counts().kernels, 2);
  const artifact::KernelPhase& parts = executable.compiled()->kernels.at(0).phases.at(0);
  const SymbolId s0 = executable.program()->module->exprs().find_symbol("s0")->symbol();
  const auto at = [&](Expr expr, int64_t size) {
    Bindings bindings;
    bindings.set(s0, size);
    return evaluate(expr, bindings);
  };
  EXPECT_EQ(at(parts.iterations, 4), 1);
  EXPECT_EQ(at(parts.iterations, 60000), 1);
  EXPECT_EQ(at(parts.iterations, 1000000), 30);
  // What threads divide by, picoseconds of a part, follows the size.
  EXPECT_LT(at(parts.cost, 64), 10'000);
  EXPECT_GT(at(parts.cost, 1000000), 300'000);
}

TEST(SplitReductions, SmallOnesStayWhole) {
  agree(R"(
graph @main(%x: f32[1000]) -> (f32[]) {
  %s = aten.sum(%x)
  return %s
})",
        {numbers(DType::f32, {1000})}, false);
}

}  // namespace
}  // namespace litz::compiler
