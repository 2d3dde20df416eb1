// Gradients of programs: what becomes of their signatures.

#include "compiler/gradients.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "import/import.h"
#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ir::Program program_of(std::string_view text) {
  ir::Program program;
  program.module = ir::read_module(text, ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.inputs.resize(program.graph().input_count(), {.kind = ir::InputKind::user});
  program.outputs = {{.kind = ir::OutputKind::user}};
  make_differentiable(program, true);
  return program;
}

TEST(ProgramGradients, AreResultsOfTheProgram) {
  ir::Program program = program_of(
      "graph @main(%x: f32[2]) -> (f32[2]) {\n"
      "  %y = aten.mul.Tensor(%x, 2.0)\n"
      "  return %y\n"
      "}\n");
  add_gradients(program, {.inputs = {0}, .outputs = {0}});
  ASSERT_EQ(program.inputs.size(), 2U);
  ASSERT_EQ(program.outputs.size(), 2U);
  EXPECT_EQ(program.inputs[1].label, "cotangent_0");
  EXPECT_EQ(program.outputs[1].kind, ir::OutputKind::gradient);
  EXPECT_EQ(program.outputs[1].label, "gradient of x");
}

TEST(ProgramGradients, RefuseInputsThatTheProgramWrites) {
  ir::Program program = program_of(
      "graph @main(%x: f32[2]) -> (f32[2]) {\n"
      "  %y = aten.mul_.Tensor(%x, 2.0)\n"
      "  return %y\n"
      "}\n");
  try {
    add_gradients(program, {.inputs = {0}, .outputs = {1}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("that the program writes in place has no gradient"));
  }
}

// d(x sin(y)) = sin(y) dx + x cos(y) dy
TEST(ProgramGradients, TangentsFollowInputs) {
  ir::Program program = program_of(
      "graph @main(%x: f32[], %y: f32[]) -> (f32[]) {\n"
      "  %s = aten.sin(%y)\n"
      "  %z = aten.mul.Tensor(%x, %s)\n"
      "  return %z\n"
      "}\n");
  const Tangents tangents = add_tangents(program, {.inputs = {0, 1}, .outputs = {0}});
  EXPECT_THAT(tangents.inputs, ElementsAre(std::optional<size_t>(2), std::optional<size_t>(3)));
  EXPECT_THAT(tangents.outputs, ElementsAre(std::optional<size_t>(1)));
  Executable executable(std::move(program), {.executor = ExecutorKind::interpreter});
  const auto number = [](double value) { return Leaf(fill_constant(DType::f32, {}, value)); };
  const std::vector<Leaf> results =
      executable.run(std::vector<Leaf>{number(2), number(0.5), number(3), number(0.25)});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_NEAR(std::get<Tensor>(results[1]).at({}), std::sin(0.5) * 3 + 2 * std::cos(0.5) * 0.25,
              1e-6);
}

// With equal cotangents, the rows of the last weight get the same gradient.
TEST(ProgramGradients, OfParametersOfALoadedProgram) {
  ir::Program program =
      import_::import_program("tests/data/pt2/v2_15_mlp_dynamic.raw.pt2", ops::standard_ops());
  make_differentiable(program, true);
  autodiff::Request request{.outputs = {0}};
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.inputs[i].kind == ir::InputKind::parameter) request.inputs.push_back(i);
  }
  ASSERT_EQ(request.inputs.size(), 3U);
  const autodiff::Joint joint = add_gradients(program, request);
  Executable executable(std::move(program), {.executor = ExecutorKind::interpreter});
  const std::vector<Leaf> results = executable.run(std::vector<Leaf>{
      fill_floats(DType::f32, {5, 8}, 1, 1, 0), fill_constant(DType::f32, {5, 3}, 2)});
  ASSERT_EQ(results.size(), 4U);
  const Tensor& weight = std::get<Tensor>(results[*joint.gradients[2]]);
  ASSERT_EQ(weight.sizes(), (std::vector<int64_t>{3, 16}));
  double total = 0;
  for (int64_t k = 0; k < 16; ++k) {
    const double first = weight.at(std::array<int64_t, 2>{0, k});
    EXPECT_EQ(weight.at(std::array<int64_t, 2>{2, k}), first);
    total += first;
  }
  EXPECT_GT(total, 0);
}

}  // namespace
}  // namespace litz::compiler
