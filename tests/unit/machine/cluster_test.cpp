#include "machine/cluster.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::machine {
namespace {

TEST(Cluster, OneRankCommunicatesForNothing) {
  EXPECT_EQ(collective_us(Traffic::all_reduce, 1e9, 1, {}), 0);
}

TEST(Cluster, PricesInOneNode) {
  // 7 steps of 0.6 us; the protocol's 141 GB/s are below two thirds of the link.
  EXPECT_DOUBLE_EQ(latency_us(Traffic::all_gather, 8, {}), 6.6 + 7 * 0.6);
  EXPECT_DOUBLE_EQ(collective_us(Traffic::all_gather, 141e3, 8, {}), 7.0 / 8 + 6.6 + 7 * 0.6);
  // Around twice.
  EXPECT_DOUBLE_EQ(latency_us(Traffic::all_reduce, 8, {}), 6.6 + 14 * 0.6);
  EXPECT_DOUBLE_EQ(collective_us(Traffic::all_reduce, 141e3, 8, {}), 14.0 / 8 + 6.6 + 14 * 0.6);
}

TEST(Cluster, PricesBetweenNodes) {
  // Two nodes: one step between them; half of a network link of 25 GB/s each way.
  EXPECT_DOUBLE_EQ(latency_us(Traffic::reduce_scatter, 16, {}), 6.6 + 14 * 1.0 + 2.7);
  EXPECT_DOUBLE_EQ(collective_us(Traffic::reduce_scatter, 12.5e3, 16, {}),
                   15.0 / 16 + 6.6 + 14 * 1.0 + 2.7);
  EXPECT_DOUBLE_EQ(latency_us(Traffic::all_reduce, 16, {}), 6.6 + 26 * 1.0 + 4 * 2.7);
}

TEST(Cluster, MoreRanksAndBytesCostMore) {
  for (int64_t ranks = 2; ranks < 2000; ranks *= 2) {
    EXPECT_LT(collective_us(Traffic::all_gather, 1e6, ranks, {}),
              collective_us(Traffic::all_gather, 1e6, ranks * 2, {}));
    EXPECT_LT(collective_us(Traffic::all_gather, 1e6, ranks, {}),
              collective_us(Traffic::all_gather, 2e6, ranks, {}));
  }
}

TEST(Cluster, ComputationsTakeWhatIsSlower) {
  EXPECT_DOUBLE_EQ(compute_us(7e8, true, 0, {}), 1);
  EXPECT_DOUBLE_EQ(compute_us(0, false, 4e6, {}), 1);
}

TEST(Cluster, GenerationsHaveNames) {
  EXPECT_EQ(parse_card_generation("ampere"), CardGeneration::ampere);
  EXPECT_THROW(parse_card_generation("fermi"), Error);
}

}  // namespace
}  // namespace litz::machine
