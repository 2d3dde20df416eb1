#include "ir/epoch_stamp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;
using Depends = EpochStamp::Depends;

class EpochStampTest : public ::testing::Test {
 protected:
  EpochStampTest() { graph.set_outputs({a->output()}); }

  // Whether the edit outdates what depends on structure, and what depends on types, too.
  template <typename Edit>
  std::pair<bool, bool> outdates(Edit edit) {
    const EpochStamp structure(graph, Depends::structure);
    const EpochStamp types(graph, Depends::structure_and_types);
    edit();
    return {!structure.is_current(), !types.is_current()};
  }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({2}));
  Node* a = graph.create("aten.relu", {x});
  Node* b = graph.create("aten.add.Tensor", {x, x});
};

TEST_F(EpochStampTest, TellsWhichEditsMatter) {
  constexpr std::pair kBoth{true, true};
  constexpr std::pair kTypes{false, true};
  constexpr std::pair kNeither{false, false};
  EXPECT_EQ(outdates([&] { graph.create("aten.relu", {x}); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.set_input(b, 0, a->output()); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.set_argument(b, "alpha", 2); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.replace_uses(a->output(), x); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.move_before(b, a); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.add_order_edge(b, a); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.set_outputs({x}); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.erase(b); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.add_input("y", f32({2})); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.erase_input(1); }), kBoth);
  EXPECT_EQ(outdates([&] { graph.set_type(a->output(), f32({3})); }), kTypes);
  EXPECT_EQ(outdates([&] { graph.set_type(x, f32({3})); }), kTypes);
  EXPECT_EQ(outdates([&] { graph.set_name(x, "z"); }), kNeither);
  EXPECT_EQ(outdates([&] { graph.set_annotations(a, {{"k", "v"}}); }), kNeither);
  EXPECT_EQ(outdates([&] { graph.set_location(a, {}); }), kNeither);
}

TEST_F(EpochStampTest, RollbackDoesNotReturnToAnOldEpoch) {
  graph.begin_transaction();
  graph.create("aten.relu", {x});
  const EpochStamp inside(graph, Depends::structure);
  graph.rollback_transaction();
  EXPECT_FALSE(inside.is_current());
}

TEST_F(EpochStampTest, NamesTheStaleAnalysis) {
  EpochStamp stamp(graph, Depends::structure);
  stamp.check_current("liveness");
  graph.erase(b);
  try {
    stamp.check_current("liveness");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("liveness of @main"));
  }
  stamp.renew();
  stamp.check_current("liveness");
}

}  // namespace
}  // namespace litz::ir
