// Orders that hide collectives. Tests that PyTorch has as well are named like its own.

#include "passes/overlap/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "simple_times.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Scheduled {
  std::unique_ptr<ir::Module> module;
  OverlapReport report;

  ir::Graph& graph() const { return *module->find_graph("main"); }

  std::string order() const { return order_of(graph()); }
};

Scheduled scheduled(const std::string& text, const OverlapOptions& options) {
  Scheduled result{read(text), {}};
  result.report = schedule_collectives(result.graph(), options);
  ir::verify(*result.module);
  // A second run is not worse.
  auto again = read(ir::to_string(*result.module));
  const OverlapReport second = schedule_collectives(*again->find_graph("main"), options);
  EXPECT_LE(second.exposed_us, result.report.exposed_us);
  return result;
}

OverlapOptions simple(std::map<std::string, double> special = {}) {
  OverlapOptions options;
  options.prices = simple_times(std::move(special));
  return options;
}

/// A graph over matrices; inputs are %x, %y, %z.
std::string graph(const std::string& body, const std::string& results, size_t count = 1) {
  std::string types = "f32[4, 4]";
  for (size_t i = 1; i < count; ++i) types += ", f32[4, 4]";
  return "graph @main(%x: f32[4, 4], %y: f32[4, 4], %z: f32[4, 4]) -> (" + types + ") {\n" + body +
         "  return " + results + "\n}";
}

std::string reduce(const std::string& result, const std::string& operand,
                   const std::string& group = "0") {
  return "  %" + result + " = _c10d_functional.all_reduce(%" + operand + ", \"sum\", \"" + group +
         "\")\n";
}

std::string wait(const std::string& result, const std::string& operand) {
  return "  %" + result + " = _c10d_functional.wait_tensor(%" + operand + ")\n";
}

std::string product(const std::string& result, const std::string& a, const std::string& b) {
  return "  %" + result + " = aten.mm(%" + a + ", %" + b + ")\n";
}

std::string sum(const std::string& result, const std::string& a, const std::string& b) {
  return "  %" + result + " = aten.add.Tensor(%" + a + ", %" + b + ")\n";
}

TEST(ScheduleCollectives, SinkWaits) {
  const Scheduled result = scheduled(
      graph(reduce("s", "x") + wait("w", "s") + product("m", "x", "y") + product("n", "w", "m"),
            "%n"),
      simple());
  EXPECT_EQ(result.order(), "AR mm wait mm");
  EXPECT_EQ(result.report.exposed(), 0u);
  EXPECT_EQ(result.report.exposed_before_us, 8);
  EXPECT_EQ(result.report.exposed_us, 0);
}

TEST(ScheduleCollectives, RaiseComms) {
  const Scheduled result = scheduled(
      graph(product("a", "x", "x") + "  %r = aten.relu(%y)\n" + product("b", "r", "r") +
                sum("o", "a", "z") + reduce("s", "o") + wait("w", "s") + product("n", "w", "b"),
            "%n"),
      simple());
  EXPECT_EQ(result.order(), "mm relu add AR mm wait mm");
  EXPECT_EQ(result.report.exposed(), 0u);
}

TEST(ScheduleCollectives, SinkWaitsRaiseComms) {
  const Scheduled result =
      scheduled(graph(product("a", "x", "x") + product("b", "y", "y") + reduce("s", "a") +
                          wait("w", "s") + sum("c", "w", "b") + product("n", "c", "z"),
                      "%n"),
                simple());
  EXPECT_EQ(result.order(), "mm AR mm wait add mm");
  EXPECT_EQ(result.report.exposed(), 0u);
}

TEST(ScheduleCollectives, ReorderComputeForOverlapMul) {
  const Scheduled result = scheduled(
      graph(reduce("s", "x") + wait("ar", "s") + product("g", "x", "x") + "  %c = aten.relu(%x)\n" +
                product("d", "c", "c") + "  %dc = aten.mul.Tensor(%d, %c)\n" +
                "  %f = aten.mul.Tensor(%dc, %ar)\n" + reduce("t", "f") + wait("fr", "t") +
                sum("e0", "d", "ar") + sum("e1", "e0", "fr") + product("e", "e1", "g"),
            "%e"),
      simple());
  EXPECT_THAT(result.order(), StartsWith("AR mm relu mm"));
  EXPECT_THAT(result.order(), ::testing::EndsWith("AR add wait add mm"));
  EXPECT_EQ(result.report.exposed(), 1u);
}

TEST(ScheduleCollectives, InductorDefaultCommsOrdering) {
  const std::string text = graph(reduce("s0", "x") + reduce("s1", "y") + reduce("s2", "z") +
                                     wait("w2", "s2") + wait("w1", "s1") + wait("w0", "s0"),
                                 "%w0, %w1, %w2", 3);
  const Scheduled result = scheduled(text, simple());
  EXPECT_THAT(names_of(result.graph()), StartsWith("s0 s1 s2"));
  EXPECT_EQ(result.report.bad_exposed(), 0u);
  EXPECT_EQ(result.report.exposed_us, 24);
}

