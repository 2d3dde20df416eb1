#include "ops/child_types.h"

#include <gtest/gtest.h>

#include "graph_tools/type_propagation.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"

namespace litz::ops {
namespace {

// The graph is given one row of what it loops over.
TEST(ChildTypes, LoopsArePropagatedStepByStep) {
  const auto module = ir::read_module(R"(
graph @main(%i: f32[3], %xs: f32[6, 3]) -> (f32[3], f32[6, 3]) {
  %c, %ys = higher_order.scan(combine=@step, init=[%i], xs=[%xs]) : (f32[3], f32[6, 3])
  return %c, %ys
}
graph @step(%c: f32[3], %x: f32[3]) -> (f32[3], f32[3]) {
  %s = aten.add.Tensor(%c, %x) : f32[3]
  return %s, %s
})",
                                      standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  const ir::PropagationOptions options{.child_types = child_argument_types};
  EXPECT_EQ(ir::infer_types(graph, options).changed, 0u);
  const std::vector<ir::ValueType> types{contiguous_type(DType::f32, {4}),
                                         contiguous_type(DType::f32, {7, 4})};
  const ir::TypeUpdate update = ir::propagate_types(graph, types, options);
  EXPECT_EQ(update.child_graphs, 1u);
  EXPECT_EQ(ir::to_string(graph.first()->output(1).type()), "f32[7, 4]");
  EXPECT_EQ(ir::to_string(module->find_graph("step")->input(1).type()), "f32[4]");
}

}  // namespace
}  // namespace litz::ops
