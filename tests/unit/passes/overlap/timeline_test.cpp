#include "passes/overlap/timeline.h"

#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

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

TEST(Timeline, TellsWhatHidesACollective) {
  const auto module = read(kHidden);
  const Timeline line = timeline(*module->find_graph("main"), {});
  const auto hiding = hidden_by(line);
  ASSERT_EQ(hiding[0].size(), 1u);
  EXPECT_TRUE(hiding[0][0]->is("aten.mm"));
  EXPECT_TRUE(hidden_by(timeline(*read(kExposed)->find_graph("main"), {}))[0].empty());
}

}  // namespace
}  // namespace litz::passes
