// Operators of users through the C functions, in the runtime without the compiler.

#include <gtest/gtest.h>

#include "kernels/library.h"
#include "litz/c_api.h"

namespace litz {
namespace {

int32_t do_nothing(const litz_call* /*call*/) { return 0; }

const litz_operator kOperators[] = {
    {.schema = "c_test::stamp(Tensor x) -> Tensor", .run = do_nothing, .results_like = "x"}};

TEST(COperators, AreFoundByCalls) {
  EXPECT_EQ(kernels::find_library_entry("c_test.stamp"), nullptr);
  litz_operator_library library{LITZ_OPERATORS_ABI, sizeof(litz_operator), 1, kOperators};
  ASSERT_EQ(litz_register_operator_table(&library, nullptr), LITZ_OK);
  ASSERT_EQ(litz_register_operator_table(&library, nullptr), LITZ_OK) << "the same again";
  EXPECT_NE(kernels::find_library_entry("c_test.stamp"), nullptr);
}

TEST(COperators, MistakesAreRefused) {
  EXPECT_EQ(litz_register_operators("/nowhere/operators.so", nullptr), LITZ_NOT_FOUND);
  EXPECT_EQ(litz_register_operators(nullptr, nullptr), LITZ_INVALID_ARGUMENT);
  EXPECT_EQ(litz_register_operator_table(nullptr, nullptr), LITZ_INVALID_ARGUMENT);
  litz_error* error = nullptr;
  litz_operator_library library{LITZ_OPERATORS_ABI + 1, sizeof(litz_operator), 1, kOperators};
  EXPECT_EQ(litz_register_operator_table(&library, &error), LITZ_UNSUPPORTED);
  EXPECT_NE(std::string(litz_error_message(error)).find("built for the ABI 1"), std::string::npos);
  litz_error_free(error);
}

}  // namespace
}  // namespace litz
