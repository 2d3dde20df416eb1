#include "graph_tools/replacement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/tiny_ops.h"
#include "ir/verifier.h"
#include "support/check.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string text(const Graph& graph) {
  return to_string(graph, {.locations = false, .annotations = false, .types = false});
}

class ReplacementTest : public ::testing::Test {
 protected:
  Node* relu(Value value) { return graph.create("aten.relu", {value}); }

  void add_three() {
    a = relu(x);
    between = graph.create("aten.gelu", {a->output()});
    b = relu(between->output());
    graph.set_name(a->output(), "a");
    graph.set_name(b->output(), "b");
    graph.set_outputs({a->output(), b->output(), between->output()});
  }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({4, 2}));
  Node* a = nullptr;
  Node* between = nullptr;
  Node* b = nullptr;
};

TEST_F(ReplacementTest, TwoByOneMovesReadersBehindTheNewNode) {
  a = relu(x);
  between = graph.create("aten.gelu", {a->output()});
  b = relu(x);
  graph.set_name(b->output(), "b");
  graph.set_outputs({a->output(), b->output(), between->output()});
  graph.set_annotations(a, {{"region", "1"}, {"seq_nr", "3"}});
  graph.set_annotations(b, {{"region", "1"}, {"seq_nr", "4"}});
  module.set_current_pass("bucket");
  Node* const sources[] = {b, a};
  const uint32_t ids[] = {a->id(), b->id()};
  Node* both = nullptr;
  {
    Replacement replacement(graph, sources);
    EXPECT_THAT(replacement.sources(), ElementsAre(a, b)) << "in graph order";
    const Value all = graph.create("aten.cat", {std::vector<Value>{x, x}})->output();
    both = graph.create("aten.split.Tensor", {all, 4});
    replacement.commit({both->output(0), both->output(1)}, TypeChange::layout);
  }
  verify(graph);
  EXPECT_EQ(text(graph),
            R"(graph @main(%x: f32[4, 2]) -> (f32[4, 2], f32[4, 2]+8, f32[4, 2]) {
  %0 = aten.cat([%x, %x])
  %1, %b = aten.split.Tensor(%0, split_size=4)
  %2 = aten.gelu(%1)
  return %1, %b, %2
}
)");
  EXPECT_THAT(both->annotations(), ElementsAre(Pair("region", "1"), Pair("seq_nr", "3")));
  ASSERT_FALSE(both->provenance().empty());
  const Provenance& step = both->provenance().back();
  EXPECT_EQ(step.pass, "bucket");
  EXPECT_EQ(step.action, "replace");
  EXPECT_THAT(step.sources, ElementsAre(ids[0], ids[1]));
}

TEST_F(ReplacementTest, AChainByOneNode) {
  a = relu(x);
  b = relu(a->output());
  graph.set_name(b->output(), "b");
  graph.set_outputs({b->output()});
  Node* const sources[] = {a, b};
  Replacement replacement(graph, sources);
  Node* once = relu(x);
  replacement.commit({Value(), once->output()});
  verify(graph);
  EXPECT_EQ(graph.node_count(), 1u);
  EXPECT_EQ(once->output().name(), "b");
}

TEST_F(ReplacementTest, RefusesOtherTypesUnlessPermitted) {
  a = relu(x);
  graph.set_outputs({a->output()});
  Replacement replacement(graph, {&a, 1});
  const Value turned = graph.create("aten.permute", {x, Scalars{1, 0}})->output();
  try {
    replacement.commit({turned});
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("permit the change of sizes"));
  }
  EXPECT_FALSE(a->is_erased());
  replacement.commit({turned}, TypeChange::sizes);
  EXPECT_TRUE(a->is_erased());
}

TEST_F(ReplacementTest, TellsWhichFieldChanges) {
  const ValueType type = f32({4, 1});
  EXPECT_EQ(forbidden_change(type, type, TypeChange::none), "");
  TensorType other = std::get<TensorType>(type);
  other.strides[1] = 17;
  EXPECT_EQ(forbidden_change(type, other, TypeChange::none), "") << "a dimension of one element";
  other.strides[0] = 17;
  EXPECT_EQ(forbidden_change(type, other, TypeChange::none), "layout");
  EXPECT_EQ(forbidden_change(type, other, TypeChange::layout), "");
  other.dtype = DType::f64;
  EXPECT_EQ(forbidden_change(type, other, TypeChange::layout), "dtype");
  EXPECT_EQ(forbidden_change(type, NoneType{}, TypeChange::layout), "kind");
  EXPECT_EQ(forbidden_change(type, NoneType{}, TypeChange::any), "");
}

TEST_F(ReplacementTest, RefusesWhatWouldCloseACycle) {
  a = relu(x);
  graph.set_outputs({a->output()});
  const std::string before = text(graph);
  {
    Replacement replacement(graph, {&a, 1});
    const Value wrapped = relu(a->output())->output();
    EXPECT_THROW(replacement.commit({wrapped}), InternalError);
    const Value twice = relu(wrapped)->output();
    EXPECT_THROW(replacement.commit({twice}), InternalError);
    EXPECT_THROW(replacement.commit({a->output()}), InternalError);
    EXPECT_THROW(replacement.commit({}), InternalError);
    graph.erase(twice.producer());
    graph.erase(wrapped.producer());
    EXPECT_THROW(replacement.commit({Value()}), InternalError) << "the result is read";
  }
  EXPECT_EQ(text(graph), before);
}

TEST_F(ReplacementTest, UndoesWithItsTransaction) {
  add_three();
  const std::string before = to_string(graph);
  graph.begin_transaction();
  {
    Replacement replacement(graph, {&a, 1});
    replacement.commit({graph.create("aten.gelu", {x})->output()});
  }
  EXPECT_NE(to_string(graph), before);
  graph.rollback_transaction();
  EXPECT_EQ(to_string(graph), before);
  verify(graph);
}

}  // namespace
}  // namespace litz::ir
