// Graphs after collectives were joined. That they compute the same is tested in tests/unit/compiler.

#include "passes/bucketing/bucketing.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Joined {
  std::unique_ptr<ir::Module> module;
  BucketReport report;

  ir::Graph& graph() const { return *module->find_graph("main"); }

  size_t count(std::string_view op) const {
    return graph().in_order("_c10d_functional." + std::string(op)).size();
  }
};

Joined joined(const std::string& text, const BucketOptions& options = {}) {
  Joined result{ir::read_module(text, ops::standard_ops()), {}};
  result.report = bucket_collectives(result.graph(), options);
  ir::verify(*result.module);
  // A second run changes nothing.
  const std::string once = ir::to_string(*result.module);
  bucket_collectives(result.graph(), options);
  EXPECT_EQ(ir::to_string(*result.module), once);
  return result;
}

BucketOptions with(BucketMode mode) {
  BucketOptions options;
  options.mode = mode;
  return options;
}

constexpr const char* kFourGathers = R"(
graph @main(%a: bf16[2, 4], %b: bf16[3, 4], %c: bf16[2, 4], %d: bf16[5, 4]) -> (bf16[4, 4], bf16[6, 4], bf16[8, 4], bf16[10, 4]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%a, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%b, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  %e = aten.add.Tensor(%w0, %w0)
  %s2 = _c10d_functional.all_gather_into_tensor(%e, 2, "0")
  %w2 = _c10d_functional.wait_tensor(%s2)
  %s3 = _c10d_functional.all_gather_into_tensor(%d, 2, "0")
  %w3 = _c10d_functional.wait_tensor(%s3)
  return %w0, %w1, %w2, %w3
})";

TEST(BucketCollectives, ADependentGatherStaysAlone) {
  for (const BucketMode mode : {BucketMode::plain, BucketMode::packed}) {
    const Joined result = joined(kFourGathers, with(mode));
    EXPECT_EQ(result.count("all_gather_into_tensor"), 2u);
    EXPECT_EQ(result.count("wait_tensor"), 2u);
    ASSERT_EQ(result.report.buckets.size(), 1u);
    EXPECT_THAT(result.report.buckets[0].members, ElementsAre("s0", "s1", "s3"));
    ASSERT_EQ(result.report.others.size(), 1u);
    EXPECT_EQ(result.report.others[0].name, "s2");
    EXPECT_THAT(result.report.others[0].reason, HasSubstr("depends"));
  }
}

TEST(BucketCollectives, APathOfGathersHasNoBucket) {
  const Joined result = joined(R"(
graph @main(%a: f32[2]) -> (f32[8]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%a, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%w0, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w1
})");
  EXPECT_EQ(result.count("wait_tensor"), 2u);
  EXPECT_THAT(result.report.buckets, IsEmpty());
}

