#include "runtime/program/edge_finder.h"

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

class EdgeFinderTest : public testing::Test {
 protected:
  // Adds a node; the indices of those that it must follow.
  std::vector<int32_t> add(std::vector<TouchedRange> ranges) {
    std::vector<int32_t> found;
    for (const NodeId node : edges_.dependencies(ranges)) found.push_back(node.index);
    edges_.add({0, next_++}, ranges);
    return found;
  }

  using Indices = std::vector<int32_t>;

  EdgeFinder edges_;
  int32_t next_ = 0;
};

TEST_F(EdgeFinderTest, ReadersFollowTheWriter) {
  EXPECT_EQ(add({{0, 0, 8, true}}), Indices{});
  EXPECT_EQ(add({{0, 4, 8, false}}), Indices{0});
  EXPECT_EQ(add({{0, 0, 4, false}}), Indices{0});
  EXPECT_EQ(add({{0, 8, 16, false}, {1, 0, 8, false}}), Indices{});
}

TEST_F(EdgeFinderTest, AWriterFollowsAllReaders) {
  add({{0, 0, 8, true}});
  add({{0, 0, 8, false}});
  add({{0, 0, 2, false}});
  EXPECT_EQ(add({{0, 0, 8, true}}), (Indices{0, 1, 2}));
  // Whoever follows node 3 follows them.
  EXPECT_EQ(add({{0, 0, 8, false}}), Indices{3});
}

TEST_F(EdgeFinderTest, APartlyCoveredWriteStillCounts) {
  add({{0, 0, 8, true}});
  add({{0, 0, 4, true}});
  EXPECT_EQ(add({{0, 0, 8, false}}), (Indices{0, 1}));
}

}  // namespace
}  // namespace litz::runtime
