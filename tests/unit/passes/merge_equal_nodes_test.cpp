#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;

TEST(MergeEqualNodes, ProvenanceNamesAllThatOneNodeStandsFor) {
  const auto module = ir::read_module(R"(
graph @main(%x: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %a = aten.exp(%x)
  %b = aten.exp(%x)
  %c = aten.exp(%x)
  return %a, %b, %c
})",
                                      ops::standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  const std::vector<ir::Node*> nodes = graph.in_order();
  PassContext context;
  EXPECT_EQ(run_pass(*find_pass("merge-equal-nodes"), *module, context), Changed::yes);
  ASSERT_EQ(graph.node_count(), 1u);
  ASSERT_EQ(nodes[0]->provenance().size(), 1u);
  const ir::Provenance& step = nodes[0]->provenance().back();
  EXPECT_EQ(step.pass, "merge-equal-nodes");
  EXPECT_EQ(step.action, "replace");
  EXPECT_THAT(step.sources, ElementsAre(nodes[0]->id(), nodes[1]->id(), nodes[2]->id()));
  EXPECT_EQ(run_pass(*find_pass("merge-equal-nodes"), *module, context), Changed::no);
}

}  // namespace
}  // namespace litz::passes
