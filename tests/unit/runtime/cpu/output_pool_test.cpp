#include "runtime/cpu/output_pool.h"

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

constexpr size_t kLarge = 1 << 20;

TEST(OutputPool, GivesAgainWhatWasDropped) {
  OutputPool pool(8);
  std::shared_ptr<Storage> first = pool.take(kLarge);
  const Storage* const known = first.get();
  std::shared_ptr<Storage> second = pool.take(kLarge);
  EXPECT_NE(second.get(), known);  // The first is in use.
  first.reset();
  EXPECT_EQ(pool.take(kLarge).get(), known);
}

TEST(OutputPool, FitsAreClose) {
  OutputPool pool(8);
  const Storage* const known = pool.take(kLarge).get();
  EXPECT_NE(pool.take(kLarge / 2).get(), known);
  EXPECT_NE(pool.take(kLarge + 1).get(), known);
  EXPECT_EQ(pool.take(kLarge - kLarge / 8).get(), known);
}

TEST(OutputPool, ForgetsTheOldest) {
  OutputPool pool(2);
  std::weak_ptr<Storage> first = pool.take(kLarge);
  pool.take(2 * kLarge);
  EXPECT_FALSE(first.expired());
  pool.take(4 * kLarge);
  EXPECT_TRUE(first.expired());
}

TEST(OutputPool, KeepsNothingSmall) {
  OutputPool pool(8);
  std::weak_ptr<Storage> small = pool.take(100);
  EXPECT_TRUE(small.expired());
}

}  // namespace
}  // namespace litz::runtime
