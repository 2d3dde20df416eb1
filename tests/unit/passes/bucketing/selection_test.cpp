// Which collectives form buckets: keys, runs, caps, dependences, scopes.

#include "passes/bucketing/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The buckets of the first round, by the names of their collectives.
std::vector<std::string> selected(const std::string& body, Bucketed kind,
                                  const BucketOptions& options = {}) {
  const auto module = ir::read_module(
      "graph @main(%a: f32[1024], %b: f32[1024], %c: f32[1024], %d: f32[1024]) {\n" + body + "\n}",
      ops::standard_ops());
  BucketSelection selection(*module->find_graph("main"), kind, options);
  std::vector<std::string> buckets;
  for (const SelectedBucket& bucket : selection.next()) {
    std::vector<std::string> names;
    for (const BucketMember& member : bucket.members) {
      names.push_back(member.start->output().name());
    }
    buckets.push_back(join(names, " "));
  }
  return buckets;
}

std::string sum(const std::string& name, const std::string& operand, const char* more = "\"sum\"",
                const char* group = "0") {
  return "%s" + name + " = _c10d_functional.all_reduce(%" + operand + ", " + more + ", \"" + group +
         "\")\n%w" + name + " = _c10d_functional.wait_tensor(%s" + name + ")\n";
}

TEST(BucketSelection, AdjacentCollectivesOfOneKeyFormARun) {
  EXPECT_THAT(selected(sum("0", "a") + sum("1", "b") + sum("2", "c") + "return %w0, %w1, %w2",
                       Bucketed::all_reduce),
              ElementsAre("s0 s1 s2"));
}

TEST(BucketSelection, ReductionsAndGroupsStayApart) {
  EXPECT_THAT(
      selected(sum("0", "a") + sum("1", "b", "\"max\"") + "return %w0, %w1", Bucketed::all_reduce),
      IsEmpty());
  EXPECT_THAT(selected(sum("0", "a") + sum("1", "b", "\"sum\"", "1") + "return %w0, %w1",
                       Bucketed::all_reduce),
              IsEmpty());
  // A different key ends the run, so that different collectives of a group keep their order.
  EXPECT_THAT(
      selected(sum("0", "a") + sum("1", "b", "\"max\"") + sum("2", "c") + "return %w0, %w1, %w2",
               Bucketed::all_reduce),
      IsEmpty());
}

TEST(BucketSelection, TheCapIsReadForEveryBucket) {
  std::string body;
  for (int i = 0; i < 6; ++i) body += sum(std::to_string(i), "a");
  body += "return %w0, %w1, %w2, %w3, %w4, %w5";
  // Collectives of 4 KiB: a small bucket first, then a larger one.
  BucketOptions options;
  options.cap_mb = [](size_t index) { return index == 0 ? 8.0 / 1024 : 16.0 / 1024; };
  EXPECT_THAT(selected(body, Bucketed::all_reduce, options), ElementsAre("s0 s1", "s2 s3 s4 s5"));
  options.cap_mb = [](size_t /*index*/) { return 1.0 / 1024; };
  EXPECT_THAT(selected(body, Bucketed::all_reduce, options), IsEmpty()) << "each may be larger";
}

TEST(BucketSelection, BucketsMayBeCountedPerKey) {
  const std::string body = sum("0", "a") + sum("1", "b") + sum("2", "c", "\"max\"") +
                           sum("3", "a") + sum("4", "b") + sum("5", "c") + sum("6", "d") +
                           "return %w0, %w1, %w2, %w3, %w4, %w5, %w6";
  BucketOptions options;
  options.cap_mb = [](size_t index) { return index == 0 ? 8.0 / 1024 : 16.0 / 1024; };
  EXPECT_THAT(selected(body, Bucketed::all_reduce, options),
              ElementsAre("s0 s1", "s3 s4", "s5 s6"));
  options.counts_by_key = true;
  EXPECT_THAT(selected(body, Bucketed::all_reduce, options), ElementsAre("s0 s1", "s3 s4 s5 s6"));
}

TEST(BucketSelection, DependentCollectivesStayApart) {
  EXPECT_THAT(selected(sum("0", "a") + "%x = aten.exp(%w0)\n" + sum("1", "x") + "return %w1",
                       Bucketed::all_reduce),
              IsEmpty());
  EXPECT_THAT(selected(sum("0", "a") + "%x = aten.exp(%w0)\n" + sum("1", "x") + sum("2", "b") +
                           "return %w1, %w2",
                       Bucketed::all_reduce),
              ElementsAre("s0 s2"));
}

