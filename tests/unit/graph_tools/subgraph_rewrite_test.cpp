#include "graph_tools/subgraph_rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/tiny_ops.h"
#include "ir/verifier.h"
#include "support/check.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

// Replaces @pattern by @replacement in @main; what @main is then, without types.
std::string rewritten(const std::string& text, size_t expected,
                      const RewriteOptions& options = {}) {
  const auto module = module_of(text);
  Graph& graph = graph_of(*module);
  EXPECT_EQ(replace_matches(graph, graph_of(*module, "pattern"), graph_of(*module, "replacement"),
                            options),
            expected);
  verify(*module);
  const std::string body = to_string(graph, {.types = false});
  return body.substr(body.find("{\n") + 2);
}

constexpr const char* kTwice = R"(
graph @pattern(%p: f32[2]) -> (f32[2]) {
  %a = aten.relu(%p)
  %b = aten.relu(%a)
  return %b
}
graph @replacement(%p: f32[2]) -> (f32[2]) {
  %a = aten.relu(%p)
  return %a
})";

TEST(SubgraphRewrite, ResultsKeepTheirNames) {
  EXPECT_EQ(rewritten(std::string(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %u = aten.gelu(%x)
  %v = aten.relu(%u)
  %w = aten.relu(%v)
  %y = aten.gelu(%w)
  return %y
})") + kTwice,
                      1),
            "  %u = aten.gelu(%x)\n  %w = aten.relu(%u)\n  %y = aten.gelu(%w)\n  return %y\n}\n");
}

// Each match reads what the one before it made, and the first result stands in a list, too.
TEST(SubgraphRewrite, MatchesThatTouchReadNewValues) {
  EXPECT_EQ(rewritten(R"(
graph @main(%x: f32[2]) -> (f32[4]) {
  %a = aten.clone(%x)
  %b = aten.clone(%a)
  %c = aten.clone(%b)
  %d = aten.cat([%a, %c])
  return %d
}
graph @pattern(%p: f32[2]) -> (f32[2]) {
  %a = aten.clone(%p)
  return %a
}
graph @replacement(%p: f32[2]) -> (f32[2]) {
  return %p
})",
                      3),
            "  %d = aten.cat([%x, %x])\n  return %d\n}\n");
}

TEST(SubgraphRewrite, ManyTouchingMatchesTakeLinearTime) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  Value last = graph.add_input("x", f32({2}));
  for (int i = 0; i < 20000; ++i) last = graph.create("aten.clone", {last})->output();
  graph.set_outputs({last});
  Graph& pattern = module.add_graph("pattern");
  pattern.set_outputs({pattern.create("aten.clone", {pattern.add_input("p", f32({2}))})->output()});
  const BuildReplacement drop = [](Graph&, const Match& match) {
    return std::vector<Value>{match.inputs[0].value()};
  };
  EXPECT_EQ(replace_matches(graph, pattern, drop), 20000u);
  EXPECT_EQ(graph.node_count(), 0u);
}

// The second operand is made behind the first reader of the first result.
TEST(SubgraphRewrite, ReadersMoveBehindNewNodes) {
  EXPECT_EQ(rewritten(R"(
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2]) {
  %a = aten.relu(%x)
  %r = aten.clone(%a)
  %s = aten.clone(%y)
  %b = aten.add.Tensor(%a, %s)
  return %r, %b
}
graph @pattern(%p: f32[2], %q: f32[2]) -> (f32[2], f32[2]) {
  %a = aten.relu(%p)
  %b = aten.add.Tensor(%a, %q)
  return %a, %b
}
graph @replacement(%p: f32[2], %q: f32[2]) -> (f32[2], f32[2]) {
  %b = aten.add.Tensor(%p, %q)
  %a = aten.gelu(%b)
  return %a, %b
})",
                      1),
            "  %s = aten.clone(%y)\n  %b = aten.add.Tensor(%x, %s)\n  %a = aten.gelu(%b)\n"
            "  %r = aten.clone(%a)\n  return %r, %b\n}\n");
}

