#include "machine/cluster.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::machine {
namespace {

using ::testing::HasSubstr;

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
  EXPECT_EQ(named_cluster("ampere").protocol_gb_s[0], 87.7);
  EXPECT_EQ(named_cluster("ampere").protocol_gb_s[1], 39);
  EXPECT_THROW(named_cluster("fermi"), Error);
}

TEST(Cluster, AFileDescribesLinks) {
  const Cluster cluster = parse_cluster(
      R"({"like": "ampere", "ranks_per_node": 4, "node_gb_s": 12, "protocol_gb_s": [10, 5, 2]})",
      "here.json");
  EXPECT_EQ(cluster.ranks_per_node, 4);
  EXPECT_EQ(cluster.node_gb_s, 12);
  EXPECT_EQ(cluster.protocol_gb_s[2], 2);
  EXPECT_EQ(cluster.half_tflops, named_cluster("ampere").half_tflops);
}

TEST(Cluster, ADescriptionThatIsNoneIsRefused) {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_cluster(text, "here.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(R"({"node_gbs": 12})"), HasSubstr("here.json: node_gbs"));
  EXPECT_THAT(message(R"({"node_gb_s": 0})"), HasSubstr("positive"));
  EXPECT_THAT(message(R"({"ranks_per_node": 0})"), HasSubstr("must have ranks"));
  EXPECT_THAT(message(R"({"protocol_gb_s": [1, 2]})"), HasSubstr("three numbers"));
  EXPECT_THAT(message(R"({"like": "fermi"})"), HasSubstr("fermi"));
  EXPECT_THAT(message("[]"), HasSubstr("here.json"));
}

// The bytes that saturate a link: none for one rank, more for more ranks.
TEST(Cluster, SaturationModel) {
  EXPECT_EQ(saturating_bytes(Traffic::all_gather, 1, {}), 0);
  const auto bytes = [](int64_t ranks) { return saturating_bytes(Traffic::all_gather, ranks, {}); };
  // Links between nodes are slower, so that fewer bytes saturate them.
  EXPECT_LT(bytes(2), bytes(4));
  EXPECT_LT(bytes(4), bytes(8));
  for (int64_t ranks = 32; ranks < 2000; ranks *= 2) EXPECT_LT(bytes(ranks), bytes(ranks * 2));
  const double in_a_node = bytes(8);
  EXPECT_GT(in_a_node, 50e6);
  EXPECT_LT(in_a_node, 200e6);
  EXPECT_NEAR(
      latency_us(Traffic::all_gather, 8, {}) / collective_us(Traffic::all_gather, in_a_node, 8, {}),
      0.02, 0.004);
}

}  // namespace
}  // namespace litz::machine
