#include "autodiff/max_flow.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::autodiff {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FlowNetwork, CutsTheCheapestEdges) {
  FlowNetwork network;
  const int a = network.add_vertex();
  const int b = network.add_vertex();
  network.add_edge(FlowNetwork::kSource, a, 5);
  network.add_edge(a, b, 2);
  network.add_edge(b, FlowNetwork::kSink, 7);
  EXPECT_THAT(network.cut(), ElementsAre(false, true, false, true));
}

TEST(FlowNetwork, OfEqualCutsTheLastOne) {
  FlowNetwork network;
  const int a = network.add_vertex();
  network.add_edge(FlowNetwork::kSource, a, 3);
  network.add_edge(a, FlowNetwork::kSink, 3);
  EXPECT_THAT(network.cut(), ElementsAre(false, true, false));
}

TEST(FlowNetwork, UnlimitedPathsHaveNoCut) {
  FlowNetwork network;
  const int a = network.add_vertex();
  network.add_edge(FlowNetwork::kSource, a, FlowNetwork::kUnlimited);
  network.add_edge(a, FlowNetwork::kSink, FlowNetwork::kUnlimited);
  EXPECT_THAT(network.cut(), IsEmpty());
}

// Every subset of the inner vertices is a cut; none may cost less than the one found.
TEST(FlowNetwork, FindsALeastCutOfRandomNetworks) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    FlowNetwork network;
    constexpr int kInner = 6;
    for (int i = 0; i < kInner; ++i) network.add_vertex();
    int64_t capacity[kInner + 2][kInner + 2] = {};
    for (int edge = 0; edge < 20; ++edge) {
      const int from = static_cast<int>(random() % (kInner + 2));
      const int to = static_cast<int>(random() % (kInner + 2));
      if (from == to || to == FlowNetwork::kSource || from == FlowNetwork::kSink) continue;
      const auto size = static_cast<int64_t>(random() % 10);
      network.add_edge(from, to, size);
      capacity[from][to] += size;
    }
    const auto cost = [&](unsigned sink_side) {
      int64_t total = 0;
      for (int from = 0; from < kInner + 2; ++from) {
        for (int to = 0; to < kInner + 2; ++to) {
          if ((sink_side >> from & 1) == 0 && (sink_side >> to & 1) == 1)
            total += capacity[from][to];
        }
      }
      return total;
    };
    int64_t least = INT64_MAX;
    for (unsigned inner = 0; inner < 1U << kInner; ++inner) {
      least = std::min(least, cost(inner << 2 | 1U << FlowNetwork::kSink));
    }
    const std::vector<bool> side = network.cut();
    unsigned found = 0;
    for (size_t i = 0; i < side.size(); ++i) found |= static_cast<unsigned>(side[i]) << i;
    ASSERT_EQ(cost(found), least) << trial;
  }
}

}  // namespace
}  // namespace litz::autodiff
