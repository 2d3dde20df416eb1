// Mistakes in tables of operators and in shared objects, each with its message.

#include "compiler/operator_library.h"

#include <cstdio>
#include <filesystem>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/user_operators.h"
#include "support/check.h"
#include "user_test_operators.h"

namespace litz::compiler {
namespace {

using testing::HasSubstr;

int32_t do_nothing(const litz_call* /*call*/) { return 0; }

std::string error_of(const litz_operator_library& library) {
  try {
    register_operators(library, "the test");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of(const std::vector<litz_operator>& operators) {
  return error_of(library_of(operators));
}

litz_operator op(const char* schema) { return {.schema = schema, .run = do_nothing}; }

TEST(OperatorLibrary, RefusesOtherVersions) {
  const std::vector<litz_operator> operators{op("lib::versioned(Tensor x) -> Tensor")};
  litz_operator_library library = library_of(operators);
  library.abi = LITZ_OPERATORS_ABI + 1;
  EXPECT_THAT(error_of(library), HasSubstr("built for the ABI 1 of this Litz, not for 2"));
  library = library_of(operators);
  library.operator_size = 8;
  EXPECT_THAT(error_of(library), HasSubstr("must state the size of an operator: 8"));
  library = library_of(operators);
  library.operators = nullptr;
  EXPECT_THAT(error_of(library), HasSubstr("must have some"));
}

TEST(OperatorLibrary, TakesLargerOperatorsOfLaterVersions) {
  struct Later {
    litz_operator op;
    void* more;
  };

  static const std::vector<Later> later{{op("lib::later(Tensor x) -> Tensor"), nullptr},
                                        {op("lib::later2(Tensor x) -> Tensor"), nullptr}};
  EXPECT_EQ(
      register_operators({LITZ_OPERATORS_ABI, sizeof(Later), later.size(), &later[0].op}, "it"),
      2U);
  EXPECT_NE(ops::known_ops()->find("lib.later2"), nullptr);
}

TEST(OperatorLibrary, RefusesWhatDoesNotFitTogether) {
  struct Mistake {
    litz_operator op;
    const char* message;
  };

  const Mistake mistakes[] = {
      {{.schema = nullptr, .run = do_nothing}, "must have a schema"},
      {op("lib::a(Tensor x -> Tensor"), "malformed operator schema"},
      {op("lib::a(Tensor x) -> Tensor extra words"), "nothing may follow the results"},
      {op("a(Tensor x) -> Tensor"), "needs a namespace"},
      {{.schema = "lib::a(Tensor x) -> Tensor"}, "must have a function: lib.a"},
      {op("aten::relu(Tensor self) -> Tensor"), "one of Litz's own: aten.relu"},
      {op("litz::a(Tensor self) -> Tensor"), "one of Litz's own: litz.a"},
      {op("lib::a(Graph g) -> Tensor"), "of a kind that functions take: lib.a Graph"},
      {op("lib::a(int(a!) n) -> Tensor"), "must write tensors only: lib.a n"},
      {op("lib::a(Tensor x) -> str"), "must be tensors, lists of tensors or numbers"},
      {op("lib::a(Tensor x) -> (Tensor[], Tensor[])"), "one list of tensors at most"},
      {op("lib::a(Tensor(a) x) -> Tensor(a)"), "must not be views of its arguments"},
      {op("lib::a(Tensor x) -> Tensor(a!)"), "a result that is written must be an argument"},
      {op("lib::a(Tensor(a!)[] xs) -> Tensor(a!)[]"), "must be an argument, a tensor: lib.a"},
      {{.schema = "lib::a(Tensor x) -> Tensor", .run = do_nothing, .flags = 1U << 20},
       "must be those of litz/operators.h"},
      {{.schema = "lib::a(Tensor x, int n) -> Tensor", .run = do_nothing, .results_like = "n"},
       "must name a tensor argument: lib.a n"},
      {{.schema = "lib::a(Tensor x) -> int", .run = do_nothing, .results_like = "x"},
       "results that are tensors"},
      {{.schema = "lib::a(Tensor x) -> Tensor",
        .run = do_nothing,
        .result_types = do_nothing,
        .results_like = "x"},
       "result_types or results_like, not both"},
  };
  for (const Mistake& mistake : mistakes) {
    EXPECT_THAT(error_of(std::vector{op("lib::fine(Tensor x) -> Tensor"), mistake.op}),
                HasSubstr(mistake.message));
  }
  EXPECT_EQ(ops::known_ops()->find("lib.fine"), nullptr) << "all or none";
}

TEST(OperatorLibrary, RegistersNamesOnce) {
  static const std::vector<litz_operator> first{op("lib::once(Tensor x) -> Tensor")};
  EXPECT_EQ(register_operators(library_of(first), "the test"), 1U);
  EXPECT_EQ(register_operators(library_of(first), "the test"), 1U) << "the same again";
  EXPECT_THAT(error_of({op("lib::once(Tensor x) -> Tensor")}),
              HasSubstr("must be registered once: lib.once"));
  EXPECT_THAT(
      error_of({op("lib::two(Tensor x) -> Tensor"), op("lib::two.default(Tensor x) -> Tensor")}),
      HasSubstr("must be registered once: lib.two"));
}

TEST(OperatorLibrary, TakesMissingOverloadsOfPyTorch) {
  static const std::vector<litz_operator> more{op("aten::_of_no_release(Tensor self) -> Tensor")};
  EXPECT_EQ(register_operators(library_of(more), "the test"), 1U);
}

TEST(OperatorLibrary, MustBeASharedObject) {
  EXPECT_THROW(register_operators("/nowhere/operators.so"), Error);
  const std::string path = testing::TempDir() + "no_object.so";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("text", file);
  std::fclose(file);
  try {
    register_operators(path);
    FAIL() << "text is no shared object";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_THAT(error.what(), HasSubstr("no_object.so"));
  }
  std::filesystem::remove(path);
}

TEST(OperatorLibrary, MustDefineAFunction) {
  try {
    register_operators(LITZ_TABLE_FOR_FUNCTION);
    FAIL() << "a variable must not be called";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("must define a function, not a variable, litz_operators"));
  }
}

}  // namespace
}  // namespace litz::compiler
