#include "support/result.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace litz {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return {ErrorCode::invalid_argument, "value must be even: 3"};
  return value / 2;
}

Result<std::string> quarter_text(int value) {
  LITZ_TRY(const int once, half(value));
  LITZ_TRY(const int twice, half(once));
  return std::to_string(twice);
}

TEST(Result, HoldsAValueOrAFailure) {
  EXPECT_EQ(half(4).value(), 2);
  const Result<int> failed = half(3);
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(failed.status().message(), "value must be even: 3");
  EXPECT_THROW(failed.value(), InternalError);
  EXPECT_THROW(half(3).value_or_throw(), Error);
}

TEST(Result, TryReturnsTheFirstFailure) {
  EXPECT_EQ(*quarter_text(8), "2");
  EXPECT_FALSE(quarter_text(6).ok());
}

TEST(Result, CarriesMoveOnlyValues) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Status, SuccessIsOnePointer) {
  static_assert(sizeof(Status) == sizeof(void*));
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().message(), "");
  EXPECT_NO_THROW(Status().throw_if_failed());
}

TEST(Status, CopiesAndTakesNotes) {
  const Status failed(ErrorCode::io, "disk must be writable");
  Status copy = failed;
  copy = std::move(copy).with_note("while saving");
  EXPECT_EQ(copy.message(), "disk must be writable\n  while saving");
  EXPECT_EQ(failed.message(), "disk must be writable");
  EXPECT_THROW(copy.throw_if_failed(), Error);
}

TEST(Status, TurnsExceptionsIntoValues) {
  EXPECT_TRUE(status_of([] {}).ok());
  const Status ours = status_of([] { fail(ErrorCode::not_found, "file must exist:", "x"); });
  EXPECT_EQ(ours.code(), ErrorCode::not_found);
  const Status theirs = status_of([] { throw std::runtime_error("boom"); });
  EXPECT_EQ(theirs.code(), ErrorCode::internal);
  EXPECT_EQ(theirs.message(), "boom");
}

}  // namespace
}  // namespace litz
