// Tests that PyTorch has as well are named like its own.

#include "passes/overlap/move_collectives.h"

#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "simple_times.h"

namespace litz::passes {
namespace {

std::string moved(const std::string& text, void (*pass)(ir::Graph&)) {
  const auto module = read(text);
  ir::Graph& graph = *module->find_graph("main");
  pass(graph);
  ir::verify(*module);
  const std::string once = ir::to_string(*module);
  pass(graph);
  EXPECT_EQ(ir::to_string(*module), once);
  return order_of(graph);
}

TEST(MoveCollectives, SinkWaits) {
  EXPECT_EQ(moved(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %a = aten.mm(%y, %y)
  %n = aten.mm(%w, %a)
  return %n
})",
                  sink_waits),
            "AR mm wait mm");
}

TEST(MoveCollectives, RaiseComms) {
  EXPECT_EQ(moved(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {
  %a = aten.mm(%x, %x)
  %r = aten.relu(%y)
  %b = aten.mm(%r, %r)
  %o = aten.add.Tensor(%a, 1.0)
  %s = _c10d_functional.all_reduce(%o, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %n = aten.mm(%w, %b)
  return %n
})",
                  raise_starts),
            "mm add AR relu mm wait mm");
}

TEST(MoveCollectives, ReorderRespectsWaitDep) {
  const std::string text = R"(
graph @main(%x: f32[2]) -> (f32[8]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%x, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%w0, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w1
})";
  EXPECT_EQ(moved(text, raise_starts), "AG wait AG wait");
  EXPECT_EQ(moved(text, sink_waits), "AG wait AG wait");
}

TEST(MoveCollectives, NoStartPassesAnother) {
  EXPECT_EQ(moved(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %a = aten.mm(%x, %x)
  %s0 = _c10d_functional.all_reduce(%a, "sum", "0")
  %s1 = _c10d_functional.irecv(%y, 1, 0, "1")
  %s2 = _c10d_functional.all_reduce(%y, "sum", "1")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %w2 = _c10d_functional.wait_tensor(%s2)
  %r = aten.add.Tensor(%w1, %w2)
  return %w0, %r
})",
                  raise_starts),
            "mm AR irecv AR wait wait wait add");
}

TEST(MoveCollectives, ReorderComputeForOverlap) {
  const auto module = read(R"(
graph @main(%a: f32[4, 4]) -> (f32[4, 4]) {
  %s = _c10d_functional.all_reduce(%a, "sum", "0")
  %ar = _c10d_functional.wait_tensor(%s)
  %g = aten.mm(%a, %a)
  %c = aten.relu(%a)
  %d = aten.mm(%c, %c)
  %dc = aten.mul.Tensor(%d, %c)
  %f = aten.mul.Tensor(%dc, %ar)
  %t = _c10d_functional.all_reduce(%f, "sum", "0")
  %fr = _c10d_functional.wait_tensor(%t)
  %e0 = aten.add.Tensor(%d, %ar)
  %e1 = aten.add.Tensor(%e0, %fr)
  %e = aten.mm(%e1, %g)
  return %e
})");
  ir::Graph& graph = *module->find_graph("main");
  reorder_compute(graph, simple_times({{"s", 15}}));
  ir::verify(*module);
  EXPECT_EQ(names_of(graph), "s c d dc g ar f t e0 fr e1 e");
}

}  // namespace
}  // namespace litz::passes
