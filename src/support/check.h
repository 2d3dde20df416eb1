// Checks and errors: the two ways in which compiler layers report a broken condition.
//
// `check` guards our own invariants and throws InternalError: a failure is a bug of ours. `require`
// guards input (files, shapes, options) and throws Error with a code.
// Both are functions. The arguments after the text are formatted only if the condition is false:
//
//   require(rank <= 64, "rank must be at most 64:", rank);
//   check(first.size() == second.size(), "permutes of one value have one rank:", first.size());

#pragma once

#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace litz {

/// The kind of failure that an Error reports. Programs switch on it; people read the text.
enum class ErrorCode : uint8_t {
  invalid_argument,  ///< A value of the caller does not fit: shape, dtype, option.
  not_found,         ///< A file, entry or name does not exist.
  corrupt,           ///< A file breaks the rules of its format.
  unsupported,       ///< Valid, but Litz does not implement it.
  limit_exceeded,    ///< Valid, but larger than a configured limit.
  out_of_range,      ///< An index or size computed from data lies outside its range.
  io,                ///< The operating system refused to read or write.
  cancelled,         ///< The caller stopped the call, or its deadline passed.
  internal,          ///< A bug in Litz.
  out_of_memory,     ///< The operating system refused memory.
  untrusted,         ///< A file is not signed by a key that the caller trusts.
};

std::string_view name(ErrorCode code);

/// An error with a code, one line that states what must hold, and notes from the outside in ("while
/// lowering %7 = aten.gelu (layer.py:41)"). `what()` is the message followed by the notes.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return code_; }

  const std::string& message() const { return message_; }

  const std::vector<std::string>& notes() const { return notes_; }

  /// Appends context, innermost first. What the last note says already is not said again.
  void add_note(std::string note);

  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
  std::vector<std::string> notes_;
  std::string text_;
};

/// A broken invariant of our own, with the source location of the check.
class InternalError : public Error {
 public:
  explicit InternalError(std::string message);
};

/// The text of a check with the caller's location; converts from a literal.
struct Because {
  // Implicit, so that a call site reads check(cond, "text").
  // NOLINTNEXTLINE(google-explicit-constructor)
  Because(const char* literal, const char* caller_file = __builtin_FILE(),
          int caller_line = __builtin_LINE())
      : text(literal), file(caller_file), line(caller_line) {}

  std::string_view text;
  const char* file;
  int line;
};

namespace detail {

// Cold and out of line: thousands of checks must not each inline a stream.
template <typename... Values>
[[gnu::noinline, gnu::cold]] std::string with_values(std::string_view text,
                                                     const Values&... values) {
  std::ostringstream out;
  out << text;
  ((out << ' ' << values), ...);
  return std::move(out).str();
}

[[noreturn]] void fail_check(const Because& because, std::string message);
[[noreturn]] void fail_require(ErrorCode code, std::string message);

}  // namespace detail

/// Throws InternalError unless `condition` holds.
template <typename... Values>
void check(bool condition, Because because, const Values&... values) {
  if (!condition) [[unlikely]] {
    detail::fail_check(because, detail::with_values(because.text, values...));
  }
}

/// Throws Error{invalid_argument} unless `condition` holds.
template <typename... Values>
void require(bool condition, const char* text, const Values&... values) {
  if (!condition) [[unlikely]] {
    detail::fail_require(ErrorCode::invalid_argument, detail::with_values(text, values...));
  }
}

/// Throws Error with the given code unless `condition` holds.
template <typename... Values>
void require(bool condition, ErrorCode code, const char* text, const Values&... values) {
  if (!condition) [[unlikely]] {
    detail::fail_require(code, detail::with_values(text, values...));
  }
}

/// Throws Error with the given code.
template <typename... Values>
[[noreturn]] void fail(ErrorCode code, const char* text, const Values&... values) {
  detail::fail_require(code, detail::with_values(text, values...));
}

}  // namespace litz
