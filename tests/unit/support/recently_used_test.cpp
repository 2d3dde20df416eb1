#include "support/recently_used.h"

#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(RecentlyUsed, KeepsWhatWasUsedLast) {
  RecentlyUsed<int> table(2);
  table.add("a", 1);
  table.add("b", 2);
  ASSERT_NE(table.find("a"), nullptr);
  EXPECT_EQ(*table.find("a"), 1);
  table.add("c", 3);
  EXPECT_EQ(table.find("b"), nullptr);
  EXPECT_EQ(*table.find("a"), 1);
  EXPECT_EQ(*table.find("c"), 3);
  EXPECT_EQ(table.size(), 2U);
}

TEST(RecentlyUsed, ChangesEntriesInPlace) {
  RecentlyUsed<int> table(1);
  table.add("a", 1) = 5;
  *table.find("a") += 1;
  EXPECT_EQ(*table.find("a"), 6);
  EXPECT_EQ(table.find(""), nullptr);
}

}  // namespace
}  // namespace litz
