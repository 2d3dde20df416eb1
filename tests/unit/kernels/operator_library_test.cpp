// Tables of users' operators without a compiler; compiler/operator_library_test.cpp has their
// mistakes.

#include "kernels/operator_library.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/library.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

int32_t do_nothing(const litz_call* /*call*/) { return 0; }

litz_operator op(const char* schema) { return {.schema = schema, .run = do_nothing}; }

litz_operator_library library_of(const std::vector<litz_operator>& operators) {
  return {LITZ_OPERATORS_ABI, sizeof(litz_operator), operators.size(), operators.data()};
}

TEST(OperatorLibrary, GivesFunctionsToCalls) {
  static const std::vector<litz_operator> operators{op("k_test::one(Tensor x) -> Tensor"),
                                                    op("k_test::two.default(Tensor x) -> Tensor")};
  std::vector<std::string> also;
  const AlsoRegister note = [&](const std::vector<UserOperator>& added) {
    for (const UserOperator& each : added) also.push_back(each.schema.name);
  };
  EXPECT_EQ(register_operators(library_of(operators), "the test", note), 2U);
  EXPECT_EQ(register_operators(library_of(operators), "the test", note), 2U) << "the same again";
  EXPECT_EQ(also, (std::vector<std::string>{"k_test.one", "k_test.two"}));
  EXPECT_NE(find_library_entry("k_test.two"), nullptr);
  EXPECT_THROW(register_operators(library_of({op("k_test::one(Tensor y) -> Tensor")}), "another"),
               Error);
}

TEST(OperatorLibrary, RegistersNothingIfTheOtherPlaceRefuses) {
  static const std::vector<litz_operator> operators{op("k_test::refused(Tensor x) -> Tensor")};
  const AlsoRegister refuse = [](const std::vector<UserOperator>&) {
    throw std::runtime_error("no");
  };
  EXPECT_THROW(register_operators(library_of(operators), "the test", refuse), std::runtime_error);
  EXPECT_EQ(find_library_entry("k_test.refused"), nullptr);
  EXPECT_EQ(register_operators(library_of(operators), "the test"), 1U) << "later";
}

}  // namespace
}  // namespace litz::kernels
