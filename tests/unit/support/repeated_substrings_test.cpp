#include "support/repeated_substrings.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace litz {
namespace {

using Found = std::map<std::vector<uint32_t>, std::set<uint32_t>>;

std::vector<uint32_t> sequence_of(std::string_view text) { return {text.begin(), text.end()}; }

Found found_in(const std::vector<uint32_t>& sequence, size_t least) {
  Found found;
  const RepeatedSubstrings repeated(sequence, least);
  for (const RepeatedSubstrings::Entry& entry : repeated.entries()) {
    const auto begin = sequence.begin() + entry.positions[0];
    const std::vector<uint32_t> text(begin, begin + static_cast<ptrdiff_t>(entry.length));
    EXPECT_EQ(found.count(text), 0u) << "a substring twice";
    found[text] = {entry.positions.begin(), entry.positions.end()};
  }
  return found;
}

/// Every repeated substring that has more places than each of its extensions to the right.
Found by_trying(const std::vector<uint32_t>& sequence, size_t least) {
  Found all;
  for (size_t i = 0; i < sequence.size(); ++i) {
    for (size_t length = least; i + length <= sequence.size(); ++length) {
      const auto begin = sequence.begin() + static_cast<ptrdiff_t>(i);
      all[{begin, begin + static_cast<ptrdiff_t>(length)}].insert(static_cast<uint32_t>(i));
    }
  }
  Found kept;
  for (const auto& [text, places] : all) {
    const bool is_replaced = std::ranges::any_of(all, [&](const auto& other) {
      return other.first.size() == text.size() + 1 && other.second == places &&
             std::equal(text.begin(), text.end(), other.first.begin());
    });
    if (places.size() > 1 && !is_replaced) kept[text] = places;
  }
  return kept;
}

TEST(RepeatedSubstrings, FindsPeriodsAndScatteredOnes) {
  const std::vector<uint32_t> text = sequence_of("abcabcabd");
  const Found found = found_in(text, 2);
  EXPECT_EQ(found.at(sequence_of("abcab")), (std::set<uint32_t>{0, 3}));
  EXPECT_EQ(found.at(sequence_of("ab")), (std::set<uint32_t>{0, 3, 6}));
  EXPECT_EQ(found.count(sequence_of("a")), 0u);
}

TEST(RepeatedSubstrings, OfNothingAndOfNoRepeats) {
  EXPECT_TRUE(RepeatedSubstrings({}, 1).entries().empty());
  EXPECT_TRUE(RepeatedSubstrings(sequence_of("abcd"), 1).entries().empty());
  EXPECT_EQ(found_in(sequence_of("aaaa"), 1), by_trying(sequence_of("aaaa"), 1));
}

TEST(RepeatedSubstrings, SameAsByTrying) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> sequence(random() % 40);
    for (uint32_t& entry : sequence) entry = random() % 3 * 1'000'000'000;
    const size_t least = 1 + random() % 3;
    EXPECT_EQ(found_in(sequence, least), by_trying(sequence, least));
  }
}

}  // namespace
}  // namespace litz
