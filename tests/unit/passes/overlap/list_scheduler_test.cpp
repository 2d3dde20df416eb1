#include "passes/overlap/list_scheduler.h"

#include <vector>

#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

/// Layers that gather a weight each, and scatter a gradient.
std::string layers(int count) {
  std::string body;
  std::string last = "x";
  for (int i = 0; i < count; ++i) {
    const std::string k = std::to_string(i);
    body += "  %q" + k + " = aten.neg(%p)\n  %g" + k +
            " = _c10d_functional.all_gather_into_tensor(%q" + k + ", 2, \"0\")\n  %w" + k +
            " = _c10d_functional.wait_tensor(%g" + k + ")\n  %m" + k + " = aten.mm(%" + last +
            ", %w" + k + ")\n  %n" + k + " = aten.neg(%m" + k + ")\n  %s" + k +
            " = _c10d_functional.reduce_scatter_tensor(%n" + k + ", \"sum\", 2, \"0\")\n  %r" + k +
            " = _c10d_functional.wait_tensor(%s" + k + ")\n";
    last = "m" + k;
  }
  return "graph @main(%x: f32[4, 4], %p: f32[2, 4]) -> (f32[4, 4]) {\n" + body + "  return %" +
         last + "\n}";
}

std::vector<uint32_t> schedule(const ir::Graph& graph, const ListLimits& limits) {
  return list_schedule(Units(graph, {}), MemoryUse(graph), limits);
}

TEST(ListScheduler, PlacesEveryUnitOnceAfterItsNeeds) {
  const auto module = read(layers(20));
  const ir::Graph& graph = *module->find_graph("main");
  const Units units(graph, simple_times());
  for (const double in_flight : {0.0, 100.0, 1e9}) {
    for (const size_t distance : {0, 1, 200}) {
      const std::vector<uint32_t> order = schedule(
          graph, {.in_flight_bytes = in_flight, .prefetch_distance = distance, .peak_bytes = {}});
      ASSERT_EQ(order.size(), units.all.size());
      std::vector<size_t> place(order.size());
      for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
      for (uint32_t i = 0; i < order.size(); ++i) {
        for (const uint32_t need : units.needs[i]) EXPECT_LT(place[need], place[i]);
      }
    }
  }
}

TEST(ListScheduler, IsTheSameEveryTime) {
  const auto module = read(layers(50));
  const ListLimits limits{.in_flight_bytes = 1e9, .prefetch_distance = 200, .peak_bytes = {}};
  EXPECT_EQ(schedule(*module->find_graph("main"), limits),
            schedule(*read(layers(50))->find_graph("main"), limits));
}

}  // namespace
}  // namespace litz::passes
