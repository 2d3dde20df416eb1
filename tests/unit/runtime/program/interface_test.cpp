#include "runtime/program/interface.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "products_program.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using testing::HasSubstr;

TEST(Interface, NamesValuesAndRangesOfSizes) {
  artifact::Program program = product_program();
  program.signature.outputs[0].type = program.signature.inputs[1].type;
  const std::vector<Entry> inputs = input_entries(program.signature);
  ASSERT_EQ(inputs.size(), 1U) << "weights are not inputs";
  EXPECT_EQ(inputs[0].name, "x");
  EXPECT_EQ(inputs[0].kind, EntryKind::tensor);
  EXPECT_EQ(inputs[0].dtype, DType::f32);
  ASSERT_EQ(inputs[0].sizes.size(), 2U);
  EXPECT_EQ(inputs[0].sizes[0].least, 1);
  EXPECT_EQ(inputs[0].sizes[0].most, 64);
  EXPECT_EQ(inputs[0].sizes[0].text, "s0");
  const std::vector<Entry> outputs = output_entries(program.signature);
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].name, "y");
  EXPECT_EQ(outputs[0].sizes[1].text, "s0");
}

TEST(Interface, NumbersAndConstantsHaveKinds) {
  artifact::Program program = routine_program();
  EXPECT_EQ(input_entries(program.signature)[1].kind, EntryKind::integer);
  EXPECT_EQ(output_entries(program.signature)[1].name, "out1");
  artifact::Signature signature;
  for (const artifact::Literal& literal :
       {artifact::Literal(), artifact::Literal(Expr::real(0.5)), artifact::Literal("a")}) {
    artifact::ProgramInput input;
    input.kind = InputKind::constant_value;
    input.literal = literal;
    signature.inputs.push_back(input);
  }
  const std::vector<Entry> fixed = input_entries(signature);
  EXPECT_EQ(fixed[0].kind, EntryKind::none);
  EXPECT_EQ(fixed[0].constant, "None");
  EXPECT_EQ(fixed[1].kind, EntryKind::real);
  EXPECT_EQ(fixed[1].constant, "0.5");
  EXPECT_EQ(fixed[2].kind, EntryKind::text);
  EXPECT_EQ(fixed[2].constant, "\"a\"");
}

TEST(Interface, BuffersAreWhatCallsChange) {
  const ProgramRunner constant(product_program(), {});
  EXPECT_TRUE(buffer_entries(constant.program().signature, constant.calls()).empty());
  const ProgramRunner runner(updating_program(), {});
  const artifact::Signature& signature = runner.program().signature;
  const std::vector<Entry> buffers = buffer_entries(signature, runner.calls());
  ASSERT_EQ(buffers.size(), 1U);
  EXPECT_EQ(buffers[0].name, "w");
  EXPECT_EQ(buffer_named(signature, runner.calls(), "w"), 0U);
  try {
    buffer_named(signature, runner.calls(), "x");
    FAIL() << "an input is not a buffer";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("they are w"));
  }
}

}  // namespace
}  // namespace litz::runtime
