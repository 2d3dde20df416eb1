#include "memory/memory_plan.h"

#include <random>

#include <gtest/gtest.h>

#include "fusion/small_plan.h"
#include "library_plan.h"
#include "lowering/last_use.h"
#include "memory/order.h"
#include "support/check.h"

namespace litz::memory {
namespace {

using lowering::Slot;
using lowering::Step;

TEST(PlanMemory, ReusesWhatIsDead) {
  lowering::Plan plan = empty_plan(5);
  plan.steps.push_back(library_step({0}, 1, 1024));
  plan.steps.push_back(library_step({1}, 2, 256));
  plan.steps.push_back(library_step({2}, 3, 1024));
  plan.steps.push_back(library_step({3}, 4, 8));
  add_output(plan, 4);
  const MemoryPlan memory = plan_memory(plan, {});
  ASSERT_EQ(memory.placements.size(), 3U);  // The output is not a temporary.
  EXPECT_EQ(memory.bytes, 4096 + 1024);
  EXPECT_EQ(memory.peak, 4096 + 1024);
  EXPECT_EQ(memory.unplanned, 4096 * 2 + 1024);
}

TEST(PlanMemory, ViewsKeepTheirStorage) {
  fusion::SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {16}));
  const auto copy = [&](Slot from) {
    return p.kernel(R"(kernel @shift(%x: f32[16], out %o: f32[16]) {
  for i0 in 0..16 {
    %0 = load %x[15 - i0]
    store %o[i0], %0
  }
})",
                    {from, lowering::kNoSlot});
  };
  const Slot a = copy(x);
  const Slot view = p.view(a, contiguous_type(DType::f32, {16}));
  const Slot b = copy(x);
  const Slot c = copy(view);
  p.output(copy(c));
  p.output(copy(b));
  lowering::mark_dead_slots(p.plan());
  const MemoryPlan memory = plan_memory(p.plan(), {});
  ASSERT_EQ(memory.placements.size(), 3U);
  EXPECT_EQ(memory.placements[0].last, 3);  // Where the view of it is read.
}

TEST(PlanMemory, PointwiseResultsTakeTheirOperandsPlace) {
  fusion::SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {4, 6}));
  const auto exp = [&](Slot from) {
    return p.kernel(R"(kernel @exp(%x: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %x[i0, i1]
    %1 = exp %0
    store %o[i0, i1], %1
  }
})",
                    {from, lowering::kNoSlot});
  };
  p.output(exp(exp(exp(exp(x)))));
  const MemoryPlan in_place = plan_memory(p.plan(), {});
  EXPECT_EQ(in_place.in_place.size(), 2U);
  EXPECT_EQ(in_place.bytes, 128);
  const MemoryPlan apart = plan_memory(p.plan(), {}, {.in_place = false});
  EXPECT_TRUE(apart.in_place.empty());
  EXPECT_EQ(apart.bytes, 256);
}

TEST(PlanMemory, OtherElementsAreNotOverwritten) {
  fusion::SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {16}));
  const auto shift = [&](Slot from) {
    return p.kernel(R"(kernel @shift(%x: f32[16], out %o: f32[16]) {
  for i0 in 0..16 {
    %0 = load %x[15 - i0]
    store %o[i0], %0
  }
})",
                    {from, lowering::kNoSlot});
  };
  p.output(shift(shift(shift(x))));
  EXPECT_TRUE(plan_memory(p.plan(), {}).in_place.empty());
}

// %o is stored before %y is read: it may take the place of %x, not that of %y.
TEST(PlanMemory, WhatIsReadLaterIsNotOverwritten) {
  fusion::SmallPlan p;
  const Slot x = p.input(contiguous_type(DType::f32, {16}));
  const auto exp = [&](Slot from) {
    return p.kernel(R"(kernel @exp(%x: f32[16], out %o: f32[16]) {
  for i0 in 0..16 {
    %0 = load %x[i0]
    %1 = exp %0
    store %o[i0], %1
  }
})",
                    {from, lowering::kNoSlot});
  };
  const Slot late = exp(x);
  const Slot early = exp(x);
  const std::vector<Slot> two = p.kernels(
      R"(kernel @two(%y: f32[16], %x: f32[16], out %o: f32[16], out %p: f32[16]) {
  for i0 in 0..16 {
    %0 = load %x[i0]
    store %o[i0], %0
    %1 = load %y[i0]
    store %p[i0], %1
  }
})",
      {late, early, lowering::kNoSlot, lowering::kNoSlot});
  p.output(exp(two[0]));
  p.output(exp(two[1]));
  lowering::mark_dead_slots(p.plan());
  const MemoryPlan memory = plan_memory(p.plan(), {});
  ASSERT_EQ(memory.in_place.size(), 2U);
  EXPECT_EQ(memory.in_place[0].operand, early);
  EXPECT_EQ(memory.in_place[0].result, two[0]);
  EXPECT_EQ(memory.in_place[1].operand, late);
}

