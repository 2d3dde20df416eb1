#include "ir/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace litz::ir
