// Status and Result: how the runtime layers report failure.
//
// Code that runs per call, in callbacks or in destructors returns these instead of throwing. A good
// Status is one null pointer, so the hot path pays only a test. `LITZ_TRY(lhs, expr)` unwraps a
// Result or returns its failure; it is the project's only macro.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/check.h"

namespace litz {

/// Success, or an error code with one line of text.
class [[nodiscard]] Status {
 public:
  /// Success.
  Status() noexcept = default;
  /// Failure; the message says what must hold, values last.
  Status(ErrorCode code, std::string message);
  explicit Status(const Error& error);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  bool ok() const noexcept { return failure_ == nullptr; }

  explicit operator bool() const noexcept { return ok(); }

  /// The code of a failure; `internal` if the status is good, for which callers must not ask.
  ErrorCode code() const noexcept;
  /// The message of a failure with its notes; empty when the status is good.
  std::string_view message() const noexcept;
  /// Appends a line of context to a failure; does nothing to success.
  Status&& with_note(std::string_view note) &&;
  /// Throws Error unless the status is good: the way from runtime code back to compiler code.
  void throw_if_failed() const;

 private:
  struct Failure {
    ErrorCode code;
    std::string message;
  };

  std::unique_ptr<const Failure> failure_;
};

/// A value, or the Status that explains its absence.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit both ways, so that a function returns either without ceremony.
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Result(Status failure) : status_(std::move(failure)) {  // NOLINT(google-explicit-constructor)
    check(!status_.ok(), "a result without a value must hold a failure");
  }

  Result(ErrorCode code, std::string message) : status_(code, std::move(message)) {}

  bool ok() const noexcept { return value_.has_value(); }

  explicit operator bool() const noexcept { return ok(); }

  const Status& status() const& noexcept { return status_; }

  Status&& status() && noexcept { return std::move(status_); }

  /// The value; the result must be a success.
  T& value() & { return checked(); }

  const T& value() const& { return const_cast<Result*>(this)->checked(); }

  T&& value() && { return std::move(checked()); }

  T& operator*() & { return value(); }

  const T& operator*() const& { return value(); }

  T&& operator*() && { return std::move(*this).value(); }

  T* operator->() { return &checked(); }

  const T* operator->() const { return &value(); }

  /// Returns the value, or throws the failure as Error.
  T&& value_or_throw() && {
    status_.throw_if_failed();
    return std::move(*value_);
  }

 private:
  T& checked() {
    check(ok(), "a failed result has no value:", status_.message());
    return *value_;
  }

  std::optional<T> value_;
  Status status_;
};

/// Runs `body` and converts what it throws to a Status: the border between the two idioms.
template <typename Body>
Status status_of(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return {};
  } catch (const Error& error) {
    return Status(error);
  } catch (const std::exception& error) {
    return {ErrorCode::internal, error.what()};
  } catch (...) {
    return {ErrorCode::internal, "an exception must derive from std::exception"};
  }
}

}  // namespace litz

// NOLINTBEGIN(bugprone-macro-parentheses): the left side may be a declaration.
#define LITZ_TRY_JOIN_(a, b) a##b
#define LITZ_TRY_NAME_(a, b) LITZ_TRY_JOIN_(a, b)
#define LITZ_TRY_IMPL_(result, lhs, expr) \
  auto result = (expr);                   \
  if (!result.ok()) [[unlikely]] {        \
    return std::move(result).status();    \
  }                                       \
  lhs = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses)

/// LITZ_TRY(auto buffer, pool.allocate(bytes)): assigns the value, or returns the failure.
#define LITZ_TRY(lhs, expr) LITZ_TRY_IMPL_(LITZ_TRY_NAME_(litz_try_, __LINE__), lhs, expr)
