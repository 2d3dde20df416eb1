#include "support/arrange.h"

#include <random>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

TEST(Arrange, BlocksOfOneTimeLieApart) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Chunk> chunks;
    for (int i = 0; i < 40; ++i) {
      const int first = static_cast<int>(random() % 30);
      const int last = first + static_cast<int>(random() % 6);
      chunks.push_back({rounded_block(static_cast<int64_t>(random() % 5000)), first, last, 0});
    }
    const int64_t end = arrange(chunks);
    for (size_t i = 0; i < chunks.size(); ++i) {
      const Chunk& a = chunks[i];
      ASSERT_EQ(a.offset % kBlockAlignment, 0);
      ASSERT_LE(a.offset + a.bytes, end);
      for (size_t j = 0; j < i; ++j) {
        const Chunk& b = chunks[j];
        const bool is_later = a.last < b.first || b.last < a.first;
        const bool is_apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
        ASSERT_TRUE(is_later || is_apart) << i << " and " << j;
      }
    }
  }
}

TEST(Arrange, DeadMemoryIsUsedAgain) {
  std::vector<Chunk> chunks{{128, 0, 1, 0}, {128, 2, 3, 0}, {64, 1, 2, 0}};
  EXPECT_EQ(arrange(chunks), 192);
}

TEST(Arrange, BlocksAreRounded) {
  EXPECT_EQ(rounded_block(0), 64);
  EXPECT_EQ(rounded_block(64), 64);
  EXPECT_EQ(rounded_block(65), 128);
  EXPECT_THROW(rounded_block(-1), Error);
  EXPECT_THROW(rounded_block(INT64_MAX), Error);
}

}  // namespace
}  // namespace litz
