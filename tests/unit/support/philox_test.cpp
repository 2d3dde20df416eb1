#include "support/philox.h"

#include <gtest/gtest.h>

namespace litz {
namespace {

// The known answers published with the algorithm's reference code.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox_4x32_10({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox_4x32_10({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox_4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, NumbersAreAllWordsOfTheBlocksOfAKey) {
  EXPECT_EQ(static_cast<uint64_t>(philox_bits(0, 0)), 0xe169c58d6627e8d5U);
  EXPECT_EQ(static_cast<uint64_t>(philox_bits(0, 1)), 0x9b00dbd8bc57ac4cU);
  EXPECT_EQ(philox_bits(0, -1), philox_block(0, -1)[1]);
  EXPECT_EQ(philox_bits(7, 12), philox_block(7, 6)[0]);
  EXPECT_NE(philox_bits(1, 0), philox_bits(0, 1));
  EXPECT_NE(philox_bits(int64_t{1} << 32, 0), philox_bits(0, 0));
  EXPECT_NE(philox_bits(0, int64_t{1} << 32), philox_bits(0, 0));
}

}  // namespace
}  // namespace litz