TEST(ScheduleCollectives, CrossPgPrefetchDuringExposedWait) {
  const Scheduled result =
      scheduled(graph(reduce("s0", "x", "1") + wait("w0", "s0") + product("m", "w0", "y") +
                          reduce("s1", "y", "2") + wait("w1", "s1") + product("n", "m", "w1"),
                      "%n"),
                simple());
  EXPECT_THAT(result.order(), StartsWith("AR AR wait"));
  EXPECT_EQ(result.report.exposed(), 1u);
}

TEST(ScheduleCollectives, ActiveWaitIsNotScheduledRecursively) {
  for (const bool is_reversed : {false, true}) {
    const std::string waits =
        is_reversed ? wait("w1", "s1") + wait("w0", "s0") : wait("w0", "s0") + wait("w1", "s1");
    const Scheduled result =
        scheduled(graph(reduce("s0", "x") + reduce("s1", "y") + waits + sum("a", "w0", "w1") +
                            reduce("s2", "a", "2") + wait("w2", "s2") + product("m", "w2", "z"),
                        "%m"),
                  simple());
    EXPECT_EQ(result.report.exposed_us, 24);
  }
}

constexpr const char* kScatters = R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[2, 4], f32[2, 4], f32[4, 4]) {
  %m0 = aten.mm(%x, %y)
  %m1 = aten.mm(%m0, %y)
  %m2 = aten.mm(%m1, %y)
  %s0 = _c10d_functional.reduce_scatter_tensor(%m0, "sum", 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.reduce_scatter_tensor(%m1, "sum", 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1, %m2
})";

TEST(ScheduleCollectives, TwoQueueSchedulingOffPathNodes) {
  const Scheduled result = scheduled(kScatters, simple());
  EXPECT_EQ(names_of(result.graph()).find("s0") < names_of(result.graph()).find("m2"), true);
  EXPECT_EQ(result.report.exposed_us, 0);
}

TEST(ScheduleCollectives, PrefetchPrioritizesLargerHiddenTime) {
  OverlapOptions options = simple({{"s0", 4}, {"s1", 9}});
  options.in_flight_bytes = 200;  // One reduction of 64 bytes, in and out.
  const Scheduled result = scheduled(
      graph(product("m", "x", "x") + reduce("s0", "y") + wait("w0", "s0") + reduce("s1", "z") +
                wait("w1", "s1") + sum("a", "w0", "w1") + product("n", "a", "m"),
            "%n"),
      options);
  EXPECT_THAT(names_of(result.graph()), StartsWith("s1 m"));
  EXPECT_EQ(result.report.exposed_us, 4);
}

TEST(ScheduleCollectives, FusibleNodesHideCollective) {
  for (const bool joins : {false, true}) {
    OverlapOptions options;
    options.joins_regions = joins;
    const Scheduled result = scheduled(R"(
graph @main(%x: f32[64, 1024], %y: f32[1024, 1024]) -> (f32[64, 1024], f32[1024, 1024]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %a = aten.add.Tensor(%y, 1.0)
  %b = aten.mul.Tensor(%a, 2.0)
  %c = aten.sub.Tensor(%b, 3.0)
  return %w, %c
})",
                                       options);
    EXPECT_FALSE(result.report.collectives[0].hidden_by.empty());
    EXPECT_EQ(result.order(), "AR add mul sub wait");
  }
}

TEST(ScheduleCollectives, CustomNonFlopNodeCounts) {
  const Scheduled result = scheduled(
      graph("  %c = aten.clone(%y)\n" + reduce("s", "x") + wait("w", "s") + product("n", "w", "c"),
            "%n"),
      simple({{"c", 20}}));
  EXPECT_EQ(result.order(), "AR clone wait mm");
  EXPECT_EQ(result.report.exposed(), 0u);
}

TEST(ScheduleCollectives, NoMemoryLimit) {
  const std::string text = graph(product("a", "x", "x") + product("b", "a", "a") +
                                     reduce("s", "y") + wait("w", "s") + product("n", "w", "b"),
                                 "%n");
  OverlapOptions options = simple({{"s", 15}});
  options.extra_bytes = std::nullopt;
  options.extra_share = std::nullopt;
  EXPECT_EQ(scheduled(text, options).report.exposed_us, 0);
  options.extra_share = 0;
  const Scheduled tight = scheduled(text, options);
  EXPECT_LE(tight.report.peak, tight.report.peak_before);
}

TEST(ScheduleCollectives, NoMemoryLimitPrefetchesAcrossComputeGap) {
  OverlapOptions options = simple();
  options.extra_bytes = std::nullopt;
  options.extra_share = std::nullopt;
  const Scheduled result =
      scheduled(graph(product("a", "x", "x") + product("b", "a", "a") + product("c", "b", "b") +
                          reduce("s", "y") + wait("w", "s") + product("n", "w", "c"),
                      "%n"),
                options);
  EXPECT_THAT(result.order(), StartsWith("AR mm"));
  EXPECT_EQ(result.report.exposed(), 0u);
}