TEST(BucketSelection, OtherCollectivesOfTheGroupMayEndARun) {
  const std::string scatter =
      "%r = _c10d_functional.reduce_scatter_tensor(%d, \"sum\", 2, \"0\")\n"
      "%v = _c10d_functional.wait_tensor(%r)\n";
  const std::string body = sum("0", "a") + scatter + sum("1", "b") + "return %w0, %w1, %v";
  EXPECT_THAT(selected(body, Bucketed::all_reduce), ElementsAre("s0 s1"));
  BucketOptions options;
  options.keeps_order = true;
  EXPECT_THAT(selected(body, Bucketed::all_reduce, options), IsEmpty());
  EXPECT_THAT(selected(sum("0", "a") + sum("1", "b") + scatter + "return %w0, %w1, %v",
                       Bucketed::all_reduce, options),
              ElementsAre("s0 s1"));
}

constexpr const char* kGathers = R"(
  %half = aten._to_copy(%b, dtype=bf16)
  %wide = aten._to_copy(%half, dtype=f32)
  %s0 = _c10d_functional.all_gather_into_tensor(%a, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%c, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  %t = aten.exp(%d)
  %s2 = _c10d_functional.all_gather_into_tensor(%t, 2, "0")
  %w2 = _c10d_functional.wait_tensor(%s2)
  %s3 = _c10d_functional.all_gather_into_tensor(%half, 2, "0")
  %w3 = _c10d_functional.wait_tensor(%s3)
  return %w0, %w1, %w2, %w3)";

TEST(BucketSelection, ParametersAreRecognised) {
  EXPECT_THAT(selected(kGathers, Bucketed::all_gather), ElementsAre("s0 s1 s2"));
  BucketOptions options;
  options.scope = BucketScope::fsdp;
  EXPECT_THAT(selected(kGathers, Bucketed::all_gather, options), ElementsAre("s0 s1"));
  options.mode = BucketMode::multi_dtype;
  EXPECT_THAT(selected(kGathers, Bucketed::all_gather, options), ElementsAre("s0 s1 s3"));
}

TEST(BucketSelection, AMarkDecides) {
  const std::string marked =
      "%e = aten.exp(%a)\n"
      "%s0 = _c10d_functional.all_gather_into_tensor(%e, 2, \"0\") "
      "#{collective_role = \"parameter_gather\"}\n"
      "%w0 = _c10d_functional.wait_tensor(%s0)\n"
      "%s1 = _c10d_functional.all_gather_into_tensor(%b, 2, \"0\")\n"
      "%w1 = _c10d_functional.wait_tensor(%s1)\n"
      "%s2 = _c10d_functional.all_gather_into_tensor(%c, 2, \"0\") "
      "#{collective_role = \"other\"}\n"
      "%w2 = _c10d_functional.wait_tensor(%s2)\n"
      "return %w0, %w1, %w2";
  BucketOptions options;
  options.scope = BucketScope::fsdp;
  EXPECT_THAT(selected(marked, Bucketed::all_gather, options), ElementsAre("s0 s1"));
}

std::string scatter(const std::string& name, const std::string& operand) {
  return "%s" + name + " = _c10d_functional.reduce_scatter_tensor(%" + operand +
         ", \"avg\", 2, \"0\")\n%w" + name + " = _c10d_functional.wait_tensor(%s" + name + ")\n";
}

TEST(BucketSelection, GradientsAreOnlyReturned) {
  const std::string body = scatter("0", "a") + scatter("1", "b") + scatter("2", "c") +
                           "%h = aten._to_copy(%w1, dtype=bf16)\n"
                           "%n = aten.sum(%w2)\n"
                           "return %w0, %h, %w2, %n";
  EXPECT_THAT(selected(body, Bucketed::reduce_scatter), ElementsAre("s0 s1 s2"));
  BucketOptions options;
  options.scope = BucketScope::fsdp;
  EXPECT_THAT(selected(body, Bucketed::reduce_scatter, options), ElementsAre("s0 s1"));
}

}  // namespace
}  // namespace litz::passes
