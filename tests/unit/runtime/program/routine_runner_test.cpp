#include "runtime/program/routine_runner.h"

#include <gtest/gtest.h>

#include "products_program.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

std::vector<Value> run(artifact::Program program, int64_t count) {
  ProgramRunner runner(std::move(program), {});
  const Tensor x = Tensor::of<float>(DType::f32, {3, 3}, {1, 0, 0, 0, 0, 0, 0, 0, 2});
  const std::vector<Value> inputs{x, count};
  runner.run(inputs);
  return runner.run(inputs);  // Nothing of the first call is left.
}

TEST(RoutineRunner, SizesComeFromData) {
  const std::vector<Value> outputs = run(routine_program(), 0);
  ASSERT_EQ(outputs.size(), 3U);
  const Tensor& found = std::get<Tensor>(outputs[0]);
  EXPECT_EQ(found.sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(found.int_at({1, 0}), 2);
  EXPECT_EQ(std::get<Tensor>(outputs[1]).at({2, 2}), 4);
  EXPECT_EQ(std::get<int64_t>(outputs[2]), 2);
}

TEST(RoutineRunner, ErrorsNameTheStep) {
  artifact::Program program = routine_program();
  std::get<artifact::LibraryStep>(program.routines[0].steps[1].work).function = "absent";
  try {
    run(program, 0);
    FAIL() << "ran";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(text.find("absent"), std::string::npos) << text;
    EXPECT_NE(text.find("while running %2 = nonzero"), std::string::npos) << text;
  }
}

TEST(RoutineRunner, ResultsMustBeAsDeclared) {
  artifact::Program program = routine_program();
  std::get<TensorType>(program.routines[0].steps[1].results[0].type).dtype = DType::f32;
  EXPECT_THROW(run(program, 0), Error);
}

TEST(RoutineRunner, ItemsReadOneElement) {
  artifact::Program program = routine_program();
  const Expr item = program.symbols->add_symbol(
      {.name = "u7", .kind = SymbolKind::data_dependent, .range = {0, 100}});
  artifact::Routine& main = program.routines[0];
  const artifact::ItemStep read{2, item.symbol(), ExprDomain::integer};
  main.steps.insert(main.steps.begin() + 2, artifact::Step{read, {}, {}, {}, "%c"});
  EXPECT_THROW(run(program, 0), Error);  // A number is one element, not four.
}

}  // namespace
}  // namespace litz::runtime
