#include "litz_corpus/known_failures.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "support/check.h"
#include "support/text.h"

namespace litz::corpus {

KnownFailures KnownFailures::read(const std::string& path) {
  constexpr std::array<std::string_view, 5> kFailures{"wrong", "refused", "crashed", kTypes,
                                                      kUnrecorded};
  KnownFailures known;
  if (path.empty()) return known;
  std::ifstream file(path);
  require(file.is_open(), ErrorCode::not_found, "cannot read", path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string_view text = trim(line);
    if (text.empty() || text.front() == '#') continue;
    const size_t space = text.find(' ');
    const size_t colon = text.find(": ");
    const std::string_view failure = text.substr(0, space);
    require(
        std::ranges::find(kFailures, failure) != kFailures.end() &&
            colon != std::string_view::npos && space < colon,
        ErrorCode::invalid_argument,
        "a known failure must read `refused NAME: REASON` (or wrong, crashed, types, unrecorded):",
        path + ":" + std::to_string(number));
    known.entries_.emplace(failure, trim(text.substr(space, colon - space)));
  }
  return known;
}

bool KnownFailures::contains(std::string_view failure, const std::string& program) const {
  return entries_.contains({std::string(failure), program});
}

}  // namespace litz::corpus
