// Pointwise consumers of library calls become part of the calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/fusion.h"
#include "fusion/small_plan.h"
#include "fusion/tile_kernel.h"
#include "lowering/last_use.h"
#include "memory/memory_plan.h"

namespace litz::fusion {
namespace {

using lowering::Slot;
using testing::HasSubstr;

constexpr FusionOptions kVerified{
    .chain_small = false, .machine = {.function = product_facts}, .verify = true};
constexpr Slot kOut = lowering::kNoSlot;

constexpr std::string_view kRelu = R"(kernel @relu(%x: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %x[i0, i1]
    %1 = const f32 0.0
    %2 = max %0, %1
    store %o[i0, i1], %2
  }
})";

constexpr std::string_view kAdd = R"(kernel @add(%a: f32[4, 6], %b: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %a[i0, i1]
    %1 = load %b[i0, i1]
    %2 = add %0, %1
    store %o[i0, i1], %2
  }
})";

TensorType matrix(int64_t rows, int64_t columns) {
  return contiguous_type(DType::f32, {rows, columns});
}

/// x @ w of [4, 6] and [6, 6].
struct Product {
  SmallPlan p;
  Slot x = p.input(matrix(4, 6));
  Slot w = p.input(matrix(6, 6));
  Slot product = p.library("matmul", {x, w}, matrix(4, 6));

  const lowering::LibraryStep& call(size_t step = 0) {
    return std::get<lowering::LibraryStep>(p.plan().steps.at(step).work);
  }
};

TEST(Epilogue, TakesAPointwiseConsumer) {
  Product t;
  t.p.output(t.p.kernel(kRelu, {t.product, kOut}));
  const FusionReport report = t.p.fuse_and_compare(kVerified);
  EXPECT_EQ(report.kernels_after, 0);
  EXPECT_EQ(report.epilogues, 1);
  ASSERT_EQ(t.p.plan().steps.size(), 1U);
  ASSERT_TRUE(t.call().epilogue);
  EXPECT_EQ(lowering::call_results(t.p.plan().steps[0]), 1U);
  EXPECT_EQ(t.p.plan().steps[0].label, "matmul + relu");
  // Elements of the result in the order of memory are one loop.
  EXPECT_THAT(t.p.kernel_texts()[0], HasSubstr("for i0 in 0..24"));
}

TEST(Epilogue, ReadsOtherTensors) {
  Product t;
  const Slot residual = t.p.input(matrix(4, 6));
  const Slot sum = t.p.kernel(kAdd, {t.product, residual, kOut});
  t.p.output(t.p.kernel(kRelu, {sum, kOut}));
  EXPECT_EQ(t.p.fuse_and_compare(kVerified).kernels_after, 0);
  EXPECT_EQ(t.call().epilogue->buffers.size(), 3U);
}

TEST(Epilogue, RowsThatRepeatKeepTheirLoops) {
  Product t;
  const Slot row = t.p.input(matrix(1, 6));
  t.p.output(t.p.kernel(R"(kernel @bias(%a: f32[4, 6], %b: f32[1, 6], out %o: f32[1, 4, 6]) {
  for i0 in 0..1, i1 in 0..4, i2 in 0..6 {
    %0 = load %a[i1, i2]
    %1 = load %b[0, i2]
    %2 = add %0, %1
    store %o[0, i1, i2], %2
  }
})",
                        {t.product, row, kOut}));
  EXPECT_EQ(t.p.fuse_and_compare(kVerified).kernels_after, 0);
  EXPECT_THAT(t.p.kernel_texts()[0], HasSubstr("for i0 in 0..4, i1 in 0..6"));
}

TEST(Epilogue, WaitsForTheOtherOperand) {
  Product t;
  const Slot other = t.p.library("matmul", {t.x, t.w}, matrix(4, 6));
  const Slot exp = t.p.kernel(kRelu, {other, kOut});
  const Slot sum = t.p.kernel(kAdd, {t.product, exp, kOut});
  t.p.output(exp);
  t.p.output(sum);
  EXPECT_EQ(t.p.fuse_and_compare(kVerified).kernels_after, 0);
  ASSERT_EQ(t.p.plan().steps.size(), 2U);
  EXPECT_FALSE(t.call(0).epilogue);
  EXPECT_TRUE(t.call(1).epilogue);  // Both kernels, where both products are there.
}

TEST(Epilogue, ResultsThatAreReadElsewhereStay) {
  Product t;
  t.p.output(t.product);
  t.p.output(t.p.kernel(kRelu, {t.product, kOut}));
  EXPECT_EQ(t.p.fuse_and_compare(kVerified).epilogues, 1);
}

