#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

size_t nodes_left(std::string_view text) {
  const auto module = ir::read_module(text, ops::standard_ops());
  PassContext context;
  const Pass& pass = *find_pass("eliminate-dead-nodes");
  run_pass(pass, *module, context);
  EXPECT_EQ(run_pass(pass, *module, context), Changed::no);
  return module->find_graph("main")->node_count();
}

TEST(EliminateDeadNodes, RemovesChains) {
  EXPECT_EQ(nodes_left("graph @main(%x: f32[2]) -> (f32[2]) {\n"
                       "  %a = aten.exp(%x)\n"
                       "  %b = aten.log(%a)\n"
                       "  return %x\n"
                       "}\n"),
            0U);
}

TEST(EliminateDeadNodes, KeepsDefinitionsOfReturnedSymbols) {
  EXPECT_EQ(nodes_left("sym u0 in [0, 9]\n"
                       "graph @main(%i: i64[]) -> (_) {\n"
                       "  %n = aten.item(%i) : int(u0)\n"
                       "  return u0 + 1\n"
                       "}\n"),
            1U);
}

TEST(EliminateDeadNodes, KeepsDefinitionsThatChildGraphsMention) {
  EXPECT_EQ(nodes_left("sym u0 in [0, 9]\n"
                       "graph @body(%v: f32[2]) -> (f32[2]) {\n"
                       "  %w = aten.add.Tensor(%v, u0)\n"
                       "  return %w\n"
                       "}\n"
                       "graph @main(%i: i64[], %x: f32[2]) -> (f32[2]) {\n"
                       "  %n = aten.item(%i) : int(u0)\n"
                       "  %y = higher_order.invoke_subgraph(@body, [%x])\n"
                       "  return %y\n"
                       "}\n"),
            2U);
}

TEST(EliminateDeadNodes, RemovesUnusedDefinitions) {
  EXPECT_EQ(nodes_left("sym u0 in [0, 9]\n"
                       "graph @main(%i: i64[]) -> (i64[]) {\n"
                       "  %n = aten.item(%i) : int(u0)\n"
                       "  return %i\n"
                       "}\n"),
            0U);
}

}  // namespace
}  // namespace litz::passes
