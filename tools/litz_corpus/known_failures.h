// Failures that are known, with the reason for each.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace litz::corpus {

class KnownFailures {
 public:
  /// The failure of a program whose inferred types differ from the recorded ones.
  static constexpr std::string_view kTypes = "types";
  /// The failure of a sample call without a recording.
  static constexpr std::string_view kUnrecorded = "unrecorded";

  /// A failure per line: `refused NAME: REASON`, where the first word is wrong, refused, crashed,
  /// types or unrecorded; `#` starts a comment. Throws Error for other words and for lines without
  /// a reason.
  static KnownFailures read(const std::vector<std::string>& paths);

  bool contains(std::string_view failure, const std::string& program) const;

 private:
  void read_file(const std::string& path);

  std::set<std::pair<std::string, std::string>> entries_;  // Failure and program.
};

}  // namespace litz::corpus
