// Gradients through conditions: of the branch that ran.

#include "autodiff/branches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autodiff/reverse.h"
#include "compiler/execution/run_graph.h"
#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::autodiff {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> values(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  const auto* data = reinterpret_cast<const float*>(dense.data());
  return {data, data + dense.numel()};
}

constexpr const char* kCondition =
    "graph @main(%p: bool[], %x: f32[2], %y: f32[2]) -> (f32[2]) {\n"
    "  %z = higher_order.cond(%p, @yes, @no, [%x, %y]) : f32[2]\n"
    "  return %z\n"
    "}\n"
    "graph @yes(%x: f32[2], %y: f32[2]) -> (f32[2]) {\n"
    "  %z = aten.mul.Tensor(%x, %y)\n"
    "  return %z\n"
    "}\n"
    "graph @no(%x: f32[2], %y: f32[2]) -> (f32[2]) {\n"
    "  %z = aten.square(%x)\n"
    "  return %z\n"
    "}\n";

std::vector<Tensor> run(bool predicate) {
  const auto module = ir::read_module(kCondition, ops::standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  add_gradients(graph, {.inputs = {1, 2}, .outputs = {0}, .cotangents = Cotangents::ones});
  return compiler::run_graph(graph,
                             std::vector<Tensor>{Tensor::of<bool>(DType::bool_, {}, {predicate}),
                                                 Tensor::of<float>(DType::f32, {2}, {2, 3}),
                                                 Tensor::of<float>(DType::f32, {2}, {5, 7})});
}

TEST(Branches, GiveTheGradientOfTheOneThatRan) {
  const std::vector<Tensor> yes = run(true);
  EXPECT_THAT(values(yes[1]), ElementsAre(5, 7));
  EXPECT_THAT(values(yes[2]), ElementsAre(2, 3));
  const std::vector<Tensor> no = run(false);
  EXPECT_THAT(values(no[1]), ElementsAre(4, 6));
  EXPECT_THAT(values(no[2]), ElementsAre(0, 0));
}

TEST(Branches, LoopsAreRefused) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[]) -> (f32[]) {\n"
      "  %z = higher_order.while_loop(@more, @step, [%x], []) : f32[]\n"
      "  return %z\n"
      "}\n"
      "graph @more(%x: f32[]) -> (bool[]) {\n"
      "  %z = aten.lt.Scalar(%x, 9)\n"
      "  return %z\n"
      "}\n"
      "graph @step(%x: f32[]) -> (f32[]) {\n"
      "  %z = aten.add.Tensor(%x, %x)\n"
      "  return %z\n"
      "}\n",
      ops::standard_ops());
  try {
    add_gradients(*module->find_graph("main"), {.inputs = {0}, .outputs = {0}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("an operator has no gradient: higher_order.while_loop"));
  }
}

}  // namespace
}  // namespace litz::autodiff