void expect_refused(Product& t, Reason reason) {
  const FusionReport report = t.p.fuse_and_compare(kVerified);
  EXPECT_EQ(report.epilogues, 0);
  ASSERT_FALSE(report.missed.empty());
  EXPECT_EQ(report.missed[0].reason, reason);
}

TEST(Epilogue, ReductionsStayKernels) {
  Product t;
  t.p.output(t.p.kernel(R"(kernel @sum(%x: f32[4, 6], out %o: f32[4]) {
  for i0 in 0..4 {
    %0 = reduce sum i1 in 0..6 {
      %1 = load %x[i0, i1]
      yield %1
    }
    store %o[i0], %0
  }
})",
                        {t.product, kOut}));
  expect_refused(t, Reason::not_pointwise);
}

TEST(Epilogue, ResultsInAnotherOrderStayKernels) {
  Product t;
  t.p.output(t.p.kernel(R"(kernel @turn(%x: f32[4, 6], out %o: f32[6, 4]) {
  for i0 in 0..6, i1 in 0..4 {
    %0 = load %x[i1, i0]
    store %o[i0, i1], %0
  }
})",
                        {t.product, kOut}));
  expect_refused(t, Reason::layout);
}

TEST(Epilogue, PartsOfResultsStayKernels) {
  Product t;
  t.p.output(t.p.kernel(R"(kernel @half(%x: f32[4, 6], out %o: f32[4, 3]) {
  for i0 in 0..4, i1 in 0..3 {
    %0 = load %x[i0, i1]
    store %o[i0, i1], %0
  }
})",
                        {t.product, kOut}));
  expect_refused(t, Reason::other_iterations);
}

TEST(Epilogue, OverwritesTheCallsResultButNoOperand) {
  Product t;
  const Slot x = t.p.kernel(kRelu, {t.x, kOut});  // Memory of the plan, unlike the input.
  const Slot product = t.p.library("matmul", {x, t.w}, matrix(4, 6));
  const Slot sum = t.p.kernel(kAdd, {product, x, kOut});
  const Slot again = t.p.library("matmul", {sum, t.w}, matrix(4, 6));
  t.p.output(again);
  t.p.fuse_and_compare(kVerified);
  const memory::MemoryPlan memory = memory::plan_memory(t.p.plan(), {});
  ASSERT_EQ(memory.in_place.size(), 1U);
  EXPECT_EQ(memory.in_place[0].operand, product);
  EXPECT_EQ(memory.in_place[0].result, sum);
}

TEST(Epilogue, TileSymbolsAreNotThoseOfAProgram) {
  ExprPool pool;
  const Expr own = pool.add_symbol({"tile_rows", SymbolKind::size, {2, 7}, {}});
  const loops::Kernel epilogue = loops::parse_kernel(kRelu, pool);
  const TileKernel tile = make_tile_kernel(epilogue);
  EXPECT_NE(tile.symbols.rows, own);
  EXPECT_EQ(make_tile_kernel(epilogue).symbols.rows, tile.symbols.rows);
}

TEST(Epilogue, TileKernelsDifferByBodyOnly) {
  const auto tile_text = [](int64_t rows, int64_t columns) {
    SmallPlan p;
    const Slot x = p.input(matrix(rows, 6));
    const Slot w = p.input(matrix(6, columns));
    const Slot row = p.input(matrix(1, columns));
    const Slot product = p.library("matmul", {x, w}, matrix(rows, columns));
    const std::string n = std::to_string(rows);
    const std::string m = std::to_string(columns);
    const std::string type = "f32[" + n + ", " + m + "]";
    p.output(p.kernel("kernel @bias(%a: " + type + ", %b: f32[1, " + m + "], out %o: " + type +
                          ") {\n  for i0 in 0.." + n + ", i1 in 0.." + m +
                          " {\n    %0 = load %a[i0, i1]\n    %1 = load %b[0, i1]\n"
                          "    %2 = add %0, %1\n    store %o[i0, i1], %2\n  }\n}",
                      {product, row, kOut}));
    p.fuse_and_compare(kVerified);
    const auto& call = std::get<lowering::LibraryStep>(p.plan().steps.at(0).work);
    const TileKernel tile = make_tile_kernel(call.epilogue.value().kernel);
    loops::verify(tile.kernel);
    return loops::to_string(tile.kernel);
  };
  EXPECT_EQ(tile_text(4, 6), tile_text(9, 11));
  EXPECT_THAT(tile_text(4, 6), HasSubstr("for i0 in 0..tile_rows, i1 in 0..tile_columns"));
}

}  // namespace
}  // namespace litz::fusion
