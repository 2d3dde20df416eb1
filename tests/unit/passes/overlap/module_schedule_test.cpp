// Tests that PyTorch has as well are named like its own.

#include "passes/overlap/module_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "simple_times.h"
#include "support/check.h"

namespace litz::passes {
namespace {

/// Three layers of two weights each, whose gradients are scattered in the reverse order.
std::unique_ptr<ir::Module> layers() {
  std::string body;
  std::string last = "x";
  for (const char* i : {"0", "1", "2"}) {
    for (const char* j : {"a", "b"}) {
      const std::string k = std::string(i) + j;
      body += "  %g" + k + " = _c10d_functional.all_gather_into_tensor(%p, 2, \"0\")\n  %w" + k +
              " = _c10d_functional.wait_tensor(%g" + k + ")\n  %m" + k + " = aten.mm(%" + last +
              ", %w" + k + ")\n";
      last = "m" + k;
    }
  }
  std::string results = "%" + last;
  std::string types = "f32[4, 4]";
  for (const char* i : {"2", "1", "0"}) {
    for (const char* j : {"a", "b"}) {
      const std::string k = std::string(i) + j;
      body += "  %d" + k + " = aten.mm(%m" + k + ", %" + last + ")\n  %s" + k +
              " = _c10d_functional.reduce_scatter_tensor(%d" + k + ", \"sum\", 2, \"0\")\n  %v" +
              k + " = _c10d_functional.wait_tensor(%s" + k + ")\n";
      results += ", %v" + k;
      types += ", f32[2, 4]";
    }
  }
  auto module = read("graph @main(%x: f32[4, 4], %p: f32[2, 4]) -> (" + types + ") {\n" + body +
                     "  return " + results + "\n}");
  ir::Graph& graph = *module->find_graph("main");
  for (ir::Node* node : graph.in_order()) {
    const std::string name(node->output().name());
    if (name[0] != 'g' && name[0] != 's') continue;
    graph.set_location(
        node, {.file = "",
               .line = 0,
               .module_path = "layers." + name.substr(1, 1) + (name[2] == 'a' ? ".up" : ".down"),
               .stack_trace = ""});
  }
  return module;
}

TEST(ScheduleModules, OneBucketPerModuleAndKind) {
  const auto module = layers();
  ir::Graph& graph = *module->find_graph("main");
  const std::vector<ModuleGroup> groups{{"layers.0"}, {"layers.1"}, {"layers.2"}};
  const BucketReport report = schedule_modules(graph, groups);
  ir::verify(*module);
  EXPECT_EQ(report.buckets.size(), 6u);
  std::string order;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    const std::string name = short_name(*node);
    if (name == "AG" || name == "RS" || name == "wait") order += name + " ";
  }
  // Gathers one layer ahead; scatters are waited for after the next one's start.
  EXPECT_EQ(order, "AG AG wait AG wait wait RS RS wait RS wait wait ");
}

TEST(ScheduleModules, GroupsHaveNoModuleInCommon) {
  const auto module = layers();
  const std::vector<ModuleGroup> groups{{"layers.0"}, {"layers.0.up"}};
  EXPECT_THROW(schedule_modules(*module->find_graph("main"), groups), Error);
}

TEST(ScheduleModules, ModulesWithoutCollectivesAreRefused) {
  const auto module = layers();
  const std::vector<ModuleGroup> groups{{"layers.7"}};
  EXPECT_THROW(schedule_modules(*module->find_graph("main"), groups), Error);
}

// What depends on a member of its module becomes a bucket of its own; one sort repairs the order of
// what reads the results, and a second run changes nothing.
TEST(ScheduleModules, WaitUserRepairRunsOnce) {
  const auto module = read(R"(
graph @main(%p: f32[2, 4], %q: f32[2, 4]) -> (f32[8, 4], f32[8, 4]) {
  %g0 = _c10d_functional.all_gather_into_tensor(%p, 2, "0")
  %w0 = _c10d_functional.wait_tensor(%g0)
  %a = aten.neg(%w0)
  %g1 = _c10d_functional.all_gather_into_tensor(%a, 2, "0")
  %w1 = _c10d_functional.wait_tensor(%g1)
  %g2 = _c10d_functional.all_gather_into_tensor(%q, 2, "0")
  %w2 = _c10d_functional.wait_tensor(%g2)
  %b = aten.neg(%w2)
  %g3 = _c10d_functional.all_gather_into_tensor(%b, 2, "0")
  %w3 = _c10d_functional.wait_tensor(%g3)
  return %w1, %w3
})");
  ir::Graph& graph = *module->find_graph("main");
  for (ir::Node* node : graph.in_order("_c10d_functional.all_gather_into_tensor")) {
    graph.set_location(node, {.file = "", .line = 0, .module_path = "m", .stack_trace = ""});
  }
  const std::vector<ModuleGroup> groups{{"m"}};
  EXPECT_EQ(schedule_modules(graph, groups).buckets.size(), 2u);
  ir::verify(*module);
  EXPECT_EQ(graph.in_order("_c10d_functional.all_gather_into_tensor").size(), 2u);
}

}  // namespace
}  // namespace litz::passes
