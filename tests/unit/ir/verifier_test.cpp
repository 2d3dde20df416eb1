#include "ir/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph_data.h"
#include "random_graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

class VerifierTest : public ::testing::Test {
 protected:
  std::string first_error(VerifyLevel level = VerifyLevel::full) {
    const auto errors = verification_errors(graph, {.level = level});
    return errors.empty() ? "" : errors.front();
  }

  Node* relu(Value value) { return graph.create("aten.relu", {value}); }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({2, 3}));
};

TEST_F(VerifierTest, FindsUseBeforeDefinition) {
  Node* a = relu(x);
  Node* b = relu(a->output());
  graph.set_location(b, {"f.py", 4, "", ""});
  module.set_current_pass("mover");
  graph.move_before(b, a);
  const std::string error = first_error(VerifyLevel::fast);
  EXPECT_THAT(error, HasSubstr("used before it has been defined"));
  EXPECT_THAT(error, HasSubstr("%0 = aten.relu(%1)"));
  EXPECT_THAT(error, HasSubstr("(f.py:4)"));
  EXPECT_THAT(error, HasSubstr("last touched by mover"));
  EXPECT_THROW(verify(graph), InternalError);
}

TEST_F(VerifierTest, FindsTypesThatInferenceContradicts) {
  Node* a = relu(x);
  graph.set_type(a->output(), f32({3, 2}));
  EXPECT_EQ(first_error(VerifyLevel::fast), "");
  EXPECT_THAT(first_error(), HasSubstr("result 0 is f32[2, 3], not f32[3, 2]"));
  EXPECT_TRUE(verification_errors(graph, {.infer_types = false}).empty());
}

TEST_F(VerifierTest, FindsBrokenUseLists) {
  Node* a = relu(x);
  Use* use = x.data()->first_use;
  x.data()->first_use = nullptr;
  EXPECT_THAT(first_error(VerifyLevel::fast), HasSubstr("use list"));
  x.data()->first_use = use;
  EXPECT_EQ(first_error(), "");
  ValueData* saved = use->value;
  use->value = a->output().data();
  EXPECT_THAT(first_error(VerifyLevel::fast), HasSubstr("mirrors"));
  use->value = saved;
}

TEST_F(VerifierTest, FindsOrderEdgesThatLeadBack) {
  Node* a = relu(x);
  Node* b = relu(x);
  graph.add_order_edge(b, a);
  EXPECT_THAT(first_error(), HasSubstr("ordering edge must lead forward"));
}

TEST_F(VerifierTest, FindsOrderEdgesThatCloseCycles) {
  Node* a = relu(x);
  Node* b = relu(a->output());
  Node* c = relu(x);
  graph.add_order_edge(b, c);
  EXPECT_EQ(first_error(), "");
  graph.add_order_edge(c, a);
  EXPECT_THAT(first_error(), HasSubstr("must not close a cycle with the operands"));
  EXPECT_THAT(first_error(), HasSubstr("from %2 = aten.relu(%x)"));
}

TEST_F(VerifierTest, FindsViewsOnAnotherDevice) {
  Node* view = graph.create("aten.permute", {x, Scalars{1, 0}});
  TensorType moved = view->output().tensor();
  moved.device = {DeviceKind::cuda, 0};
  graph.set_type(view->output(), moved);
  const auto errors = verification_errors(graph, {.infer_types = false});
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0], HasSubstr("on the device of what it views"));
}

TEST_F(VerifierTest, FindsReadsOfAbsentResults) {
  Node* node = graph.create_typed(*module.ops().find("aten.std_mean"), {x}, {NoneType{}, f32({})});
  relu(node->output(1));
  EXPECT_EQ(first_error(VerifyLevel::fast), "");
  graph.create_typed(*module.ops().find("aten.add.Tensor"), {x, 1}, {f32({2, 3})});
  graph.set_outputs({node->output(0)});
  EXPECT_THAT(first_error(VerifyLevel::fast), HasSubstr("without a value"));
}

TEST_F(VerifierTest, FindsDanglingAndRecursiveChildGraphs) {
  Graph& child = module.add_graph("child");
  const Value y = child.add_input("y", f32({2, 3}));
  child.set_outputs({y});
  graph.create("higher_order.call", {GraphRef{child.id()}, std::vector<Value>{x}});
  EXPECT_TRUE(verification_errors(module).empty());
  child.create_typed(*module.ops().find("higher_order.call"),
                     {GraphRef{graph.id()}, std::vector<Value>{y}}, {f32({2, 3})});
  EXPECT_THAT(verification_errors(module).front(), HasSubstr("must not call itself"));
  module.erase_graph({child.id()});
  EXPECT_THAT(verification_errors(module).front(), HasSubstr("child graph must exist"));
}

TEST_F(VerifierTest, AcceptsRecordedDataDependentSymbols) {
  Node* a = graph.create("aten.nonzero", {x});
  Node* b = graph.create("aten.item", {a->output()});
  EXPECT_EQ(first_error(), "");
  graph.set_type(b->output(), ScalarType{ExprDomain::integer, 3});
  EXPECT_THAT(first_error(), HasSubstr("must define a symbol"));
}

TEST(Verifier, HoldsAfterEveryRandomEdit) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Module module(tiny_ops());
    Graph& graph = random_graph(module, seed, 20);
    std::mt19937 random(seed + 1000);
    for (int i = 0; i < 80; ++i) {
      const bool transaction = random() % 4 == 0;
      if (transaction) graph.begin_transaction();
      random_edit(graph, random);
      verify(graph);
      if (transaction) {
        random() % 2 == 0 ? graph.commit_transaction() : graph.rollback_transaction();
        verify(graph);
      }
      if (random() % 16 == 0) graph.collect_erased();
    }
  }
}

}  // namespace
}  // namespace litz::ir
