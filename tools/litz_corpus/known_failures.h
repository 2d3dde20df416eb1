// Failures that are known, with the reason for each.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace litz::corpus {

class KnownFailures {
 public:
  /// The failure of a program whose inferred types differ from the recorded ones.
  static constexpr std::string_view kTypes = "types";
  /// The failure of a sample call of which nothing is recorded.
  static constexpr std::string_view kUnrecorded = "unrecorded";

  /// A failure per line: `refused NAME: REASON`, where the first word is wrong, refused, crashed,
  /// types or unrecorded; `#` starts a comment. No failures for an empty path. Throws Error for other words and
  /// for lines without a reason.
  static KnownFailures read(const std::string& path);

  bool contains(std::string_view failure, const std::string& program) const;

 private:
  std::set<std::pair<std::string, std::string>> entries_;  // Failure and program.
};

}  // namespace litz::corpus
