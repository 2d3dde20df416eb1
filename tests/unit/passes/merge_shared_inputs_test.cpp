#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

using ir::InputKind;
using ir::OutputKind;
using testing::HasSubstr;

ir::InputSpec weight(InputKind kind, std::string target, const Tensor& data) {
  ir::InputSpec spec;
  spec.kind = kind;
  spec.target = std::move(target);
  spec.data = data;
  return spec;
}

/// A cache under two names, as exports of transformers have it: the update is of the constant, and
/// both names get its result.
ir::Program cache_program(const Tensor& buffer, const Tensor& constant) {
  ir::Program program;
  program.module = ir::read_module(R"(
graph @main(%unused: f32[2], %cache: f32[4], %alias: f32[4], %x: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %new = aten.add.Tensor(%alias, %x)
  %y = aten.mul.Tensor(%new, %cache)
  return %new, %new, %y
})",
                                   ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.functional = true;
  program.inputs = {weight(InputKind::constant, "unused", Tensor::zeros(DType::f32, {2})),
                    weight(InputKind::constant, "lifted", constant),
                    weight(InputKind::buffer, "cache", buffer), ir::InputSpec()};
  program.outputs.resize(3);
  program.outputs[0] = {OutputKind::buffer_mutation, 1, ""};
  program.outputs[1] = {OutputKind::buffer_mutation, 2, ""};
  return program;
}

bool is_changed_by_pass(ir::Program& program) {
  PassContext context{.program = &program};
  const Pass& pass = *find_pass("merge-shared-inputs");
  const bool changed = run_pass(pass, *program.module, context) == Changed::yes;
  EXPECT_EQ(run_pass(pass, *program.module, context), Changed::no) << "a second time";
  return changed;
}

TEST(MergeSharedInputs, OneMemoryHasOneName) {
  const Tensor data = Tensor::zeros(DType::f32, {4});
  ir::Program program = cache_program(data, data);
  ASSERT_TRUE(is_changed_by_pass(program));
  const ir::Graph& graph = program.graph();
  ASSERT_EQ(graph.input_count(), 3U);
  ASSERT_EQ(program.inputs.size(), 3U);
  EXPECT_EQ(program.inputs[1].target, "cache") << "buffers stay before constants";
  EXPECT_EQ(graph.first()->input(0), graph.input(1));
  EXPECT_EQ(graph.last()->input(1), graph.input(1));
  ASSERT_EQ(program.outputs.size(), 2U);
  ASSERT_EQ(graph.outputs().size(), 2U);
  EXPECT_EQ(program.outputs[0].kind, OutputKind::buffer_mutation);
  EXPECT_EQ(program.outputs[0].input, 1);
  EXPECT_EQ(program.outputs[1].kind, OutputKind::user);
}

TEST(MergeSharedInputs, AnUpdateOfOneNameIsAnUpdateOfAll) {
  const Tensor data = Tensor::zeros(DType::f32, {4});
  ir::Program program = cache_program(data, data);
  program.outputs[1] = {};  // Only the constant is written.
  ASSERT_TRUE(is_changed_by_pass(program));
  EXPECT_EQ(program.outputs[0].input, 1);
  EXPECT_EQ(program.inputs[1].target, "cache");
  EXPECT_EQ(program.outputs.size(), 3U);
}

TEST(MergeSharedInputs, OtherTensorsStay) {
  const Tensor data = Tensor::zeros(DType::f32, {8});
  const auto view = [&](int64_t stride, int64_t offset) {
    return Tensor(DType::f32, {4}, {stride}, offset, data.storage());
  };
  ir::Program apart = cache_program(view(1, 0), Tensor::zeros(DType::f32, {4}));
  EXPECT_FALSE(is_changed_by_pass(apart)) << "memory of their own";
  ir::Program strided = cache_program(view(1, 0), view(2, 0));
  EXPECT_FALSE(is_changed_by_pass(strided)) << "another layout of the memory";
  ir::Program shifted = cache_program(view(1, 0), view(1, 4));
  EXPECT_FALSE(is_changed_by_pass(shifted)) << "another part of the memory";
}

TEST(MergeSharedInputs, ConstantsThatNobodyWritesKeepTheirNames) {
  const Tensor data = Tensor::zeros(DType::f32, {4});
  ir::Program program = cache_program(data, data);
  program.outputs[0] = program.outputs[1] = {};
  EXPECT_FALSE(is_changed_by_pass(program));
}

TEST(MergeSharedInputs, NamesWithContentsOfTheirOwnStay) {
  const Tensor data = Tensor::zeros(DType::f32, {4});
  ir::Program program = cache_program(data, data);
  program.graph().set_outputs({program.graph().first()->output(0),
                               program.graph().last()->output(0),
                               program.graph().last()->output(0)});
  EXPECT_FALSE(is_changed_by_pass(program));
}

}  // namespace
}  // namespace litz::passes