constexpr const char* kScatters = R"(
graph @main(%a: f32[4, 3], %b: f32[8]) -> (f32[2, 3], bf16[4]) {
  %s0 = _c10d_functional.reduce_scatter_tensor(%a, "sum", 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.reduce_scatter_tensor(%b, "sum", 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  %h = aten._to_copy(%w1, dtype=bf16)
  return %w0, %h
})";

TEST(BucketCollectives, TwoScattersBecomeOne) {
  for (const BucketMode mode : {BucketMode::plain, BucketMode::packed, BucketMode::multi_dtype}) {
    const Joined result = joined(kScatters, with(mode));
    EXPECT_EQ(result.count("reduce_scatter_tensor"), 1u);
    EXPECT_EQ(result.count("wait_tensor"), 1u);
    EXPECT_EQ(result.graph().in_order("litz.pack").size(), mode == BucketMode::packed ? 1u : 0u);
  }
}

TEST(BucketCollectives, ScattersMayBeCoalesced) {
  const Joined result = joined(kScatters, with(BucketMode::coalesced));
  EXPECT_EQ(result.count("reduce_scatter_tensor_coalesced"), 1u);
  EXPECT_EQ(result.count("reduce_scatter_tensor"), 0u);
  EXPECT_EQ(result.count("wait_tensor"), 2u);
  EXPECT_THAT(result.graph().in_order("aten.cat"), IsEmpty());
}

TEST(BucketCollectives, ALoneScatterIsNotTouched) {
  const Joined result = joined(R"(
graph @main(%a: f32[4, 3]) -> (f32[2, 3]) {
  %s0 = _c10d_functional.reduce_scatter_tensor(%a, "sum", 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  return %w0
})",
                               with(BucketMode::coalesced));
  EXPECT_EQ(result.count("reduce_scatter_tensor"), 1u);
  EXPECT_EQ(result.graph().node_count(), 2u);
}

TEST(BucketCollectives, GathersAreNeverCoalesced) {
  const Joined result = joined(kFourGathers, with(BucketMode::coalesced));
  EXPECT_EQ(result.count("all_gather_into_tensor_coalesced"), 0u);
  EXPECT_EQ(result.graph().in_order("aten.cat").size(), 1u);
}

TEST(BucketCollectives, KindsAreNotMixed) {
  const Joined result = joined(R"(
graph @main(%a: f32[4], %b: f32[4], %c: f32[4], %d: f32[4]) -> (f32[4], f32[2], f32[4], f32[2]) {
  %s0 = _c10d_functional.all_reduce(%a, "sum", "0")
  %s1 = _c10d_functional.reduce_scatter_tensor(%b, "sum", 2, "0")
  %s2 = _c10d_functional.all_reduce(%c, "sum", "0")
  %s3 = _c10d_functional.reduce_scatter_tensor(%d, "sum", 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %w2 = _c10d_functional.wait_tensor(%s2)
  %w3 = _c10d_functional.wait_tensor(%s3)
  return %w0, %w1, %w2, %w3
})");
  EXPECT_EQ(result.count("all_reduce"), 1u);
  EXPECT_EQ(result.count("reduce_scatter_tensor"), 1u);
}

TEST(BucketCollectives, TwoChainsOfReductionsBecomeOneChain) {
  const Joined result = joined(R"(
graph @main(%a: f32[4], %b: f32[6]) -> (f32[4], f32[6]) {
  %s0 = _c10d_functional.all_reduce(%a, "sum", "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %e0 = aten.exp(%w0)
  %s1 = _c10d_functional.all_reduce(%e0, "sum", "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  %s2 = _c10d_functional.all_reduce(%b, "sum", "0")
  %w2 = _c10d_functional.wait_tensor(%s2)
  %e2 = aten.exp(%w2)
  %s3 = _c10d_functional.all_reduce(%e2, "sum", "0")
  %w3 = _c10d_functional.wait_tensor(%s3)
  return %w1, %w3
})");
  EXPECT_EQ(result.count("all_reduce"), 2u);
  ASSERT_EQ(result.report.buckets.size(), 2u);
  EXPECT_THAT(result.report.buckets[0].members, ElementsAre("s0", "s2"));
  EXPECT_THAT(result.report.buckets[1].members, ElementsAre("s1", "s3"));
}

constexpr const char* kMixed = R"(
graph @main(%a: f16[3], %b: f32[4]) -> (f16[6], f32[8]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%a, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%b, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1
})";

TEST(BucketCollectives, DtypesAreJoinedAsBytes) {
  EXPECT_EQ(joined(kMixed).count("all_gather_into_tensor"), 2u);
  const Joined result = joined(kMixed, with(BucketMode::multi_dtype));
  ASSERT_EQ(result.count("all_gather_into_tensor"), 1u);
  const ir::Node* gather = result.graph().in_order("_c10d_functional.all_gather_into_tensor")[0];
  EXPECT_EQ(gather->output().tensor().dtype, DType::f16);
  EXPECT_EQ(gather->output().tensor().numel(), Expr(22));
}

TEST(BucketCollectives, APureConversionIsPartOfThePacking) {
  const char* text = R"(
graph @main(%a: f32[3], %b: f32[4]) -> (bf16[6], bf16[8]) {
  %h0 = aten._to_copy(%a, dtype=bf16)
  %h1 = aten._to_copy(%b, dtype=bf16)
  %s0 = _c10d_functional.all_gather_into_tensor(%h0, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%h1, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1
})";
  const Joined result = joined(text, with(BucketMode::packed));
  EXPECT_THAT(result.graph().in_order("aten._to_copy"), IsEmpty());
  const ir::Node* pack = result.graph().in_order("litz.pack")[0];
  EXPECT_EQ(pack->input(0), result.graph().input(0));
}

TEST(BucketCollectives, EarlyReadersMoveBehindTheBucket) {
  const Joined result = joined(R"(
graph @main(%a: f32[4], %b: f32[4]) -> (f32[4], f32[4]) {
  %s0 = _c10d_functional.all_reduce(%a, "sum", "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %e = aten.exp(%w0)
  %s1 = _c10d_functional.all_reduce(%b, "sum", "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %e, %w1
})");
  EXPECT_EQ(result.count("all_reduce"), 1u);
  EXPECT_TRUE(result.graph().in_order("_c10d_functional.wait_tensor")[0]->is_before(
      *result.graph().in_order("aten.exp")[0]));
}

TEST(BucketCollectives, TheWaitStaysBehindIndependentWork) {
  const Joined result = joined(R"(
graph @main(%a: f32[4], %b: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %s0 = _c10d_functional.all_reduce(%a, "sum", "0")
  %s1 = _c10d_functional.all_reduce(%b, "sum", "0")
  %e = aten.exp(%a)
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %e, %w0, %w1
})");
  EXPECT_TRUE(result.graph().in_order("aten.exp")[0]->is_before(
      *result.graph().in_order("_c10d_functional.wait_tensor")[0]));
}

TEST(BucketCollectives, SeveralWaitsOnOneCollectiveAreMergedFirst) {
  const char* text = R"(
graph @main(%a: f32[4], %b: f32[4]) -> (f32[8], f32[8], f32[8]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%a, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %v0 = _c10d_functional.wait_tensor(%s0)
  %u0 = _c10d_functional.wait_tensor(%v0)
  %s1 = _c10d_functional.all_gather_into_tensor(%b, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %u0, %w1
})";
  const auto module = ir::read_module(text, ops::standard_ops());
  PassContext context;
  run_pass(*find_pass("merge-waits"), *module, context);
  EXPECT_EQ(module->find_graph("main")->in_order("_c10d_functional.wait_tensor").size(), 2u);
  EXPECT_EQ(bucket_collectives(*module->find_graph("main")).buckets.size(), 1u);
}

TEST(BucketCollectives, NamesAndLinesOfAllMembersAreKept) {
  const Joined result = joined(R"(
graph @main(%a: f32[4], %b: f32[4]) -> (f32[4], f32[4]) {
  %s0 = _c10d_functional.all_reduce(%a, "sum", "0") loc("layers.py":7)
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_reduce(%b, "sum", "0") loc("layers.py":9)
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1
})");
  const ir::Node* start = result.graph().in_order("_c10d_functional.all_reduce")[0];
  EXPECT_EQ(start->annotations().at("bucket_sources"), "s0, s1");
  EXPECT_EQ(start->annotations().at("bucket_lines"), "layers.py:7, layers.py:9");
  EXPECT_EQ(start->location().line, 7);
  EXPECT_EQ(start->provenance().back().sources.size(), 2u);
}

TEST(BucketCollectives, SizesMayBeSymbols) {
  const Joined result = joined(R"(
sym s0 in [2, 100]

graph @main(%a: f32[s0, 3], %b: f32[4]) -> (f32[2*s0, 3], f32[8]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%a, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%b, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  return %w0, %w1
})");
  EXPECT_EQ(result.count("all_gather_into_tensor"), 1u);
}

TEST(BucketCollectives, OptionsHaveNames) {
  EXPECT_EQ(parse_bucket_scope("fsdp"), BucketScope::fsdp);
  EXPECT_EQ(parse_bucket_mode("multi-dtype"), BucketMode::multi_dtype);
  EXPECT_THROW(parse_bucket_mode("all"), Error);
  EXPECT_THROW(parse_bucket_scope("plain"), Error);
}

}  // namespace
}  // namespace litz::passes
