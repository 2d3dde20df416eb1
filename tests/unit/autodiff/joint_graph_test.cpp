#include "autodiff/joint_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"

namespace litz::autodiff {
namespace {

using ::testing::ElementsAre;

struct Named {
  std::unique_ptr<ir::Module> module;
  std::map<std::string, ir::Value> values;

  ir::Graph& graph() const { return *module->find_graph("main"); }
};

Named read(std::string_view text) {
  Named named{ir::read_module(text, ops::standard_ops()), {}};
  for (const ir::Node* node : named.graph().in_order()) {
    for (const ir::Value value : node->outputs()) named.values[value.name()] = value;
  }
  for (const ir::Value value : named.graph().inputs()) named.values[value.name()] = value;
  return named;
}

constexpr std::string_view kSine =
    "graph @main(%x: f32[4], %g: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
    "  %e = aten.exp(%x)\n"
    "  %s = aten.sin(%e)\n"
    "  %c = aten.cos(%e)\n"
    "  %d = aten.mul.Tensor(%g, %c)\n"
    "  %dx = aten.mul.Tensor(%d, %e)\n"
    "  %new = aten.sub.Tensor(%x, %dx)\n"
    "  return %s, %dx, %new\n"
    "}\n";

TEST(JointGraph, TellsPartsApart) {
  const Named sine = read(kSine);
  const size_t cotangents[] = {1};
  const JointGraph joint(sine.graph(), cotangents);
  std::vector<std::string> forward;
  std::vector<std::string> between;
  for (const EarlyNode& each : joint.early()) {
    (each.is_forward ? forward : between).push_back(each.node->output().name());
  }
  EXPECT_THAT(forward, ElementsAre("e", "s"));
  EXPECT_THAT(between, ElementsAre("c"));
  EXPECT_TRUE(joint.is_backward(*sine.values.at("new").producer()));
  EXPECT_FALSE(joint.is_early(sine.values.at("g")));
  EXPECT_TRUE(joint.is_read_backward(sine.values.at("x")));
  EXPECT_FALSE(joint.is_read_backward(sine.values.at("s")));
}

TEST(JointGraph, MeasuresDistances) {
  const Named sine = read(kSine);
  const size_t cotangents[] = {1};
  const JointGraph joint(sine.graph(), cotangents);
  EXPECT_EQ(joint.distance(sine.values.at("c")), 0);
  EXPECT_EQ(joint.distance(sine.values.at("e")), 1);
  EXPECT_EQ(joint.distance(sine.values.at("x")), 1);
  EXPECT_GT(joint.distance(sine.values.at("s")), 100);
}

TEST(JointGraph, MarksMakeNodesBackward) {
  const Named named = read(
      "graph @main(%x: f32[4]) -> (f32[4], f32[4]) {\n"
      "  %y = aten.exp(%x)\n"
      "  %one = aten.ones_like(%y) #{backward = \"gradient\"}\n"
      "  %d = aten.mul.Tensor(%one, %y)\n"
      "  return %y, %d\n"
      "}\n");
  const JointGraph joint(named.graph());
  EXPECT_TRUE(joint.is_backward(*named.values.at("one").producer()));
  EXPECT_TRUE(joint.is_backward(*named.values.at("d").producer()));
  EXPECT_FALSE(joint.is_backward(*named.values.at("y").producer()));
}

}  // namespace
}  // namespace litz::autodiff
