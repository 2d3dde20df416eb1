#include "compiler/program_signature.h"

#include <gtest/gtest.h>

#include "support/check.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

ir::Program example() {
  ir::Program program = text_program(
      "sym s0 in [2, 16]\n"
      "graph @main(%w: f32[2], %v: f32[2], %x: f32[s0, 2], %n: int(3)) -> (f32[s0, 2]) {\n"
      "  %a = aten.mul.Tensor(%x, %w) : f32[s0, 2]\n"
      "  return %a\n}\n");
  for (size_t i = 0; i < 2; ++i) {
    program.inputs[i].kind = ir::InputKind::buffer;
    program.inputs[i].target = i == 0 ? "layer.w" : "layer.v";
    program.inputs[i].data = Tensor::zeros(DType::f32, {2});
    program.inputs[i].label = "";
  }
  program.inputs[2].label = "x";
  program.inputs[3].kind = ir::InputKind::constant_value;
  program.inputs[3].literal = Expr(3);
  return program;
}

TEST(ProgramSignature, SaysWhatProgramsTake) {
  const ir::Program program = example();
  const artifact::Signature signature = signature_of(program);
  ASSERT_EQ(signature.inputs.size(), 4U);
  EXPECT_EQ(signature.inputs[0].label, "layer.w");
  EXPECT_TRUE(signature.inputs[0].data.defined());
  EXPECT_FALSE(signature.inputs[1].data.defined()) << "nothing reads it";
  EXPECT_EQ(signature.inputs[2].label, "x");
  EXPECT_EQ(signature.inputs[2].name, "x");
  EXPECT_TRUE(std::get<TensorType>(signature.inputs[2].type).sizes[0].is_symbol());
  EXPECT_TRUE(std::get<Expr>(signature.inputs[3].literal).is(3));
  EXPECT_EQ(signature.outputs.size(), 1U);
}

TEST(ProgramSignature, WeightsThatAreReadMustBeThere) {
  ir::Program program = example();
  program.inputs[1].data = Tensor();
  EXPECT_NO_THROW(signature_of(program));
  program.inputs[0].data = Tensor();
  EXPECT_THROW(signature_of(program), Error);
}

// New contents go where the old ones are.
TEST(ProgramSignature, WeightsThatAreOnlyWrittenHaveData) {
  ir::Program program = example();
  program.outputs[0] = {ir::OutputKind::buffer_mutation, 1, ""};
  EXPECT_TRUE(signature_of(program).inputs[1].data.defined());
}

}  // namespace
}  // namespace litz::compiler
