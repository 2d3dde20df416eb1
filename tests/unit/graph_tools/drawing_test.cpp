#include "graph_tools/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Drawing, DrawsBoxesAndEdges) {
  const auto module = module_of(R"(
graph @main(%x: f32[2, 3]) -> (f32[]) {
  %q:2 = aten.std_mean(%x, unbiased=false)
  %a = aten.gelu(%q#1, approximate="<tanh>")
  return %a
})");
  const Graph& graph = graph_of(*module);
  const std::string text = dot(graph, {.marked = {graph.first()->id()}});
  EXPECT_THAT(text, HasSubstr("digraph \"main\" {"));
  EXPECT_THAT(text, HasSubstr("a0 [label=\"{%x|argument|f32[2,\\ 3]|users:\\ 1}\""));
  EXPECT_THAT(text, HasSubstr("unbiased=false"));
  EXPECT_THAT(text, HasSubstr("approximate=\\\"\\<tanh\\>\\\""));
  EXPECT_THAT(text, HasSubstr("n1 -> n2 [label=\"#1\"]"));
  EXPECT_THAT(text, HasSubstr("a0 -> n1;"));
  EXPECT_THAT(text, HasSubstr("penwidth=4"));
  EXPECT_EQ(text, dot(graph, {.marked = {graph.first()->id()}}));
}

TEST(Drawing, ChildGraphsAreDocumentsOfTheirOwn) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@body, [%x]) : f32[2]
  return %a
}
graph @body(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  return %a
})");
  const auto documents = dot_documents(graph_of(*module));
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].first, "main");
  EXPECT_THAT(documents[0].second, HasSubstr("body=@body"));
  EXPECT_EQ(documents[1].first, "body");
  EXPECT_THAT(documents[1].second, HasSubstr("aten.relu"));
}

constexpr const char* kTwoParts = R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x) : f32[2]
  %b = aten.relu(%a) : f32[2]
  %c = aten.gelu(%b, approximate="<tanh>") : f32[2]
  return %c
})";

TEST(Drawing, GroupsAreClustersOfDot) {
  const auto module = module_of(kTwoParts);
  const Graph& graph = graph_of(*module);
  const std::vector<Node*> nodes = graph.in_order();
  const std::string text =
      dot(graph, {.groups = {{"first \"part\"", {nodes[0], nodes[1]}}, {"empty", {}}}});
  EXPECT_THAT(text, HasSubstr("subgraph cluster_0 {\n    label=\"first \\\"part\\\"\";"));
  EXPECT_THAT(text, HasSubstr("n1; n2;"));
  EXPECT_THAT(text, Not(HasSubstr("empty")));
}

TEST(Drawing, SvgEscapesTextAndNamesGroups) {
  const auto module = module_of(kTwoParts);
  const Graph& graph = graph_of(*module);
  const std::vector<Node*> nodes = graph.in_order();
  const DrawOptions options{.marked = {nodes[1]->id()},
                            .groups = {{"a < b", {nodes[0]}}, {"rest", {nodes[1], nodes[2]}}}};
  const std::string text = svg(graph, options);
  EXPECT_THAT(text, StartsWith("<svg xmlns="));
  EXPECT_THAT(text, EndsWith("</svg>\n"));
  EXPECT_THAT(text, HasSubstr("approximate=&quot;&lt;tanh&gt;&quot;"));
  EXPECT_THAT(text, HasSubstr("a &lt; b, 1 node"));
  EXPECT_THAT(text, HasSubstr("rest, 2 nodes"));
  EXPECT_THAT(text, HasSubstr("stroke=\"red\""));
  EXPECT_EQ(text, svg(graph, options));
}

TEST(Drawing, SvgOfALargeGraphIsBounded) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  Value last = graph.add_input("x", f32({4}));
  for (int i = 0; i < 20000; ++i) {
    last = graph.create("aten.add.Tensor", {last, graph.input(0)})->output();
  }
  graph.set_outputs({last});
  const std::string text = svg(graph, {.max_boxes = 50});
  EXPECT_THAT(text, HasSubstr("19951 more, not drawn"));
  EXPECT_LT(text.size(), 100000u);
}

TEST(Drawing, PageHasASectionPerGraph) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@body, [%x]) : f32[2]
  return %a
}
graph @body(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  return %a
})");
  const std::string page = html_page(graph_of(*module));
  EXPECT_THAT(page, HasSubstr("<section id=\"main\">"));
  EXPECT_THAT(page, HasSubstr("<section id=\"body\">"));
  EXPECT_THAT(page, HasSubstr("aten.relu"));
}

}  // namespace
}  // namespace litz::ir
