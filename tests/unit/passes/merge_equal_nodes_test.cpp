#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "types/fill.h"

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

std::string three_weights(int count) {
  const std::string type = "f32[" + std::to_string(count) + "]";
  return "graph @main(%a: " + type + ", %b: " + type + ", %c: " + type + ", %x: " + type +
         ") -> (" + type + ", " + type + ") {\n" +
         "  %s = aten.add.Tensor(%a, %b)\n"
         "  %t = aten.add.Tensor(%s, %c)\n"
         "  %u = aten.add.Tensor(%t, %x)\n"
         "  return %x, %u\n"
         "}\n";
}

/// %a, %b and %c are weights of `count` elements; %x is an input. Where asked for, the first output
/// is written to %b.
ir::Program weights_program(int count, const std::array<Tensor, 3>& weights, bool writes = false) {
  ir::Program program;
  program.module = ir::read_module(three_weights(count), ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.functional = true;
  for (const Tensor& data : weights) {
    ir::InputSpec spec;
    spec.kind = ir::InputKind::parameter;
    spec.data = data;
    program.inputs.push_back(std::move(spec));
  }
  program.inputs.emplace_back();
  program.outputs.resize(2);
  if (writes) {
    program.outputs[0].kind = ir::OutputKind::buffer_mutation;
    program.outputs[0].input = 1;
  }
  return program;
}

/// Which of the weights are read after the pass.
std::vector<bool> weights_read(ir::Program program) {
  PassContext context{.program = &program};
  const Pass& pass = *find_pass("merge-equal-nodes");
  run_pass(pass, *program.module, context);
  EXPECT_EQ(run_pass(pass, *program.module, context), Changed::no);
  std::vector<bool> read;
  for (size_t i = 0; i < 3; ++i) read.push_back(program.graph().input(i).has_uses());
  return read;
}

Tensor filled(int count, uint64_t seed) { return fill_floats(DType::f32, {count}, seed, 1, 0); }

/// The same but for the last element, which is not looked at first.
Tensor with_other_element(int count, uint64_t seed) {
  Tensor made = filled(count, seed);
  reinterpret_cast<float*>(made.mutable_data())[count - 1] += 1;
  return made;
}

TEST(MergeEqualWeights, ThatHoldTheSame) {
  // Few bytes, some that are hashed whole, and many.
  for (const int count : {3, 1000, 100000}) {
    const Tensor a = filled(count, 1);
    EXPECT_THAT(weights_read(weights_program(count, {a, filled(count, 1), filled(count, 2)})),
                ElementsAre(true, false, true))
        << count;
    EXPECT_THAT(weights_read(weights_program(count, {a, a, filled(count, 1)})),
                ElementsAre(true, false, false))
        << count;
  }
}

TEST(MergeEqualWeights, NotThatDifferInOneElement) {
  for (const int count : {3, 1000, 100000}) {
    const Tensor other = with_other_element(count, 1);
    EXPECT_THAT(weights_read(weights_program(count, {filled(count, 1), other, filled(count, 1)})),
                ElementsAre(true, true, false))
        << count;
  }
}

TEST(MergeEqualWeights, NotThatAreWritten) {
  const std::array<Tensor, 3> weights{filled(1000, 1), filled(1000, 1), filled(1000, 1)};
  EXPECT_THAT(weights_read(weights_program(1000, weights, true)), ElementsAre(true, true, false));
}

TEST(MergeEqualWeights, NotOfOtherTypes) {
  ir::Program program;
  program.module = ir::read_module(R"(
graph @main(%a: f32[2, 3], %b: f32[3, 2], %c: i32[2, 3]) -> (f32[2, 3], f32[3, 2], i32[2, 3]) {
  %s = aten.neg(%a)
  %t = aten.neg(%b)
  %u = aten.neg(%c)
  return %s, %t, %u
})",
                                   ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.functional = true;
  for (const Tensor& data : {Tensor::zeros(DType::f32, {2, 3}), Tensor::zeros(DType::f32, {3, 2}),
                             Tensor::zeros(DType::i32, {2, 3})}) {
    ir::InputSpec spec;
    spec.kind = ir::InputKind::constant;
    spec.data = data;
    program.inputs.push_back(std::move(spec));
  }
  program.outputs.resize(3);
  EXPECT_THAT(weights_read(std::move(program)), ElementsAre(true, true, true));
}

}  // namespace
}  // namespace litz::passes