// Starting ahead keeps its result live, so a tight budget forbids it.
TEST(ScheduleCollectives, ThePeakStaysInItsBudget) {
  std::string body = product("m0", "x", "y");
  std::string last = "m0";
  for (int i = 0; i < 6; ++i) {
    const std::string k = std::to_string(i);
    body += "  %g" + k + " = _c10d_functional.all_gather_into_tensor(%x, 64, \"0\")\n" +
            wait("w" + k, "g" + k) + "  %p" + k + " = aten.slice.Tensor(%w" + k + ", 0, 0, 4)\n" +
            product("n" + k, last, "p" + k);
    last = "n" + k;
  }
  const std::string text = graph(body, "%" + last);
  OverlapOptions options = simple();
  options.extra_bytes = 0;
  options.extra_share = std::nullopt;
  const Scheduled tight = scheduled(text, options);
  EXPECT_LE(tight.report.peak, tight.report.peak_before);
  options.extra_bytes = 4096;
  const Scheduled loose = scheduled(text, options);
  EXPECT_EQ(loose.report.exposed_us, 0);
  EXPECT_LE(loose.report.peak, loose.report.peak_before + 4096);
  EXPECT_LT(loose.report.exposed_us, tight.report.exposed_us + 1);
}

TEST(ScheduleCollectives, AssumeBucketedLatencyExceedsExposedTime) {
  OverlapOptions options = simple({{"s0", 1}, {"s1", 1}});
  options.assumes_buckets = true;
  const Scheduled result =
      scheduled(graph(reduce("s0", "x") + reduce("s1", "y") + wait("w0", "s0") + wait("w1", "s1") +
                          product("m", "w0", "w1"),
                      "%m"),
                options);
  EXPECT_EQ(result.report.exposed_us, 2);
}

TEST(ScheduleCollectives, ReverseRankingOfWaits) {
  OverlapOptions options = simple();
  options.keeps_order = true;
  const Scheduled result = scheduled(
      graph(reduce("s0", "x") + reduce("s1", "y") + reduce("s2", "z") + product("m", "x", "y") +
                wait("w2", "s2") + product("n", "m", "w2") + wait("w1", "s1") +
                product("o", "n", "w1") + wait("w0", "s0") + product("p", "o", "w0"),
            "%p"),
      options);
  const std::string names = names_of(result.graph());
  EXPECT_LT(names.find("s0"), names.find("s1"));
  EXPECT_LT(names.find("s1"), names.find("s2"));
}

// A receive must not overtake a send: the other rank sends first, too.
TEST(ScheduleCollectives, TransfersKeepTheirOrder) {
  const Scheduled result = scheduled(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %m = aten.mm(%x, %y)
  %s = _c10d_functional.isend(%m, 1, 0, "0")
  %v = _c10d_functional.wait_tensor(%s)
  %r = _c10d_functional.irecv(%y, 1, 0, "0")
  %w = _c10d_functional.wait_tensor(%r)
  %n = aten.mm(%w, %w)
  return %n, %m
})",
                                     simple({{"s", 5}, {"r", 5}}));
  EXPECT_THAT(result.order(), HasSubstr("isend"));
  EXPECT_LT(result.order().find("isend"), result.order().find("irecv"));
}

TEST(ScheduleCollectives, CoalescedCollectivesHaveSeveralWaits) {
  const Scheduled result = scheduled(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[2, 4], f32[2, 4], f32[4, 4]) {
  %s0, %s1 = _c10d_functional.reduce_scatter_tensor_coalesced([%x, %y], "sum", 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %m = aten.mm(%x, %y)
  return %w0, %w1, %m
})",
                                     simple());
  EXPECT_EQ(result.order(), "RS mm wait wait");
  ASSERT_EQ(result.report.collectives.size(), 1u);
  EXPECT_EQ(result.report.exposed_us, 0);
}

TEST(ScheduleCollectives, RandomNumbersMayHide) {
  const Scheduled result = scheduled(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %r = aten.bernoulli.p(%y, 0.5)
  return %w, %r
})",
                                     simple({{"r", 10}}));
  EXPECT_EQ(result.order(), "AR bernoulli wait");
}

TEST(ScheduleCollectives, KeepsOverlapByOrderingEdges) {
  Scheduled result = scheduled(
      graph(reduce("s", "x") + wait("w", "s") + product("m", "x", "y") + product("n", "w", "m"),
            "%n"),
      simple());
  keep_overlap(result.graph(), result.report);
  ir::verify(*result.module);
  ASSERT_EQ(result.graph().order_edges().size(), 2u);
  const auto text = [](const auto& edge) {
    return short_name(*edge.first) + ">" + short_name(*edge.second);
  };
  EXPECT_EQ(text(result.graph().order_edges()[0]), "AR>mm");
  EXPECT_EQ(text(result.graph().order_edges()[1]), "mm>wait");
}

TEST(ScheduleCollectives, GraphsWithoutCollectivesStay) {
  const std::string text = graph(product("m", "x", "y") + product("n", "m", "y"), "%n");
  const Scheduled result = scheduled(text, simple());
  EXPECT_TRUE(result.report.collectives.empty());
}

}  // namespace
}  // namespace litz::passes
