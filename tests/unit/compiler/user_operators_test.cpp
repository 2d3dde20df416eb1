// Operators that users register: values, writes, effects and errors, with both executors.

#include "ops/user_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/missing_functions.h"
#include "compiler/operator_library.h"
#include "compiler/stored_program.h"
#include "ir/parser.h"
#include "support/check.h"
#include "text_program.h"
#include "user_test_operators.h"

namespace litz::compiler {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Tensor floats(std::vector<int64_t> sizes, std::initializer_list<float> values) {
  return Tensor::of<float>(DType::f32, std::move(sizes), values);
}

void expect_floats(const Leaf& leaf, std::vector<int64_t> sizes,
                   std::initializer_list<float> values) {
  EXPECT_EQ(bytes_of({leaf}), bytes_of({floats(std::move(sizes), values)}))
      << to_string(std::get<Tensor>(leaf));
}

class UserOperators : public testing::TestWithParam<ExecutorKind> {
 protected:
  static void SetUpTestSuite() { register_operators(library_of(test_operators()), "the test"); }

  Executable executable(std::string_view text) const {
    Options options;
    options.executor = GetParam();
    options.threads = 1;
    return Executable(text_program(text), options);
  }

  std::vector<Leaf> run(std::string_view text, const std::vector<Leaf>& inputs) const {
    return executable(text).run(inputs);
  }

