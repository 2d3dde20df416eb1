#include "ir/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GraphTest : public ::testing::Test {
 protected:
  Node* relu(Value value) { return graph.create("aten.relu", {value}); }

  Node* add(Value a, Value b) { return graph.create("aten.add.Tensor", {a, b}); }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({2, 3}));
};

TEST_F(GraphTest, OperandSlotsAndUsersDiffer) {
  Node* twice = add(x, x);
  EXPECT_EQ(x.use_count(), 2u);
  EXPECT_THAT(x.users(), ElementsAre(twice));
  ASSERT_EQ(x.uses().size(), 2u);
  EXPECT_EQ(x.uses()[1].argument, 1u);
  EXPECT_EQ(twice->input(0), x);
  EXPECT_EQ(twice->output().producer(), twice);
}

TEST_F(GraphTest, UsersComeInOrderOfAddition) {
  Node* a = relu(x);
  Node* b = add(x, x);
  Node* c = relu(x);
  EXPECT_THAT(x.users(), ElementsAre(a, b, c));
  graph.set_input(a, 0, x);
  EXPECT_THAT(x.users(), ElementsAre(b, c, a));
  graph.set_outputs({x});
  EXPECT_THAT(x.users(), ElementsAre(b, c, a, graph.return_node()));
}

TEST_F(GraphTest, ReplaceUsesMovesEverySlot) {
  Node* a = relu(x);
  Node* both = add(a->output(), a->output());
  graph.set_outputs({a->output()});
  Node* b = [&] {
    const auto scope = graph.insert_after(a);
    return relu(a->output());
  }();
  graph.replace_uses(a->output(), b->output());
  EXPECT_THAT(a->output().users(), ElementsAre(b)) << "a value can be wrapped";
  EXPECT_EQ(both->input(0), b->output());
  EXPECT_EQ(graph.outputs()[0].value(), b->output());
  verify(graph);
}

TEST_F(GraphTest, ReplaceUsesIfAsksPerUser) {
  Node* a = relu(x);
  Node* b = relu(x);
  Node* one = relu(a->output());
  Node* other = relu(a->output());
  graph.replace_uses_if(a->output(), b->output(), [&](const Node& node) { return &node == other; });
  EXPECT_EQ(one->input(0), a->output());
  EXPECT_EQ(other->input(0), b->output());
}

TEST_F(GraphTest, EraseRefusesUsedNodes) {
  Node* a = relu(x);
  Node* b = relu(a->output());
  try {
    graph.erase(a);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.message(), HasSubstr("still had 1 users"));
  }
  graph.erase(b);
  EXPECT_TRUE(b->is_erased());
  EXPECT_THROW(graph.erase(b), InternalError) << "erasing twice is an error, not a warning";
  EXPECT_TRUE(graph.erase_if_unused(a));
  EXPECT_EQ(graph.node_count(), 0u);
  EXPECT_EQ(graph.first(), nullptr);
  graph.collect_erased();
}

TEST_F(GraphTest, LoopsMayEraseTheNodeTheyStandOn) {
  for (int i = 0; i < 10; ++i) relu(x);
  int seen = 0;
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    graph.erase(node);
    if (++seen == 3) relu(x);
  }
  EXPECT_EQ(seen, 11);
  EXPECT_EQ(graph.node_count(), 0u);
  verify(graph);
}

TEST_F(GraphTest, InsertionScopesNestAndPassOnOrigins) {
  Node* a = relu(x);
  graph.set_location(a, {"f.py", 12, "net", ""});
  graph.set_annotations(a, {{"region", "1"}});
  module.set_current_pass("test-pass");
  Node* before = nullptr;
  Node* after = nullptr;
  {
    const auto outer = graph.insert_before(a);
    before = relu(x);
    const auto inner = graph.insert_after(a);
    after = relu(x);
  }
  Node* last = relu(x);
  EXPECT_THAT(graph.in_order(), ElementsAre(before, a, after, last));
  EXPECT_EQ(before->location().line, 12);
  EXPECT_EQ(after->annotations().at("region"), "1");
  EXPECT_TRUE(last->location().file.empty());
  ASSERT_FALSE(after->provenance().empty());
  EXPECT_EQ(after->provenance().back().pass, "test-pass");
  EXPECT_THAT(after->provenance().back().sources, ElementsAre(a->id()));
}

TEST_F(GraphTest, ScopesSurviveErasureOfTheirPosition) {
  Node* a = relu(x);
  Node* b = relu(x);
  {
    const auto scope = graph.insert_before(a);
    graph.erase(a);
    relu(x);
  }
  EXPECT_EQ(graph.first()->next(), b);
  verify(graph);
}

