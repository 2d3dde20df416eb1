// Buckets of scheduled graphs. Tests that PyTorch has as well are named like its own.

#include "passes/overlap/join_overlapped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "simple_times.h"

namespace litz::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Inputs: %x, %y are matrices, %a to %d are parts of one.
std::string graph(const std::string& body, const std::string& result = "%n") {
  return "graph @main(%x: f32[4, 4], %y: f32[4, 4], %a: f32[2, 4], %b: f32[2, 4], %c: f32[2, 4], "
         "%d: f32[2, 4]) -> (f32[4, 4]) {\n" +
         body + "  return " + result + "\n}";
}

std::string gather(const std::string& i, const std::string& operand) {
  return "  %g" + i + " = _c10d_functional.all_gather_into_tensor(%" + operand + ", 2, \"0\")\n";
}

std::string wait(const std::string& i) {
  return "  %w" + i + " = _c10d_functional.wait_tensor(%g" + i + ")\n";
}

std::string product(const std::string& result, const std::string& a, const std::string& b) {
  return "  %" + result + " = aten.mm(%" + a + ", %" + b + ")\n";
}

std::string sum(const std::string& result, const std::string& a, const std::string& b) {
  return "  %" + result + " = aten.add.Tensor(%" + a + ", %" + b + ")\n";
}

struct Joined {
  std::unique_ptr<ir::Module> module;
  BucketReport buckets;
  OverlapReport overlap;

  ir::Graph& graph() const { return *module->find_graph("main"); }

  size_t count(std::string_view op) const {
    return graph().in_order("_c10d_functional." + std::string(op)).size();
  }

  size_t gathers() const { return count("all_gather_into_tensor"); }

  /// Only starts, waits and products.
  std::string order() const {
    std::string text;
    for (const ir::Node* node = graph().first(); node != nullptr; node = node->next()) {
      const std::string name = short_name(*node);
      if (name == "AG" || name == "AR" || name == "RS" || name == "mm" || name == "wait") {
        text += (text.empty() ? "" : " ") + name;
      }
    }
    return text;
  }
};

/// Joins in the order that the graph has.
Joined joined(const std::string& text, std::map<std::string, double> special = {},
              const std::function<void(JoinOptions&)>& change = {}) {
  Joined result{read(text), {}, {}};
  JoinOptions options;
  options.buckets.emplace();
  options.overlap.prices = simple_times(std::move(special));
  if (change) change(options);
  result.overlap = describe_overlap(result.graph(), options.overlap.prices);
  result.overlap.allowed_peak = 1e9;
  const double before = result.overlap.exposed_us;
  result.buckets = join_overlapped(result.graph(), result.overlap, options);
  ir::verify(*result.module);
  EXPECT_LE(result.overlap.exposed_us, before);
  return result;
}

TEST(JoinOverlapped, CanBucketIndependent) {
  const Joined result = joined(graph(
      gather("0", "a") + gather("1", "b") + product("m", "x", "x") + product("k", "y", "y") +
      wait("0") + wait("1") + sum("e", "w0", "w1") + sum("f", "m", "k") + product("n", "e", "f")));
  EXPECT_EQ(result.order(), "AG mm mm wait mm");
  EXPECT_EQ(result.overlap.exposed_us, 0);
  ASSERT_EQ(result.buckets.buckets.size(), 1u);
  EXPECT_EQ(result.buckets.buckets[0].members.size(), 2u);
}

TEST(JoinOverlapped, BucketingWaitSink) {
  const Joined result =
      joined(graph(gather("0", "a") + gather("1", "b") + gather("2", "c") + gather("3", "d") +
                   product("m", "x", "x") + product("k", "m", "y") + wait("0") + wait("1") +
                   wait("2") + wait("3") + sum("e", "w0", "w1") + sum("f", "w2", "w3") +
                   sum("h", "e", "f") + product("n", "h", "k")),
             {{"m", 20}, {"k", 20}});
  EXPECT_EQ(result.order(), "AG mm mm wait mm");
}

TEST(JoinOverlapped, BucketingSplitForOverlap) {
  const Joined result = joined(
      graph(gather("0", "a") + gather("1", "b") + product("m", "x", "x") + wait("0") + wait("1") +
            sum("e", "w0", "w1") + gather("2", "c") + gather("3", "d") + product("k", "m", "e") +
            wait("2") + wait("3") + sum("f", "w2", "w3") + product("n", "f", "k")),
      {{"m", 20}, {"k", 20}});
  EXPECT_EQ(result.order(), "AG mm wait AG mm wait mm");
}

TEST(JoinOverlapped, BucketingSplitForOverlapBlockingNoDeps) {
  const Joined result =
      joined(graph(gather("0", "a") + gather("1", "b") + product("m", "x", "x") + wait("0") +
                   wait("1") + gather("2", "c") + gather("3", "d") + product("k", "m", "y") +
                   wait("2") + wait("3") + sum("e", "w0", "w1") + sum("f", "w2", "w3") +
                   sum("h", "e", "f") + product("n", "h", "k")),
             {{"m", 20}, {"k", 20}});
  EXPECT_EQ(result.order(), "AG mm mm wait mm");
}

