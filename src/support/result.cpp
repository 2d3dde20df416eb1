#include "support/result.h"

#include <string_view>

namespace litz {

Status::Status(ErrorCode code, std::string message)
    : failure_(std::make_unique<const Failure>(Failure{code, std::move(message)})) {}

Status::Status(const Error& error) : Status(error.code(), error.what()) {}

Status::Status(const Status& other)
    : failure_(other.failure_ ? std::make_unique<const Failure>(*other.failure_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) *this = Status(other);
  return *this;
}

ErrorCode Status::code() const noexcept { return failure_ ? failure_->code : ErrorCode::internal; }

std::string_view Status::message() const noexcept {
  return failure_ ? std::string_view(failure_->message) : std::string_view();
}

Status&& Status::with_note(std::string_view note) && {
  if (failure_) {
    std::string message = failure_->message + "\n  ";
    message += note;
    failure_ = std::make_unique<const Failure>(Failure{failure_->code, std::move(message)});
  }
  return std::move(*this);
}

void Status::throw_if_failed() const {
  if (failure_) throw Error(failure_->code, failure_->message);
}

}  // namespace litz
