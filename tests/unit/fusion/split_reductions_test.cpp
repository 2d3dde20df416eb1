// Long reductions in parts, against the same plans as they were written.

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/random_plan.h"
#include "fusion/small_plan.h"
#include "loops/interpreter.h"

namespace litz::fusion {
namespace {

using lowering::Slot;
using testing::HasSubstr;
using testing::Not;

constexpr Slot kOut = lowering::kNoSlot;
constexpr FusionOptions kSplit{.split_from = 16, .verify = true};

Slot reduction(SmallPlan& p, Slot x, std::string_view kind, std::string_view sizes,
               std::string_view dtype, std::string_view result) {
  std::string text = "kernel @r(%x: " + std::string(dtype) + "[" + std::string(sizes) +
                     "], out %o: " + std::string(result) + "[]) {\n  %0 = reduce " +
                     std::string(kind) + " i0 in 0.." + std::string(sizes) +
                     " {\n    %1 = load %x[i0]\n    yield %1\n  }\n  store %o[], %0\n}\n";
  return p.kernel(text, {x, kOut});
}

TEST(SplitReductions, OneBecomesTwoKernels) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::i64, {1024}));
  p.output(reduction(p, x, "sum", "1024", "i64", "i64"));
  const FusionReport report = p.fuse_and_compare(kSplit);
  EXPECT_GE(report.kernels_after, 2);
  EXPECT_THAT(p.kernel_texts()[0], HasSubstr("for i0 in 0..64"));
  EXPECT_THAT(p.kernel_texts().back(), Not(HasSubstr("%x")));
}

TEST(SplitReductions, SmallOnesStayWhole) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {100000}));
  p.output(reduction(p, x, "sum", "100000", "f32", "f32"));
  EXPECT_EQ(p.fuse_and_compare({.verify = true}).kernels_after, 1);
}

TEST(SplitReductions, AllKindsAndSizes) {
  struct Kind {
    std::string_view kind;
    std::string_view dtype;
    std::string_view result;
  };

  constexpr Kind kKinds[] = {{"sum", "i64", "i64"},     {"prod", "i32", "i32"},
                             {"max", "f32", "f32"},     {"min", "i8", "i8"},
                             {"any", "bool", "bool"},   {"all", "bool", "bool"},
                             {"bit_xor", "i32", "i32"}, {"argmax", "f32", "i64"},
                             {"argmin", "i64", "i64"},  {"argmax", "bool", "i64"}};
  for (const Kind& kind : kKinds) {
    for (const int64_t size : {16, 17, 31, 64, 127, 1009, 4096}) {
      SCOPED_TRACE(std::string(kind.kind) + " of " + std::to_string(size));
      SmallPlan p;
      const Slot x = p.input(contiguous_type(*parse_dtype(kind.dtype), {size}));
      p.output(reduction(p, x, kind.kind, std::to_string(size), kind.dtype, kind.result));
      EXPECT_GE(p.fuse_and_compare(kSplit).kernels_after, 2);
    }
  }
}

/// A reduction of as many elements as a symbol says, split and compared.
void split_symbolic(std::string_view kind, int64_t size, DType dtype) {
  SCOPED_TRACE(std::string(kind) + " of " + std::to_string(size));
  SmallPlan p;
  SymbolInfo info;
  info.name = "s0";
  info.range = {0, 1 << 20};
  const Expr n = p.pool.add_symbol(info);
  p.bindings.set(n.symbol(), size);
  const Slot x = p.input(contiguous_type(dtype, {n}));
  p.output(reduction(p, x, kind, "s0", name(dtype), name(dtype)));
  EXPECT_GE(p.fuse_and_compare(kSplit).kernels_after, 2);
}

TEST(SplitReductions, SymbolicSizes) {
  for (const std::string_view kind : {"sum", "max", "argmax"}) {
    for (const int64_t size : {0, 1, 2, 3, 15, 16, 17, 100, 1009}) {
      if (size != 0 || kind == "sum") split_symbolic(kind, size, DType::i64);
    }
  }
}

