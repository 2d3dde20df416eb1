// Gradients of programs: what becomes of their signatures.

#include "compiler/gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using ::testing::HasSubstr;

ir::Program program_of(std::string_view text) {
  ir::Program program;
  program.module = ir::read_module(text, ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.inputs = {{.kind = ir::InputKind::user}};
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

}  // namespace
}  // namespace litz::compiler
