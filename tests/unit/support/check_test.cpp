#include "support/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::HasSubstr;

TEST(Check, PassesSilentlyWhenTheConditionHolds) {
  EXPECT_NO_THROW(check(true, "never printed:", 1));
  EXPECT_NO_THROW(require(true, "never printed:", 1));
}

TEST(Check, FailureNamesThePlaceAndTheValues) {
  try {
    check(false, "ranks must agree:", 3, 4);
    FAIL() << "check must throw";
  } catch (const InternalError& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_THAT(error.what(), HasSubstr("ranks must agree: 3 4\n  internal error at "));
    EXPECT_THAT(error.what(), HasSubstr("check_test.cpp:"));
  }
}

TEST(Check, RequireThrowsTheCodeAndTheText) {
  try {
    require(false, ErrorCode::limit_exceeded, "rank must be at most 64:", 65);
    FAIL() << "require must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit_exceeded);
    EXPECT_EQ(error.message(), "rank must be at most 64: 65");
  }
  try {
    require(false, "shape must be positive:", -1);
    FAIL() << "require must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  }
}

TEST(Check, NotesFollowTheMessageInnermostFirst) {
  Error error(ErrorCode::corrupt, "size must be positive: -1");
  error.add_note("while reading weight_0");
  error.add_note("while loading net.pt2");
  error.add_note("while loading net.pt2");
  EXPECT_STREQ(error.what(),
               "size must be positive: -1\n  while reading weight_0\n  while loading net.pt2");
  EXPECT_EQ(error.notes().size(), 2u);
}

TEST(Check, EveryCodeHasAName) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    EXPECT_NE(name(static_cast<ErrorCode>(code)), "unknown");
  }
}

}  // namespace
}  // namespace litz