// The range decides, never the size at export: what cannot reach the threshold stays whole.
TEST(SplitReductions, SizesThatStaySmallAreNotSplit) {
  for (const std::optional<int64_t> hint : {std::optional<int64_t>(), std::optional<int64_t>(15)}) {
    for (const auto& [most, kernels] : {std::pair(15, 1), std::pair(1 << 20, 2)}) {
      SmallPlan p;
      const Expr n = p.pool.add_symbol({.name = "s0", .range = {1, most}, .hint = hint});
      p.bindings.set(n.symbol(), 9);
      const Slot x = p.input(contiguous_type(DType::i64, {n}));
      p.output(reduction(p, x, "sum", "s0", "i64", "i64"));
      EXPECT_EQ(p.fuse_and_compare(kSplit).kernels_after, kernels) << most;
    }
  }
}

TEST(SplitReductions, OfWhatMayBeEmpty) {
  for (const std::string_view kind : {"max may_be_empty", "min may_be_empty"}) {
    for (const int64_t size : {0, 1, 2, 15, 16, 17, 1009}) split_symbolic(kind, size, DType::f32);
  }
}

TEST(SplitReductions, OfNothingStillFails) {
  SmallPlan p;
  SymbolInfo info;
  info.name = "s0";
  info.range = {0, 1 << 20};
  const Expr n = p.pool.add_symbol(info);
  p.bindings.set(n.symbol(), 0);
  const Slot x = p.input(contiguous_type(DType::i64, {n}));
  p.output(reduction(p, x, "max", "s0", "i64", "i64"));
  FusionReport report;
  fuse(p.program, kSplit, report);
  EXPECT_THROW(p.run(p.program), Error);
}

// Rows, several reduced dimensions, a value that the reduction needs, one that needs it.
TEST(SplitReductions, VarianceOfRows) {
  for (const int64_t length : {64, 67, 1000}) {
    SmallPlan p;
    const Slot x = p.input(contiguous_type(DType::i64, {3, length, 5}));
    const std::string sizes = std::to_string(length);
    p.output(p.kernel("kernel @var(%x: i64[3, " + sizes + R"(, 5], out %o: i64[3]) {
  for i0 in 0..3 {
    %0 = reduce sum i1 in 0..)" +
                          sizes + R"(, i2 in 0..5 {
      %1 = load %x[i0, i1, i2]
      yield %1
    }
    %2 = const i64 7
    %3 = floor_div %0, %2
    %4 = reduce sum i3 in 0..)" +
                          sizes +
                          R"(, i4 in 0..5 {
      %5 = load %x[i0, i3, i4]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    store %o[i0], %4
  }
})",
                      {x, kOut}));
    p.fuse_and_compare(kSplit);
  }
}

TEST(SplitReductions, TiesGiveTheFirstAndNanWins) {
  for (const int64_t at : {-1, 0, 40, 999}) {
    SmallPlan p;
    const Slot x = p.input(contiguous_type(DType::f32, {1000}));
    const std::string nan = std::to_string(at);
    // Values repeat every 100 elements; NaN at one of them and behind it.
    p.output(p.kernel(R"(kernel @r(%x: f32[1000], out %o: i64[]) {
  %0 = reduce argmax i0 in 0..1000 {
    %1 = index i64 i0
    %2 = const i64 100
    %3 = mod %1, %2
    %4 = cast f32 %3
    %5 = const i64 )" + nan +
                          R"(
    %6 = le %5, %1
    %7 = const i64 0
    %8 = le %7, %5
    %9 = bit_and %6, %8
    %10 = const f32 nan
    %11 = select %9, %10, %4
    yield %11
  }
  store %o[], %0
})",
                      {x, kOut}));
    p.fuse_and_compare(kSplit);
    int64_t position = 0;
    std::memcpy(&position, p.run(p.program)[0].data(), sizeof position);
    EXPECT_EQ(position, at < 0 ? 99 : at);
  }
}

TEST(SplitReductions, SiblingsReadOnce) {
  SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::i64, {4096}));
  p.output(reduction(p, x, "sum", "4096", "i64", "i64"));
  p.output(reduction(p, x, "max", "4096", "i64", "i64"));
  EXPECT_EQ(
      p.fuse_and_compare({.chain_small = false, .split_from = 16, .verify = true}).kernels_after,
      3);
}

}  // namespace
}  // namespace litz::fusion