TEST(JoinOverlapped, NoBucketingWithDependentHidingNodes) {
  const Joined result =
      joined(graph(gather("0", "a") + product("m", "x", "x") + gather("1", "b") + wait("0") +
                   product("k", "m", "w0") + wait("1") + product("n", "k", "w1")),
             {{"g0", 9}, {"g1", 9}});
  EXPECT_EQ(result.gathers(), 2u);
}

TEST(JoinOverlapped, NoBucketingWhenCollectiveDependsOnHidingNode) {
  const Joined result =
      joined(graph(gather("0", "a") + product("m", "x", "x") +
                   "  %p = aten.slice.Tensor(%m, 0, 0, 2)\n  %q = aten.neg(%p)\n" +
                   gather("1", "q") + product("k", "y", "y") + wait("0") + wait("1") +
                   sum("e", "w0", "w1") + product("n", "e", "k")));
  EXPECT_EQ(result.gathers(), 2u);
}

TEST(JoinOverlapped, BucketExposedWithHiddenSingleOverlap) {
  const Joined result =
      joined(graph(gather("0", "a") + product("m", "x", "x") + wait("0") + gather("1", "b") +
                   wait("1") + gather("2", "c") + wait("2") + sum("e", "w0", "w1") +
                   sum("f", "e", "w2") + product("n", "f", "m")));
  EXPECT_EQ(result.order(), "AG mm wait mm");
}

// The collectives of a group are a queue, so that none ends before an earlier one; what hides it
// comes after what hides the earlier one.
TEST(JoinOverlapped, CantBucketNestedHidingIntervals) {
  const Joined result =
      joined(graph(gather("0", "a") + product("m", "x", "x") + gather("1", "b") + wait("0") +
                   product("l", "m", "w0") + wait("1") + product("n", "l", "w1")));
  EXPECT_EQ(result.gathers(), 2u);
}

std::string scatter_between(bool is_hidden) {
  const std::string scatter =
      "  %s = _c10d_functional.reduce_scatter_tensor(%m, \"sum\", 2, \"0\")\n";
  const std::string wait_scatter = "  %v = _c10d_functional.wait_tensor(%s)\n";
  return "graph @main(%x: f32[4, 4], %y: f32[4, 4], %a: f32[2, 4], %b: f32[2, 4]) -> (f32[4, 4], "
         "f32[2, 4]) {\n" +
         gather("0", "a") + product("m", "x", "x") + wait("0") + scatter +
         (is_hidden ? product("k", "m", "y") + wait_scatter
                    : wait_scatter + product("k", "m", "y")) +
         gather("1", "b") + product("l", "k", "y") + wait("1") + sum("e", "w0", "w1") +
         product("n", "e", "l") + "  return %n, %v\n}";
}

TEST(JoinOverlapped, CantBucketAgWithRsBetween) {
  const Joined hidden = joined(scatter_between(true));
  EXPECT_EQ(hidden.gathers(), 2u);
  const Joined exposed = joined(scatter_between(false));
  EXPECT_EQ(exposed.gathers(), 1u);
  const std::string names = " " + names_of(exposed.graph()) + " ";
  EXPECT_LT(names.find(" m "), names.find(" k ")) << names;
  EXPECT_LT(names.find(" k "), names.find(" l ")) << names;
}

TEST(JoinOverlapped, CanBucketAllReduce) {
  const Joined result = joined(
      "graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {\n"
      "  %s0 = _c10d_functional.all_reduce(%x, \"sum\", \"0\")\n"
      "  %s1 = _c10d_functional.all_reduce(%y, \"sum\", \"0\")\n" +
      product("m", "x", "y") + product("k", "m", "y") +
      "  %w0 = _c10d_functional.wait_tensor(%s0)\n  %w1 = _c10d_functional.wait_tensor(%s1)\n" +
      sum("e", "w0", "w1") + product("n", "e", "k") + "  return %n\n}");
  EXPECT_EQ(result.order(), "AR mm mm wait mm");
  EXPECT_THAT(order_of(result.graph()), HasSubstr("cat"));
}

TEST(JoinOverlapped, CanBucketMultidtype) {
  const std::string text =
      "graph @main(%x: f32[4, 4], %a: f32[2, 4], %b: bf16[2, 4]) -> (f32[4, 4], bf16[4, 4], "
      "f32[4, 4]) {\n" +
      gather("0", "a") + gather("1", "b") + product("m", "x", "x") + product("k", "m", "x") +
      wait("0") + wait("1") + "  return %w0, %w1, %k\n}";
  EXPECT_EQ(joined(text).gathers(), 2u);
  const Joined result = joined(
      text, {}, [](JoinOptions& options) { options.buckets->mode = BucketMode::multi_dtype; });
  EXPECT_EQ(result.gathers(), 1u);
}

