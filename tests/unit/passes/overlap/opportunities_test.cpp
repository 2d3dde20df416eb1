#include "passes/overlap/opportunities.h"

#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

bool can_be_hidden(const std::string& body, const std::string& result) {
  const auto module = read("graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {\n" + body +
                           "  return " + result + "\n}");
  const ir::Graph& graph = *module->find_graph("main");
  OverlapReport report = describe_overlap(graph, simple_times());
  find_opportunities(graph, simple_times(), report);
  return report.collectives.at(0).can_be_hidden;
}

TEST(Opportunities, AreProductsWithoutRelation) {
  const std::string reduced =
      "  %s = _c10d_functional.all_reduce(%x, \"sum\", \"0\")\n"
      "  %w = _c10d_functional.wait_tensor(%s)\n";
  EXPECT_FALSE(can_be_hidden(reduced + "  %m = aten.mm(%w, %y)\n", "%m"));
  EXPECT_TRUE(
      can_be_hidden(reduced + "  %m = aten.mm(%y, %y)\n  %n = aten.add.Tensor(%m, %w)\n", "%n"));
  EXPECT_FALSE(
      can_be_hidden("  %m = aten.mm(%x, %y)\n"
                    "  %s = _c10d_functional.all_reduce(%m, \"sum\", \"0\")\n"
                    "  %w = _c10d_functional.wait_tensor(%s)\n",
                    "%w"));
}

}  // namespace
}  // namespace litz::passes
