#include "support/check.h"

#include <utility>

namespace litz {

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::limit_exceeded:
      return "limit_exceeded";
    case ErrorCode::out_of_range:
      return "out_of_range";
    case ErrorCode::io:
      return "io";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::internal:
      return "internal";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::untrusted:
      return "untrusted";
  }
  return "unknown";
}

Error::Error(ErrorCode code, std::string message)
    : code_(code), message_(std::move(message)), text_(message_) {}

void Error::add_note(std::string note) {
  if (!notes_.empty() && notes_.back() == note) return;
  text_ += "\n  ";
  text_ += note;
  notes_.push_back(std::move(note));
}

InternalError::InternalError(std::string message)
    : Error(ErrorCode::internal, std::move(message)) {}

namespace detail {

void fail_check(const Because& because, std::string message) {
  // The path is cut at the last "src/", so that messages do not reveal the build folder.
  std::string_view file = because.file;
  if (const size_t at = file.rfind("src/"); at != std::string_view::npos) file.remove_prefix(at);
  InternalError error(std::move(message));
  error.add_note("internal error at " + std::string(file) + ":" + std::to_string(because.line));
  throw error;
}

void fail_require(ErrorCode code, std::string message) { throw Error(code, std::move(message)); }

}  // namespace detail

}  // namespace litz
