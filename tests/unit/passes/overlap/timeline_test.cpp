#include "passes/overlap/timeline.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"

namespace litz::passes {
namespace {

std::unique_ptr<ir::Module> read(const char* text) {
  return ir::read_module(text, ops::standard_ops());
}

constexpr const char* kExposed = R"(
graph @main(%x: f32[1024, 1024], %y: f32[1024, 1024]) -> (f32[1024, 1024], f32[1024, 1024]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %m = aten.mm(%y, %y)
  return %w, %m
})";

constexpr const char* kHidden = R"(
graph @main(%x: f32[1024, 1024], %y: f32[1024, 1024]) -> (f32[1024, 1024], f32[1024, 1024]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %m = aten.mm(%y, %y)
  %w = _c10d_functional.wait_tensor(%s)
  return %w, %m
})";

TEST(Timeline, WhatComputationHidesIsNotExposed) {
  const auto exposed = read(kExposed);
  const auto hidden = read(kHidden);
  const Timeline before = timeline(*exposed->find_graph("main"), {});
  const Timeline after = timeline(*hidden->find_graph("main"), {});
  EXPECT_DOUBLE_EQ(before.exposed_us, before.communication_us);
  EXPECT_DOUBLE_EQ(before.compute_us, 2.0 * 1024 * 1024 * 1024 / 50e6);
  EXPECT_DOUBLE_EQ(after.exposed_us, before.communication_us - before.compute_us);
  EXPECT_DOUBLE_EQ(after.total_us, before.total_us - before.compute_us);
  EXPECT_DOUBLE_EQ(after.events[0].exposed, after.exposed_us);
}

TEST(Timeline, TheCollectivesOfAGroupRunOneAfterTheOther) {
  const auto module = read(R"(
graph @main(%x: f32[1024]) -> (f32[1024], f32[1024], f32[1024]) {
  %s0 = _c10d_functional.all_reduce(%x, "sum", "a")
  %s1 = _c10d_functional.all_reduce(%x, "sum", "a")
  %s2 = _c10d_functional.all_reduce(%x, "sum", "b")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %w2 = _c10d_functional.wait_tensor(%s2)
  return %w0, %w1, %w2
})");
  const Timeline line = timeline(*module->find_graph("main"), {});
  ASSERT_EQ(line.events.size(), 3u);
  EXPECT_EQ(line.events[1].begin, line.events[0].end);
  EXPECT_EQ(line.events[2].begin, 0);
}

TEST(Timeline, GroupsHaveTheSizeThatTheProgramTells) {
  const auto module = read(R"(
graph @main(%x: f32[1024]) -> (f32[4096], f32[1024]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%x, 4, "a")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_reduce(%x, "sum", "a")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1
})");
  const ir::Graph& graph = *module->find_graph("main");
  EXPECT_EQ(group_sizes(graph).at("a"), 4);
  const NodePrices prices(graph, {});
  EXPECT_DOUBLE_EQ(prices.collective_us(*graph.in_order("_c10d_functional.all_reduce")[0]),
                   machine::collective_us(machine::Traffic::all_reduce, 8192, 4, {}));
}

TEST(Timeline, OperandsLiveUntilTheWait) {
  const char* const parts[] = {"  %w = _c10d_functional.wait_tensor(%s)\n",
                               "  %b = aten.exp(%x)\n  %c = aten.sum(%b)\n"};
  const auto peak = [&](bool waits_first) {
    const std::string text = std::string(
                                 "graph @main(%x: f32[256]) -> (f32[256], f32[]) {\n"
                                 "  %a = aten.relu(%x)\n"
                                 "  %s = _c10d_functional.all_reduce(%a, \"sum\", \"0\")\n") +
                             parts[waits_first ? 0 : 1] + parts[waits_first ? 1 : 0] +
                             "  return %w, %c\n}";
    const auto module = read(text.c_str());
    return peak_bytes(*module->find_graph("main"));
  };
  // The result, %b and %c; %a as well while the collective reads it.
  EXPECT_EQ(peak(true), 2 * 1024 + 4);
  EXPECT_EQ(peak(false), 3 * 1024 + 4);
}

}  // namespace
}  // namespace litz::passes
