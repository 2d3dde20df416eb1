// Tests that PyTorch has as well are named like its own.

#include "passes/overlap/move_within_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/verifier.h"
#include "passes/bucketing/bucketing.h"
#include "passes/overlap/live_memory.h"
#include "simple_times.h"

namespace litz::passes {
namespace {

MoveOptions simple(double extra_share = 10) {
  MoveOptions options;
  options.prices = simple_times();
  options.extra_share = extra_share;
  return options;
}

constexpr const char* kLate = R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {
  %a = aten.mm(%x, %x)
  %b = aten.mm(%a, %x)
  %c = aten.mm(%b, %x)
  %s = _c10d_functional.all_reduce(%y, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %n = aten.mm(%w, %c)
  return %n
})";

TEST(MoveWithinMemory, StartsMoveUntilTheyAreHidden) {
  const auto module = read(kLate);
  ir::Graph& graph = *module->find_graph("main");
  const auto moved = raise_starts_within(graph, simple());
  ir::verify(*module);
  // Twice its time and half of it more: 24.
  EXPECT_EQ(order_of(graph), "AR mm mm mm wait mm");
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].moves, 3u);
  EXPECT_EQ(moved[0].exposed_before_us, 16);
  EXPECT_EQ(moved[0].exposed_us, 0);
  EXPECT_EQ(moved[0].limit, "unexposed by runtime estimations");
}

TEST(MoveWithinMemory, ReorderPeakMemory) {
  const auto module = read(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[2, 4], f32[2, 4], f32[4, 4]) {
  %s0, %s1 = _c10d_functional.reduce_scatter_tensor_coalesced([%x, %y], "sum", 2, "0")
  %m = aten.mm(%x, %y)
  %k = aten.mm(%m, %y)
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1, %k
})");
  const auto moved = raise_starts_within(*module->find_graph("main"), simple());
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].exposed_us, 0);
  EXPECT_EQ(moved[0].limit, "None");
  EXPECT_EQ(moved[0].moves, 0u);
}

// The peak is where %a is made.
TEST(MoveWithinMemory, ThePeakStopsAStart) {
  const auto module = read(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {
  %u = aten.cat([%y, %y, %y, %y], 1)
  %a = aten.mm(%x, %u)
  %b = aten.slice.Tensor(%a, 1, 0, 4)
  %c = aten.mm(%b, %x)
  %s = _c10d_functional.all_reduce(%y, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %n = aten.mm(%w, %c)
  return %n
})");
  ir::Graph& graph = *module->find_graph("main");
  const double before = peak_bytes(graph);
  const auto moved = raise_starts_within(graph, simple(0));
  EXPECT_EQ(moved[0].limit, "peak memory");
  EXPECT_EQ(moved[0].moves, 2u);
  EXPECT_LE(peak_bytes(graph), before);
}

TEST(MoveWithinMemory, ReorderRespectsWaitDep) {
  const auto module = read(R"(
graph @main(%x: f32[2]) -> (f32[8]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%x, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%w0, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w1
})");
  const auto moved = raise_starts_within(*module->find_graph("main"), simple());
  ASSERT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved[0].moves + moved[1].moves, 0u);
  EXPECT_EQ(moved[1].limit, "collective ordering");
}

// After buckets of two: two gathers, two scatters, a row for each.
TEST(MoveWithinMemory, BucketedGathersAndScatters) {
  std::string body;
  std::string last = "x";
  for (const char* i : {"0", "1", "2", "3"}) {
    const std::string k(i);
    body += "  %g" + k + " = _c10d_functional.all_gather_into_tensor(%p, 2, \"0\")\n  %w" + k +
            " = _c10d_functional.wait_tensor(%g" + k + ")\n  %m" + k + " = aten.mm(%" + last +
            ", %w" + k + ")\n";
    last = "m" + k;
  }
  for (const char* i : {"0", "1", "2", "3"}) {
    const std::string k(i);
    body += "  %s" + k + " = _c10d_functional.reduce_scatter_tensor(%m" + k +
            ", \"sum\", 2, \"0\")\n  %v" + k + " = _c10d_functional.wait_tensor(%s" + k + ")\n";
  }
  const auto module = read(
      "graph @main(%x: f32[4, 4], %p: f32[2, 4]) -> (f32[2, 4], f32[2, 4], f32[2, 4], f32[2, 4]) "
      "{\n" +
      body + "  return %v0, %v1, %v2, %v3\n}");
  ir::Graph& graph = *module->find_graph("main");
  BucketOptions buckets;
  buckets.cap_mb = [](size_t /*index*/) { return 128.0 / 1024 / 1024; };
  bucket_collectives(graph, buckets);
  const double before = peak_bytes(graph);
  const auto moved = raise_starts_within(graph, simple(0.2));
  ir::verify(*module);
  EXPECT_EQ(moved.size(), 4u);
  EXPECT_EQ(graph.in_order("_c10d_functional.all_gather_into_tensor").size(), 2u);
  EXPECT_EQ(graph.in_order("_c10d_functional.reduce_scatter_tensor").size(), 2u);
  EXPECT_LE(peak_bytes(graph), 1.2 * before);
}

TEST(MoveWithinMemory, ADependenceStopsAStart) {
  const auto module = read(R"(
graph @main(%x: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %m = aten.mm(%x, %x)
  %k = aten.mm(%x, %x)
  %s = _c10d_functional.all_reduce(%m, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  return %w, %k
})");
  const auto moved = raise_starts_within(*module->find_graph("main"), simple());
  EXPECT_EQ(moved[0].moves, 1u);
  EXPECT_EQ(moved[0].limit, "data dependency on %m");
}

TEST(MoveWithinMemory, WaitsMoveUntilTheirCollectivesAreHidden) {
  const auto module = read(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %a = aten.mm(%x, %y)
  %b = aten.mm(%a, %y)
  %c = aten.mm(%b, %y)
  %d = aten.mm(%c, %y)
  return %w, %d
})");
  ir::Graph& graph = *module->find_graph("main");
  const auto moved = sink_waits_within(graph, simple());
  ir::verify(*module);
  EXPECT_EQ(order_of(graph), "AR mm mm mm wait mm");
  EXPECT_EQ(moved[0].exposed_us, 0);
}

}  // namespace
}  // namespace litz::passes