TEST_F(GraphTest, CloneMapsOperandsAndKeepsTheRest) {
  Node* a = relu(x);
  graph.set_name(a->output(), "act");
  graph.set_location(a, {"f.py", 3, "", ""});
  const Value y = graph.add_input("y", f32({2, 3}));
  Node* copy = graph.clone(*a, [&](Value) { return y; });
  EXPECT_EQ(copy->input(0), y);
  EXPECT_EQ(copy->output().name(), "act_1");
  EXPECT_EQ(copy->location().line, 3);
  EXPECT_EQ(copy->output().type(), a->output().type());
}

TEST_F(GraphTest, DataDependentResultsGetFreshSymbols) {
  Node* a = graph.create("aten.nonzero", {x});
  Node* b = graph.create("aten.nonzero", {x});
  EXPECT_EQ(to_string(a->output().type()), "i64[u0, 2]");
  EXPECT_EQ(to_string(b->output().type()), "i64[u1, 2]");
  verify(graph);
}

TEST_F(GraphTest, ArgumentsCanBeErasedWhenUnused) {
  const Value y = graph.add_input("y", f32({1}));
  EXPECT_THROW(
      {
        relu(x);
        graph.erase_input(0);
      },
      InternalError);
  graph.erase(graph.first());
  graph.erase_input(0);
  EXPECT_EQ(graph.input_count(), 1u);
  EXPECT_EQ(y.index(), 0u);
  verify(graph);
}

TEST_F(GraphTest, NamesAreUniqueAndRepeatable) {
  const auto name = [&](std::string_view hint) {
    const Value value = relu(x)->output();
    graph.set_name(value, hint);
    return value.name();
  };
  EXPECT_EQ(name("add"), "add");
  EXPECT_EQ(name("add"), "add_1");
  EXPECT_EQ(name("add"), "add_2");
  EXPECT_EQ(name("add_1"), "add_3");
  EXPECT_EQ(name("mul_5"), "mul_5");
  EXPECT_EQ(name("mul_5"), "mul_6");
  EXPECT_EQ(name("a.b-c"), "a_b_c");
  EXPECT_EQ(name("3d"), "_3d");
  EXPECT_EQ(name(""), "") << "an empty hint leaves a value unnamed";
  EXPECT_EQ(name("x"), "x_1") << "arguments take part";
}

TEST_F(GraphTest, OrderLabelsSurviveInsertionAtOnePlace) {
  Node* first = relu(x);
  Node* last = relu(x);
  Node* previous = first;
  for (int i = 0; i < 2000; ++i) {
    const auto scope = graph.insert_before(last);
    Node* node = relu(x);
    EXPECT_TRUE(previous->is_before(*node) && node->is_before(*last));
    previous = node;
  }
  for (int i = 0; i < 2000; ++i) {
    const auto scope = graph.insert_after(first);
    relu(x);
  }
  for (int i = 0; i < 2000; ++i) {
    const auto scope = graph.insert_before(graph.first());
    relu(x);
  }
  verify(graph, {.level = VerifyLevel::fast});
}

TEST_F(GraphTest, HundredThousandNodesAreQuick) {
  Value value = x;
  for (int i = 0; i < 100'000; ++i) {
    Node* node = relu(value);
    graph.set_name(node->output(), "relu");
    value = node->output();
  }
  graph.set_outputs({value});
  verify(graph);
  Node* middle = graph.find_node(50'000);
  graph.replace_uses(middle->output(), middle->input(0));
  graph.erase(middle);
  verify(graph, {.level = VerifyLevel::fast});
}

TEST_F(GraphTest, MovingKeepsIdentity) {
  Node* a = relu(x);
  Node* b = relu(x);
  Node* c = relu(x);
  graph.move_before(c, a);
  EXPECT_THAT(graph.in_order(), ElementsAre(c, a, b));
  EXPECT_TRUE(c->is_before(*a));
  graph.move_before(c, graph.return_node());
  EXPECT_THAT(graph.in_order(), ElementsAre(a, b, c));
  verify(graph);
}

TEST_F(GraphTest, ModulesFindGraphsByNameAndReference) {
  Graph& other = module.add_graph("main");
  EXPECT_EQ(other.name(), "main_1");
  EXPECT_EQ(module.find_graph("main_1"), &other);
  EXPECT_EQ(&module.graph({other.id()}), &other);
  module.erase_graph({other.id()});
  EXPECT_EQ(module.find_graph("main_1"), nullptr);
  EXPECT_THAT(module.graphs(), ElementsAre(&graph));
}

}  // namespace
}  // namespace litz::ir
