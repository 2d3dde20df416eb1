// Control flow of routines.

#include <gtest/gtest.h>

#include "products_program.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

double corner(artifact::Program program, int64_t count) {
  ProgramRunner runner(std::move(program), {});
  const std::vector<Value> inputs{
      Tensor::of<float>(DType::f32, {3, 3}, {1, 0, 0, 0, 0, 0, 0, 0, 2}), count};
  return std::get<Tensor>(runner.run(inputs)[1]).at({2, 2});
}

TEST(RoutineControl, LoopsRunWhileTheirConditionHolds) {
  EXPECT_EQ(corner(routine_program(), 0), 4);
  EXPECT_EQ(corner(routine_program(), 1), 16);
  EXPECT_EQ(corner(routine_program(), 3), 65536);
}

TEST(RoutineControl, ConditionsChoose) {
  artifact::Program program = routine_program();
  artifact::Routine& main = program.routines[0];
  artifact::ControlStep choice;
  choice.kind = artifact::ControlKind::cond;
  choice.routines = {2, 3};
  const Expr count = std::get<artifact::HostScalar>(program.signature.inputs[2].type).value;
  choice.predicate = lt(2, count);
  choice.carried = {artifact::ValueRef{1}, count};
  main.steps[2].work = choice;
  artifact::Routine same = program.routines[2];
  same.name = "same";
  same.steps.clear();
  same.outputs[0] = artifact::ValueRef{0};
  program.routines.push_back(same);
  EXPECT_EQ(corner(program, 3), 16);
  EXPECT_EQ(corner(program, 2), 4);
}

TEST(RoutineControl, SizesOfOperandsAreChecked) {
  artifact::Program program = routine_program();
  std::get<TensorType>(program.routines[2].input_types[0]).sizes[0] = 7;
  EXPECT_THROW(corner(program, 1), Error);
  EXPECT_EQ(corner(program, 0), 4);
}

}  // namespace
}  // namespace litz::runtime
