#include "passes/overlap/world_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "simple_times.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;

TEST(WorldCurve, WorldsDoubleFromOneNode) {
  EXPECT_THAT(worlds_up_to(64, 8), ElementsAre(8, 16, 32, 64));
  EXPECT_THAT(worlds_up_to(24, 8), ElementsAre(8, 16, 24));
  EXPECT_THAT(worlds_up_to(4, 8), ElementsAre(4));
}

// Many small gathers: the more ranks, the more latency, and the more a bucket saves.
TEST(WorldCurve, CapsAreChosenForEveryWorld) {
  std::string body;
  std::string last = "x";
  for (int i = 0; i < 12; ++i) {
    const std::string k = std::to_string(i);
    body += "  %g" + k + " = _c10d_functional.all_gather_into_tensor(%p, 4, \"0\")\n  %w" + k +
            " = _c10d_functional.wait_tensor(%g" + k + ")\n  %m" + k + " = aten.mm(%" + last +
            ", %w" + k + ")\n";
    last = "m" + k;
  }
  const auto module =
      read("graph @main(%x: f32[256, 256], %p: f32[64, 256]) -> (f32[256, 256]) {\n" + body +
           "  return %" + last + "\n}");
  const std::string before = ir::to_string(*module);
  const std::vector<int64_t> worlds{1, 8, 1024};
  const auto points = world_curve(*module->find_graph("main"), {}, worlds);
  EXPECT_EQ(ir::to_string(*module), before);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].exposed_us, 0);
  EXPECT_EQ(points[2].nodes, 128);
  EXPECT_LT(points[2].collectives, 12u);
  EXPECT_GT(points[2].cap_mb, 0);
  for (const WorldPoint& point : points) EXPECT_LE(point.total_us, point.total_before_us);
  EXPECT_GT(points[2].total_us, points[1].total_us);
}

}  // namespace
}  // namespace litz::passes