TEST(PlanMemory, RandomPlansHaveNoOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int count = 40;
    lowering::Plan plan = empty_plan(count + 1);
    for (int i = 1; i <= count; ++i) {
      std::vector<Slot> reads;
      for (int k = 0; k < 2; ++k) {
        reads.push_back(std::uniform_int_distribution<int>(std::max(0, i - 8), i - 1)(random));
      }
      plan.steps.push_back(
          library_step(reads, i, std::uniform_int_distribution<int>(0, 3000)(random)));
    }
    add_output(plan, count);
    const MemoryPlan before = plan_memory(plan, {});  // Checks itself.
    EXPECT_LE(before.peak, before.bytes);
    EXPECT_LE(before.bytes, before.unplanned);
    const OrderReport order = order_for_memory(plan);
    EXPECT_LE(order.peak_after, order.peak_before);
    plan_memory(plan, {});
  }
}

// Sizes that grow, shrink and jump: each plan of a box has room for all of its sizes.
TEST(PlanMemory, BoxesHoldEverySize) {
  ExprPool pool;
  const Expr s0 = pool.add_symbol({"s0", SymbolKind::size, {1, 128}, std::nullopt});
  const Expr elements[] = {
      64 * s0,    64 * (128 - s0), mod(s0, 8) * 512,         floor_div(s0, 2) * 2, s0 * s0,
      Expr(1000), max(0, s0 - 70), where(lt(s0, 60), s0, 7), floor_div(4096, s0)};
  constexpr int kCount = 9;
  lowering::Plan plan = empty_plan(kCount + 2);
  for (int i = 0; i <= kCount; ++i) {
    Step step = library_step({i, std::max(0, i - 3)}, i + 1, 16);
    if (i < kCount) {
      step.results[0].type = contiguous_type(DType::f32, {elements[i]});
    }
    plan.steps.push_back(std::move(step));
  }
  add_output(plan, kCount + 1);
  const MemoryPlanner planner(plan);
  ASSERT_EQ(planner.chunks().size(), static_cast<size_t>(kCount));
  for (const Interval range : {Interval{1, 128}, Interval{57, 64}, Interval{65, 80}}) {
    const auto shared = planner.plan(SizeBox({{s0.symbol(), range}}));  // Checks itself.
    ASSERT_TRUE(shared.has_value());
    for (int64_t size = range.lo; size <= range.hi; ++size) {
      Bindings bindings;
      bindings.set(s0.symbol(), size);
      const MemoryPlan exact = planner.plan(bindings);
      for (size_t i = 0; i < exact.chunks.size(); ++i) {
        EXPECT_LE(exact.chunks[i].bytes, shared->chunks[i].bytes) << i << " at " << size;
      }
    }
  }
}

TEST(PlanMemory, WithoutABoundThereIsNoSharedPlan) {
  ExprPool pool;
  const Expr s0 = pool.add_symbol({"s0", SymbolKind::size, {1, Interval::kMax}, std::nullopt});
  lowering::Plan plan = empty_plan(3);
  plan.steps.push_back(library_step({0}, 1, 16));
  plan.steps[0].results[0].type = contiguous_type(DType::f32, {s0, s0});
  plan.steps.push_back(library_step({1}, 2, 16));
  add_output(plan, 2);
  const MemoryPlanner planner(plan);
  EXPECT_FALSE(planner.plan(SizeBox({})).has_value());
  EXPECT_FALSE(planner.plan(SizeBox({{s0.symbol(), {1, int64_t{1} << 40}}})).has_value());
  EXPECT_EQ(planner.plan(SizeBox({{s0.symbol(), {9, 10}}}))->bytes, 448);
}

TEST(PlanMemory, NegativeSizesAreRefused) {
  ExprPool pool;
  const Expr s0 = pool.add_symbol({"s0", SymbolKind::size, {1, 100}, std::nullopt});
  lowering::Plan plan = empty_plan(3);
  plan.steps.push_back(library_step({0}, 1, 16));
  plan.steps[0].results[0].type = contiguous_type(DType::f32, {50 - s0, 50 - s0});
  plan.steps.push_back(library_step({1}, 2, 16));
  add_output(plan, 2);
  Bindings bindings;
  bindings.set(s0.symbol(), 60);
  EXPECT_THROW(MemoryPlanner(plan).plan(bindings), Error);
}

TEST(CheckMemoryPlan, RejectsOverlap) {
  MemoryPlan plan;
  plan.bytes = 256;
  plan.placements = {{1, 0, 128, 0, 2}, {2, 64, 64, 1, 3}};
  EXPECT_THROW(check_memory_plan(plan), InternalError);
  plan.placements[1].first = 3;
  EXPECT_NO_THROW(check_memory_plan(plan));
}

}  // namespace
}  // namespace litz::memory
