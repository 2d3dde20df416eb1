#include "runtime/c/handles.h"

#include <new>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace litz::runtime::c {
namespace {

template <typename Work>
void expect_refusal(litz_status status, const std::string& message, const Work& work) {
  litz_error* error = nullptr;
  EXPECT_EQ(guarded(&error, work), status);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(litz_error_status(error), status);
  EXPECT_NE(std::string(litz_error_message(error)).find(message), std::string::npos)
      << litz_error_message(error);
  litz_error_free(error);
  EXPECT_EQ(guarded(nullptr, work), status) << "without a place for the error";
}

TEST(CHandles, TurnErrorsIntoStatuses) {
  litz_error* none = nullptr;
  EXPECT_EQ(guarded(&none, [] {}), LITZ_OK);
  EXPECT_EQ(none, nullptr);
  expect_refusal(LITZ_NOT_FOUND, "a thing must exist: here",
                 [] { fail(ErrorCode::not_found, "a thing must exist:", "here"); });
  expect_refusal(LITZ_INTERNAL, "check", [] { throw std::logic_error("check"); });
  expect_refusal(LITZ_OUT_OF_MEMORY, "memory", [] { throw std::bad_alloc(); });
  expect_refusal(LITZ_INVALID_ARGUMENT, "a program must not be NULL",
                 [] { require_given(nullptr, "a program"); });
}

}  // namespace
}  // namespace litz::runtime::c
