#include "ir/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph_outline.h"
#include "ir/verifier.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTwoGroups = R"(
graph @main(%x: f32[2], %y: f32[3]) -> (f32[2], f32[3], f32[2]) {
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %b = _c10d_functional.all_reduce(%y, reduce_op="sum", group_name="p")
  %c = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="q")
  %aw = _c10d_functional.wait_tensor(%a)
  %bw = _c10d_functional.wait_tensor(%b)
  %cw = _c10d_functional.wait_tensor(%c)
  return %aw, %bw, %cw
})";

class Collectives : public ::testing::Test {
 protected:
  explicit Collectives(std::string_view text = kTwoGroups) : module(module_of(text)) {}

  std::string difference() { return collective_order_difference(entry, graph); }

  std::unique_ptr<Module> module;
  Graph& graph = graph_of(*module);
  std::vector<Node*> nodes = graph.in_order();
  CollectiveOrder entry = collective_order(graph);
};

TEST_F(Collectives, AreRecordedByGroup) {
  ASSERT_EQ(entry.size(), 2u);
  EXPECT_EQ(entry.at("p").size(), 2u);
  EXPECT_EQ(entry.at("p")[0].node, nodes[0]->id());
  EXPECT_EQ(entry.at("q")[0].node, nodes[2]->id());
  EXPECT_EQ(difference(), "");
}

TEST_F(Collectives, GroupsMayPassEachOther) {
  graph.move_before(nodes[2], nodes[0]);
  EXPECT_EQ(difference(), "");
}

TEST_F(Collectives, OfOneGroupMayNot) {
  graph.move_before(nodes[1], nodes[0]);
  EXPECT_THAT(difference(), HasSubstr("must be those of entry: number 0 is"));
  const std::map<uint32_t, CollectiveOrder> orders{{graph.id(), entry}};
  EXPECT_THAT(verification_errors(*module, {.collectives_at_entry = &orders}).front(),
              HasSubstr("collectives of group p"));
  EXPECT_TRUE(verification_errors(*module).empty());
}

TEST_F(Collectives, LostAndNewOnesAreNoticed) {
  graph.replace_uses(nodes[5]->output(), graph.input(0));
  graph.erase(nodes[5]);
  graph.erase(nodes[2]);
  EXPECT_THAT(difference(), HasSubstr("of group q must be those of entry: number 0 is gone"));
  entry.erase("q");
  EXPECT_EQ(difference(), "");
  entry.erase("p");
  EXPECT_THAT(difference(), HasSubstr("which was not there"));
}

TEST_F(Collectives, RecreatedOnesAreKnownByTheirSignature) {
  const auto scope = graph.insert_before(nodes[0]);
  const Node* twin = graph.clone(*nodes[0], [](Value value) { return value; });
  graph.replace_uses(nodes[0]->output(), twin->output());
  graph.erase(nodes[0]);
  EXPECT_EQ(difference(), "");
}

TEST_F(Collectives, OutliningKeepsTheSequence) {
  Node* const moved[] = {nodes[1]};
  outline(
      moved, "part",
      [](Graph& in, GraphRef child, std::span<const Value> operands, std::vector<ValueType> types) {
        return in.create_typed(*in.module().ops().find("higher_order.call"),
                               {child, std::vector<Value>(operands.begin(), operands.end())},
                               std::move(types));
      });
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(collective_orders(*module).size(), 2u);
}

class EqualCollectives : public Collectives {
 protected:
  EqualCollectives()
      : Collectives(R"(
graph @main(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %b = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %aw = _c10d_functional.wait_tensor(%a)
  %bw = _c10d_functional.wait_tensor(%b)
  return %aw, %bw
})") {}
};

TEST_F(EqualCollectives, AreToldApartByTheirNodes) {
  graph.move_before(nodes[1], nodes[0]);
  EXPECT_THAT(difference(), HasSubstr("must start in the order of entry"));
}

}  // namespace
}  // namespace litz::ir
