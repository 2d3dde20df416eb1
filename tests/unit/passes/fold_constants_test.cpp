// What counts as constant, and what becomes of computed values.

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "types/fill.h"

namespace litz::passes {
namespace {

constexpr const char* kSines =
    "graph @main(%a: f32[2], %b: f32[2], %x: f32[2]) -> (f32[2], f32[2], f32[2]) {\n"
    "  %s = aten.sin(%a)\n"
    "  %t = aten.sin(%b)\n"
    "  %u = aten.add.Tensor(%s, %x)\n"
    "  %v = aten.add.Tensor(%t, %x)\n"
    "  return %x, %u, %v\n"
    "}\n";

// %a and %b are buffers; the first output is written to %b where `writes` says so.
ir::Program program_of(const char* text, const Tensor& a, const Tensor& b, bool writes) {
  ir::Program program;
  program.module = ir::read_module(text, ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.functional = true;
  for (const auto& [target, data] : {std::pair{"a", a}, std::pair{"b", b}}) {
    ir::InputSpec spec;
    spec.kind = ir::InputKind::buffer;
    spec.target = target;
    spec.data = data;
    program.inputs.push_back(std::move(spec));
  }
  program.inputs.emplace_back();
  program.outputs.resize(program.graph().outputs().size());
  if (writes) {
    program.outputs[0].kind = ir::OutputKind::buffer_mutation;
    program.outputs[0].input = 1;
  }
  return program;
}

// Gives these elements for every result, whatever is asked.
Evaluator giving(std::initializer_list<float> elements) {
  const Tensor result =
      Tensor::of<float>(DType::f32, {static_cast<int64_t>(elements.size())}, elements);
  return [result](ir::Graph& graph, std::span<const Tensor>) {
    return std::vector<Tensor>(graph.outputs().size(), result);
  };
}

size_t folded_inputs(ir::Program& program, const Evaluator& evaluate) {
  PassContext context{.program = &program, .evaluate = evaluate};
  const size_t before = program.inputs.size();
  const Pass& pass = *find_pass("fold-constants");
  run_pass(pass, *program.module, context);
  EXPECT_EQ(run_pass(pass, *program.module, context), Changed::no);
  EXPECT_EQ(program.inputs.size(), program.graph().input_count());
  return program.inputs.size() - before;
}

TEST(FoldConstants, TakesWeightsThatNobodyWrites) {
  const Tensor a = fill_floats(DType::f32, {2}, 1, 1, 0);
  const Tensor b = fill_floats(DType::f32, {2}, 2, 1, 0);
  ir::Program still = program_of(kSines, a, b, false);
  EXPECT_EQ(folded_inputs(still, giving({1, 2})), 2U);
  ir::Program written = program_of(kSines, a, b, true);
  EXPECT_EQ(folded_inputs(written, giving({1, 2})), 1U);
}

TEST(FoldConstants, WhatSharesAWrittenStorageChanges) {
  const Tensor both = fill_floats(DType::f32, {4}, 1, 1, 0);
  ir::Program program = program_of(kSines, both.view({2}, {1}, 0), both.view({2}, {1}, 2), true);
  EXPECT_EQ(folded_inputs(program, giving({1, 2})), 0U);
}

TEST(FoldConstants, EqualElementsBecomeAFill) {
  const Tensor a = fill_floats(DType::f32, {2}, 1, 1, 0);
  ir::Program program = program_of(kSines, a, a, false);
  EXPECT_EQ(folded_inputs(program, giving({3, 3})), 0U);
  EXPECT_EQ(program.graph().in_order("aten.full").size(), 2U);
  EXPECT_EQ(program.graph().in_order("aten.sin").size(), 0U);
}

TEST(FoldConstants, NeedsAnEvaluator) {
  const Tensor a = fill_floats(DType::f32, {2}, 1, 1, 0);
  ir::Program program = program_of(kSines, a, a, false);
  EXPECT_EQ(folded_inputs(program, {}), 0U);
}

TEST(MergeEqualNodes, OneTensorIsOneInput) {
  const Tensor a = fill_floats(DType::f32, {2}, 1, 1, 0);
  ir::Program program = program_of(kSines, a, a, false);
  PassContext context{.program = &program};
  run_pass(*find_pass("merge-equal-nodes"), *program.module, context);
  EXPECT_EQ(program.graph().node_count(), 2U);
  EXPECT_FALSE(program.graph().input(1).has_uses());
}

}  // namespace
}  // namespace litz::passes
