#include "litz_corpus/known_failures.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "support/check.h"
#include "support/text.h"

namespace litz::corpus {

KnownFailures KnownFailures::read(const std::vector<std::string>& paths) {
  KnownFailures known;
  for (const std::string& path : paths) known.read_file(path);
  return known;
}

void KnownFailures::read_file(const std::string& path) {
  constexpr std::array<std::string_view, 5> kFailures{"wrong", "refused", "crashed", kTypes,
                                                      kUnrecorded};
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
    entries_.emplace(failure, trim(text.substr(space, colon - space)));
  }
}

bool KnownFailures::contains(std::string_view failure, const std::string& program) const {
  return entries_.contains({std::string(failure), program});
}

}  // namespace litz::corpus