  /// Of a call on f32[2, 3].
  std::string error_of(const std::string& call) const {
    const std::string text = "graph @main(%x: f32[2, 3]) {\n  %y = " + call +
                             " loc(\"model.py\":7)\n  %z = aten.relu(%y)\n  return %z\n}\n";
    try {
      run(text, {Tensor::zeros(DType::f32, {2, 3})});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

INSTANTIATE_TEST_SUITE_P(Executors, UserOperators,
                         testing::Values(ExecutorKind::interpreter, ExecutorKind::cpu),
                         [](const auto& info) {
                           return info.param == ExecutorKind::cpu ? "cpu" : "interpreter";
                         });

TEST_P(UserOperators, ComputeBetweenOthersAtAnySizeAndLayout) {
  Executable program = executable(R"(
sym s0 in [1, 64] hint 8
graph @main(%x: f32[s0, 2]) -> (f32[2, s0]{1, 2}) {
  %t = aten.t(%x)
  %a = aten.add.Tensor(%t, 1)
  %u = test.twice(%t)
  %w = torch.ops.test.twice.default(%a)
  %y = aten.add.Tensor(%u, %w)
  return %y
})");
  expect_floats(program.run(std::vector<Leaf>{floats({1, 2}, {1, 2})})[0], {2, 1}, {6, 10});
  expect_floats(program.run(std::vector<Leaf>{floats({2, 2}, {1, 2, 3, 4})})[0], {2, 2},
                {6, 14, 10, 18});
}

TEST_P(UserOperators, WritesShowThroughAliases) {
  const std::vector<Leaf> results = run(R"(
graph @main(%x: f32[2, 2]) -> (f32[2, 2], f32[], f32[2]{2}) {
  %a = aten.clone(%x)
  %v = aten.select.int(%a, 1, 0)
  %first = test.add_to(%v, by=10.0) : f32[]
  %y = aten.neg(%a)
  return %y, %first, %v
})",
                                        {floats({2, 2}, {1, 2, 3, 4})});
  expect_floats(results[0], {2, 2}, {-11, -2, -13, -4});
  expect_floats(results[1], {}, {11});
  expect_floats(results[2], {2}, {11, 13});
}

TEST_P(UserOperators, WriteInputsAndLists) {
  Leaf given = floats({2}, {1, 2});
  const std::vector<Leaf> results = run(R"(
graph @main(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = aten.neg(%x)
  test.add_to_all([%a, %x])
  %own, %again = test.add_to.again(%a, by=0.5) : (f32[], f32[2])
  %b = aten.add.Tensor(%again, %own)
  return %a, %b
})",
                                        {given});
  expect_floats(given, {2}, {3, 4});
  expect_floats(results[0], {2}, {0.5, -0.5});
  expect_floats(results[1], {2}, {1, 0});
}

TEST_P(UserOperators, GiveSizesAndNumbersFromData) {
  Executable program = executable(R"(
sym u0 in [0, 100]
sym u1 in [0, 100]
graph @main(%x: f32[2, 3]) -> (f32[u0], f32[u1], _) {
  %p = test.positive(%x) : f32[u0]
  %n = test.how_many(%x) : int(u1)
  %z = aten.neg(%p)
  %f = aten.full([u1], 7.0)
  return %z, %f, u1
})");
  const std::vector<Leaf> results =
      program.run(std::vector<Leaf>{floats({2, 3}, {1, -2, 3, -4, -5, -6})});
  expect_floats(results[0], {2}, {-1, -3});
  expect_floats(results[1], {2}, {7, 7});
  EXPECT_EQ(std::get<int64_t>(results[2]), 2);
  EXPECT_EQ(
      std::get<int64_t>(program.run(std::vector<Leaf>{floats({2, 3}, {0, 0, 0, 0, 0, 0})})[2]), 0);
}

TEST_P(UserOperators, GiveLists) {
  const std::vector<Leaf> results = run(R"(
graph @main(%x: f32[2, 2]) -> (f32[2], f32[2]) {
  %a, %b = test.rows(%x) : (f32[2], f32[2])
  return %b, %a
})",
                                        {floats({2, 2}, {1, 2, 3, 4})});
  expect_floats(results[0], {2}, {3, 4});
  expect_floats(results[1], {2}, {1, 2});
}

TEST_P(UserOperators, GiveNumbersBehindLists) {
  const std::vector<Leaf> results = run(R"(
sym u0 in [0, 100]
graph @main(%x: f32[2, 2]) -> (_) {
  %a, %b, %n = test.rows_and_count(%x) : (f32[2], f32[2], int(u0))
  return u0
})",
                                        {floats({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(std::get<int64_t>(results[0]), 2);
}

TEST_P(UserOperators, TakeArgumentsOfEveryKind) {
  const std::vector<Leaf> results = run(R"(
graph @main(%x: f32[2, 3]) -> (f32[2, 3]) {
  %y = test.take_all(%x, none, [%x, %x], [none, %x], i=3, r=0.5, b=true, c=complex(1.0, 2.0),
      is=[5, 7], f=1, fs=[2.5], none=[], bs=[true, false], s="fast", ss=["a", "b"], t=i32, d=cpu) : f32[2, 3]
  return %y
})",
                                        {Tensor::zeros(DType::f32, {2, 3})});
  EXPECT_EQ(results.size(), 1U);
}

TEST_P(UserOperators, GetRowMajorTensorsWhereTheyAskForThem) {
  const std::vector<Leaf> results = run(R"(
graph @main(%x: f32[2, 3]) -> (f32[3, 2]{1, 3}) {
  %t = aten.t(%x)
  %y = test.check_rows(%t) : f32[3, 2]{1, 3}
  return %y
})",
                                        {floats({2, 3}, {1, 2, 3, 4, 5, 6})});
  expect_floats(results[0], {3, 2}, {2, 8, 4, 10, 6, 12});
}

TEST_P(UserOperators, RunInBranches) {
  Executable program = executable(R"(
graph @main(%x: f32[1]) -> (f32[1]) {
  %zero = aten.full([1], 0.0)
  %c = aten.gt.Tensor(%x, %zero)
  %y = higher_order.cond(%c, true_graph=@yes, false_graph=@no, operands=[%x]) : f32[1]
  return %y
}
graph @yes(%x: f32[1]) -> (f32[1]) {
  %y = test.twice(%x)
  return %y
}
graph @no(%x: f32[1]) -> (f32[1]) {
  %y = aten.neg(%x)
  return %y
})");
  expect_floats(program.run(std::vector<Leaf>{floats({1}, {3})})[0], {1}, {6});
  expect_floats(program.run(std::vector<Leaf>{floats({1}, {-3})})[0], {1}, {3});
}

TEST_P(UserOperators, WithEffectsStayAndOthersGoWhenUnread) {
  const int before = logged();
  run(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  test.log(%x)
  test.log(%x)
  %unread = test.refuse(%x) : f32[2]
  return %x
})",
      {floats({2}, {1, 2})});
  EXPECT_EQ(logged() - before, 2);
}

TEST_P(UserOperators, DrawOtherNumbersInEveryNodeAndCall) {
  Executable program = executable(R"(
graph @main(%x: f32[1]) -> (f32[1], f32[1]) {
  %a = test.draw(%x)
  %b = test.draw(%x)
  return %a, %b
})");
  const std::vector<Leaf> inputs{floats({1}, {0})};
  const std::vector<Leaf> first = program.run(inputs);
  const std::vector<Leaf> second = program.run(inputs);
  EXPECT_NE(bytes_of({first[0]}), bytes_of({first[1]}));
  EXPECT_NE(bytes_of({first[0]}), bytes_of({second[0]}));
}

TEST_P(UserOperators, TellWhatFailedWhere) {
  EXPECT_THAT(error_of("test.refuse(%x) : f32[2, 3]"),
              AllOf(HasSubstr("must succeed: run of test.refuse: 7 is too many"),
                    HasSubstr("%y = test.refuse (model.py:7)")));
  EXPECT_THAT(error_of("test.refuse_quietly(%x) : f32[2, 3]"),
              HasSubstr("it returned 3 without a reason"));
  EXPECT_THAT(error_of("test.raise(%x) : f32[2, 3]"), HasSubstr("it threw out of luck"));
}

