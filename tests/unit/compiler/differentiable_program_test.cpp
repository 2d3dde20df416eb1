#include "compiler/api/differentiable_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/api/operator_calls.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "support/check.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ir::Program program_of(std::string_view text, size_t inputs, size_t outputs) {
  ir::Program program;
  program.module = ir::read_module(text, program_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.inputs.resize(inputs, {.kind = ir::InputKind::user});
  program.outputs.resize(outputs, {.kind = ir::OutputKind::user});
  return program;
}

constexpr std::string_view kProduct =
    "graph @main(%x: f32[3], %y: f32[3]) -> (f32[3], i64[3], f32[3]) {\n"
    "  %e = aten.exp(%x)\n"
    "  %s = aten.sin(%e)\n"
    "  %m = aten.mul.Tensor(%s, %y)\n"
    "  %i = aten._to_copy(%m, dtype=i64)\n"
    "  return %e, %i, %m\n"
    "}\n";

TEST(DifferentiableProgram, KeepsOperandsResultsAndValuesBetween) {
  DifferentiableProgram program(program_of(kProduct, 2, 3), {0, 1}, traced_options());
  EXPECT_THAT(program.varying_results(), ElementsAre(0, 2));
  EXPECT_THAT(program.gradients(), ElementsAre(std::optional<size_t>(0), std::optional<size_t>(1)));
  const std::vector<Tensor> inputs{fill_constant(DType::f32, {3}, 0.5),
                                   fill_constant(DType::f32, {3}, 2)};
  const DifferentiableProgram::Outcome outcome = program.run(inputs);
  ASSERT_THAT(outcome.results, SizeIs(3));
  const auto is_saved = [&](const Tensor& tensor) {
    return std::ranges::any_of(
        outcome.saved, [&](const Tensor& saved) { return saved.storage() == tensor.storage(); });
  };
  EXPECT_TRUE(is_saved(inputs[1]));
  EXPECT_TRUE(is_saved(outcome.results[0]));
  EXPECT_FALSE(is_saved(inputs[0]));
  EXPECT_EQ(program.backward().graph().input_count(), outcome.saved.size() + 2);
}

TEST(DifferentiableProgram, OfAWantedInputAlone) {
  const DifferentiableProgram program(program_of(kProduct, 2, 3), {1}, traced_options());
  EXPECT_THAT(program.gradients(), SizeIs(1));
  EXPECT_EQ(program.backward().outputs.size(), 1U);
}

TEST(DifferentiableProgram, BudgetsRepeatForwardNodes) {
  Options options = traced_options();
  options.memory_budget = 0;
  DifferentiableProgram program(program_of(kProduct, 2, 3), {0, 1}, options);
  EXPECT_THAT(ir::to_string(program.backward().graph()), HasSubstr("aten.exp"));
}

TEST(DifferentiableProgram, RefusesGradientsOfWhatItWrites) {
  try {
    const DifferentiableProgram program(program_of("graph @main(%x: f32[3]) -> (f32[3]) {\n"
                                                   "  %y = aten.mul_.Tensor(%x, 2.0)\n"
                                                   "  return %y\n"
                                                   "}\n",
                                                   1, 1),
                                        {0}, traced_options());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
}

}  // namespace
}  // namespace litz::compiler
