#include "graph_tools/layered_layout.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace litz::ir {
namespace {

bool overlap(const Point& a, const Extent& x, const Point& b, const Extent& y) {
  const double slack = 1e-6;
  return a.x + x.width > b.x + slack && b.x + y.width > a.x + slack &&
         a.y + x.height > b.y + slack && b.y + y.height > a.y + slack;
}

TEST(LayeredLayout, EdgesLeadDownAndBoxesKeepApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    std::vector<Extent> boxes;
    std::vector<BoxPair> edges;
    const size_t count = 2 + random() % 60;
    for (size_t i = 0; i < count; ++i) {
      boxes.push_back({20.0 + static_cast<double>(random() % 80), 20.0});
      for (size_t k = 0; i > 0 && k < random() % 3; ++k) edges.push_back({random() % i, i});
    }
    const BoxLayout layout = layered_layout(boxes, edges);
    ASSERT_EQ(layout.corners.size(), count);
    for (const auto& [from, to] : edges) {
      EXPECT_LT(layout.corners[from].y + boxes[from].height, layout.corners[to].y);
    }
    for (size_t a = 0; a < count; ++a) {
      EXPECT_GE(layout.corners[a].x, -1e-6);
      EXPECT_LE(layout.corners[a].x + boxes[a].width, layout.size.width + 1e-6);
      for (size_t b = 0; b < a; ++b) {
        EXPECT_FALSE(overlap(layout.corners[a], boxes[a], layout.corners[b], boxes[b]));
      }
    }
  }
}

TEST(LayeredLayout, ChainsStandUpright) {
  const std::vector<Extent> boxes(4, {50, 20});
  const std::vector<BoxPair> edges{{0, 1}, {1, 2}, {2, 3}};
  const BoxLayout layout = layered_layout(boxes, edges);
  for (const Point& corner : layout.corners) EXPECT_NEAR(corner.x, layout.corners[0].x, 1e-6);
}

TEST(LayeredLayout, SourcesStandCloseToTheirReaders) {
  const std::vector<Extent> boxes(5, {50, 20});
  const std::vector<BoxPair> edges{{0, 2}, {2, 3}, {3, 4}, {1, 4}};
  const BoxLayout layout = layered_layout(boxes, edges);
  EXPECT_EQ(layout.corners[1].y, layout.corners[3].y);
}

TEST(LayeredLayout, EdgesThatLeadUpAreRoutedOnly) {
  const std::vector<Extent> boxes(2, {50, 20});
  const std::vector<BoxPair> edges{{1, 0}};
  const BoxLayout layout = layered_layout(boxes, edges);
  EXPECT_EQ(layout.routes[0].size(), 2u);
  EXPECT_EQ(layout.corners[0].y, layout.corners[1].y);
}

TEST(LayeredLayout, NothingTakesNoRoom) {
  const BoxLayout layout = layered_layout({}, {});
  EXPECT_EQ(layout.size.width, 0);
  EXPECT_EQ(layout.size.height, 0);
}

}  // namespace
}  // namespace litz::ir
