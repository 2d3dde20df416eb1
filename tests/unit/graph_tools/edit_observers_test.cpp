#include "graph_tools/edit_observers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/tiny_ops.h"
#include "ir/verifier.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;

class EditObservers : public ::testing::Test {
 protected:
  Node* relu(Value value) { return graph.create("aten.relu", {value}); }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({2}));
};

TEST_F(EditObservers, RecordNodesAndCounts) {
  Node* before = relu(x);
  Node* reader = relu(before->output());
  graph.set_outputs({reader->output()});
  EditRecorder recorder;
  {
    const ObserverScope scope(graph, recorder);
    Node* after = graph.create("aten.gelu", {x});
    graph.replace_uses(before->output(), after->output());
    graph.erase(before);
    EXPECT_THAT(recorder.created_ids(), ElementsAre(after->id()));
    EXPECT_THAT(recorder.erased_ids(), ElementsAre(before->id()));
    EXPECT_EQ(recorder.counts().replaced, 1u);
    EXPECT_EQ(recorder.counts().changed, 1u);
  }
  relu(x);
  EXPECT_EQ(recorder.counts().created, 1u) << "observers are gone with their scope";
}

TEST_F(EditObservers, LimitStopsAtAnEditAndRollbackRestores) {
  relu(x);
  const std::string text = to_string(graph);
  EditLimit limit(3);
  const ObserverScope scope(graph, limit);
  graph.begin_transaction();
  int done = 0;
  try {
    for (; done < 10; ++done) relu(x);
  } catch (const EditLimitReached&) {
  }
  EXPECT_EQ(done, 3);
  verify(graph);
  graph.rollback_transaction();
  EXPECT_EQ(to_string(graph), text);
}

TEST_F(EditObservers, EveryEditIsCounted) {
  const uint64_t start = graph.edit_count();
  Node* a = relu(x);
  graph.set_name(a->output(), "a");
  graph.set_input(a, 0, x);
  graph.erase(a);
  EXPECT_EQ(graph.edit_count(), start + 4);
}

}  // namespace
}  // namespace litz::ir