TEST_P(UserOperators, MustGiveWhatTheProgramStates) {
  EXPECT_THAT(error_of("test.ints(%x) : f32[2, 3]"),
              AllOf(HasSubstr("result 0 is f32[2, 3] but was stated as i32[2, 3]"),
                    HasSubstr("model.py:7")));
  EXPECT_THAT(error_of("test.twice(%x) : f32[3, 3]"),
              HasSubstr("result 0 is f32[3, 3] but was stated as f32[2, 3]"));
  EXPECT_THAT(error_of("test.unstated(%x) : f32[2, 3]"),
              HasSubstr("state the type of every result"));
  EXPECT_THAT(error_of("test.positive(%x) : f32[2]"),
              HasSubstr("make results whose sizes depend on data only"));
}

TEST_P(UserOperators, MustGiveTheRankThatTheProgramStates) {
  try {
    run(R"(
sym u0 in [0, 100]
sym u1 in [0, 100]
graph @main(%x: f32[2]) -> (f32[u0, u1]{u1, 1}) {
  %y = test.positive(%x) : f32[u0, u1]{u1, 1}
  return %y
})",
        {floats({2}, {1, 2})});
    ADD_FAILURE() << "a row must not be a matrix";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("must have the rank that the program was exported"),
                                    HasSubstr("but is f32 [2]"), HasSubstr("test.positive")));
  }
}

// Where the schema of a registered operator is another one than that of the program.
TEST_P(UserOperators, MustHaveTheResultsOfTheProgram) {
  for (const char* call :
       {"test.log(%x) : f32[2, 3]", "test.how_many(%x) : f32[2, 3]",
        "test.rows_and_count(%x) : f32[2, 3]", "test.add_to.again(%x, by=1.0) : f32[2, 3]"}) {
    EXPECT_THAT(error_of(call), HasSubstr("results must fit the schema of their operator: test."));
  }
}

TEST_P(UserOperators, AreNeededByWhatWasCompiled) {
  if (GetParam() != ExecutorKind::cpu) return;
  Executable program = executable(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %u = test.twice(%x)
  %y = aten.add.Tensor(%u, 1)
  return %y
})");
  const auto bytes = std::make_shared<std::vector<std::byte>>(program.to_bytes());
  Executable again = load_program(*bytes, bytes, {});
  expect_floats(again.run(std::vector<Leaf>{floats({2}, {1, 2})})[0], {2}, {3, 5});
}

TEST(UnknownOperators, AreNamedWhenAProgramIsToBeRun) {
  constexpr char kText[] = R"(
op mine.blend(Tensor x) -> Tensor
op side_effect mine.log(Tensor x) -> ()
graph @main(%x: f32[2]) -> (f32[2]) {
  mine.log(%x)
  %y = mine.blend(%x) : f32[2] loc("model.py":3)
  %z = mine.blend(%y) : f32[2] loc("model.py":4)
  return %z
})";
  try {
    const Executable program(text_program(kText), Options());
    FAIL() << "a program without functions must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("nobody knows mine.blend of %y (model.py:3) and 1 more"),
                      HasSubstr("mine.log of a call without results"), HasSubstr("--operators")));
  }
}

// They are named as the program names them, not as functional form does.
TEST(UnknownOperators, AreNamedWithoutTheirFunctionalForm) {
  ir::Program program = text_program(R"(
op mine.bump(Tensor(a!) x) -> ()
graph @main(%x: f32[2]) -> (f32[2]) {
  %y = litz.functional.mine.bump(%x) : f32[2]
  return %y
})");
  try {
    require_functions(program);
    FAIL() << "a program without functions must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nobody knows mine.bump of %y"));
  }
}

TEST(UnknownOperators, FailTheCallThatReachesThem) {
  constexpr char kText[] = R"(
op mine.blend(Tensor x) -> Tensor
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x) #{compile_with_inductor = "0"}
  %y = mine.blend(%a) : f32[2] loc("model.py":3)
  %z = aten.exp(%y) #{compile_with_inductor = "0"}
  return %z
})";
  Options options;
  options.regional = true;
  Executable program(text_program(kText), options);
  EXPECT_EQ(program.regions().size(), 2U);
  EXPECT_EQ(
      std::get<Tensor>(program.region(0)->run(std::vector<Leaf>{floats({2}, {-1, 2})})[0]).at({1}),
      2);
  try {
    program.run(std::vector<Leaf>{floats({2}, {1, 2})});
    FAIL() << "nobody computes mine.blend";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("mine.blend"), HasSubstr("model.py:3")));
  }
}

}  // namespace
}  // namespace litz::compiler