TEST(JoinOverlapped, CanBucketWithMultipleHidingNodes) {
  const Joined result = joined(graph(gather("0", "a") + gather("1", "b") + product("m", "x", "x") +
                                     product("k", "m", "y") + product("l", "k", "y") + wait("0") +
                                     wait("1") + sum("e", "w0", "w1") + product("n", "e", "l")),
                               {{"g0", 15}, {"g1", 15}});
  EXPECT_EQ(result.order(), "AG mm mm mm wait mm");
}

TEST(JoinOverlapped, ConvertDtypeAsHidingNodes) {
  const Joined result = joined(
      "graph @main(%x: f32[4, 4], %a: f32[2, 4], %b: f32[2, 4], %c: f32[2, 4]) -> (f32[4, 4], "
      "bf16[4, 4], bf16[4, 4], f32[4, 4]) {\n" +
          gather("0", "a") + "  %h = aten._to_copy(%b, dtype=bf16)\n" + wait("0") +
          gather("1", "h") + "  %i = aten._to_copy(%c, dtype=bf16)\n" + gather("2", "i") +
          product("m", "x", "x") + product("k", "m", "x") + wait("1") + wait("2") +
          "  return %w0, %w1, %w2, %k\n}",
      {{"h", 10}}, [](JoinOptions& options) { options.buckets->mode = BucketMode::packed; });
  EXPECT_EQ(result.gathers(), 2u);
  ASSERT_EQ(result.buckets.buckets.size(), 1u);
  EXPECT_THAT(result.buckets.buckets[0].members, ::testing::ElementsAre("g1", "g2"));
}

TEST(JoinOverlapped, NoSelfDependencyCycleWithDtypeConversion) {
  std::string body;
  for (const char* i : {"0", "1", "2", "3"}) {
    const std::string k(i);
    body += "  %h" + k + " = aten._to_copy(%a, dtype=bf16)\n" + gather(k, "h" + k);
  }
  for (const char* i : {"0", "1", "2", "3"}) body += wait(i);
  for (const BucketMode mode : {BucketMode::plain, BucketMode::packed}) {
    Joined result = joined(
        "graph @main(%a: f32[2, 4]) -> (bf16[4, 4], bf16[4, 4], bf16[4, 4], bf16[4, 4]) {\n" +
            body + "  return %w0, %w1, %w2, %w3\n}",
        {{"h1", 4}, {"h2", 4}, {"h3", 4}},
        [&](JoinOptions& options) { options.buckets->mode = mode; });
    keep_overlap(result.graph(), result.overlap);
    ir::verify(*result.module);
  }
}

TEST(JoinOverlapped, CapsAreReadForEveryBucket) {
  const std::string text = graph(
      gather("0", "a") + gather("1", "b") + gather("2", "c") + gather("3", "d") +
      product("m", "x", "x") + wait("0") + wait("1") + wait("2") + wait("3") +
      sum("e", "w0", "w1") + sum("f", "w2", "w3") + sum("h", "e", "f") + product("n", "h", "m"));
  const Joined result = joined(text, {}, [](JoinOptions& options) {
    options.buckets->cap_mb = [](size_t /*index*/) { return 128.0 / 1024 / 1024; };
  });
  EXPECT_EQ(result.gathers(), 2u);
}

TEST(JoinOverlapped, ExposedOnesMayGrowFirst) {
  const std::string text = graph(
      gather("0", "a") + product("m", "x", "x") + gather("1", "b") + gather("2", "c") + wait("0") +
      wait("1") + wait("2") + sum("e", "w0", "w1") + sum("f", "e", "w2") + product("n", "f", "m"));
  const Joined result = joined(text, {}, [](JoinOptions& options) {
    options.exposed_first = true;
    options.buckets->cap_mb = [](size_t /*index*/) { return 128.0 / 1024 / 1024; };
  });
  ASSERT_EQ(result.buckets.buckets.size(), 1u);
  EXPECT_THAT(result.buckets.buckets[0].members, ::testing::Contains("g2"));
}

// After a join that would need too much memory everything is as before.
TEST(JoinOverlapped, ThePeakDecides) {
  const std::string text =
      graph(gather("0", "a") + gather("1", "b") + product("m", "x", "x") + wait("0") + wait("1") +
            sum("e", "w0", "w1") + product("n", "e", "m"));
  Joined result{read(text), {}, {}};
  JoinOptions options;
  options.buckets.emplace();
  options.overlap.prices = simple_times();
  result.overlap = describe_overlap(result.graph(), options.overlap.prices);
  result.overlap.allowed_peak = result.overlap.peak;
  const std::string before = ir::to_string(*result.module);
  result.buckets = join_overlapped(result.graph(), result.overlap, options);
  EXPECT_TRUE(result.buckets.buckets.empty());
  EXPECT_EQ(ir::to_string(*result.module), before);
}

}  // namespace
}  // namespace litz::passes