TEST(SubgraphRewrite, AnnotationsMergeOrForbid) {
  const std::string text = R"(
graph @main(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = aten.relu(%x) #{region = "0", seq_nr = 4}
  %b = aten.relu(%a) #{region = "0"}
  %c = aten.relu(%b) #{region = "0"}
  %d = aten.relu(%c) #{region = "1"}
  return %b, %d
})";
  const std::string left = rewritten(text + kTwice, 1);
  EXPECT_THAT(left, HasSubstr("%b = aten.relu(%x) #{region = \"0\", seq_nr = 4}"));
  EXPECT_THAT(left, HasSubstr("%d = aten.relu(%c) #{region = \"1\"}"));
}

TEST(SubgraphRewrite, TypesMayChangeWhenToldSo) {
  const std::string text = R"(
graph @main(%x: f32[2, 3]) -> (f32[2, 3]) {
  %a = aten.relu(%x)
  %b = aten.gelu(%a)
  return %b
}
graph @pattern(%p: f32[2, 3]) -> (f32[2, 3]) {
  %a = aten.relu(%p)
  return %a
}
graph @replacement(%p: f32[2, 3]) -> (f16[2, 3]) {
  %a = aten.to.dtype(%p, dtype=f16)
  return %a
})";
  EXPECT_THROW(rewritten(text, 1), Error);
  const auto module = module_of(text);
  Graph& graph = graph_of(*module);
  replace_matches(graph, graph_of(*module, "pattern"), graph_of(*module, "replacement"),
                  {.match = {}, .may_change = TypeChange::dtype});
  EXPECT_EQ(to_string(graph.last()->output().type()), "f16[2, 3]") << "types behind it follow";
}

TEST(SubgraphRewrite, LiteralsGoAlong) {
  EXPECT_EQ(rewritten(R"(
sym s0

graph @main(%x: f32[2], %y: f32[2]) -> (f32[2]) {
  %a = aten.add.Tensor(%x, %y, alpha=3)
  return %a
}
graph @pattern(%p: f32[2], %q: f32[2], %s: int(s0)) -> (f32[2]) {
  %a = aten.add.Tensor(%p, %q, alpha=%s)
  return %a
}
graph @replacement(%p: f32[2], %q: f32[2], %s: int(s0)) -> (f32[2]) {
  %r = aten.relu(%q)
  %a = aten.add.Tensor(%p, %r, alpha=%s)
  return %a
})",
                      1),
            "  %0 = aten.relu(%y)\n  %a = aten.add.Tensor(%x, %0, alpha=3)\n  return %a\n}\n");
}

TEST(SubgraphRewrite, SignaturesMustFit) {
  EXPECT_THROW(rewritten(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  return %a
}
graph @pattern(%p: f32[2]) -> (f32[2]) {
  %a = aten.relu(%p)
  return %a
}
graph @replacement() -> (f32[2]) {
  %a = aten.rand(size=[2])
  return %a
})",
                         0),
               Error);
}

TEST(SubgraphRewrite, ProvenanceNamesTheReplacedNodes) {
  const auto module = module_of(std::string(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  %b = aten.relu(%a)
  return %b
})") + kTwice);
  Graph& graph = graph_of(*module);
  const std::vector<Node*> nodes = graph.in_order();
  const std::vector<uint32_t> ids{nodes[0]->id(), nodes[1]->id()};
  replace_matches(graph, graph_of(*module, "pattern"), graph_of(*module, "replacement"));
  ASSERT_FALSE(graph.first()->provenance().empty());
  EXPECT_EQ(graph.first()->provenance().back().action, "replace");
  EXPECT_EQ(graph.first()->provenance().back().sources, ids);
}

}  // namespace
}  // namespace litz::ir
