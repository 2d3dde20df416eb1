#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class InsertionScope : public ::testing::Test {
 protected:
  Node* relu(Value value) { return graph.create("aten.relu", {value}); }

  Module module{tiny_ops()};
  Graph& graph = module.add_graph("main");
  Value x = graph.add_input("x", f32({2}));
};

TEST_F(InsertionScope, NewNodesTakeOverTheirOrigin) {
  Node* a = relu(x);
  graph.set_location(a, {"f.py", 3, "net.act", ""});
  graph.set_annotations(a, {{"mine", "1"}, {"seq_nr", "7"}});
  module.set_current_pass("fold");
  const auto scope = graph.insert_before(a);
  const Node* b = relu(x);
  EXPECT_TRUE(b->is_before(*a));
  EXPECT_EQ(b->location(), a->location());
  EXPECT_EQ(b->annotations(), a->annotations());
  ASSERT_EQ(b->provenance().size(), 1u);
  EXPECT_EQ(b->provenance()[0].pass, "fold");
  EXPECT_EQ(b->provenance()[0].action, "create");
  EXPECT_THAT(b->provenance()[0].sources, ElementsAre(a->id()));
}

TEST_F(InsertionScope, SeveralOriginsAreMerged) {
  Node* a = relu(x);
  Node* b = relu(x);
  graph.set_location(a, {"f.py", 3, "net.block.act", "trace"});
  graph.set_location(b, {"g.py", 9, "net.blocked", ""});
  graph.set_annotations(a, {{"mine", "1"}, {"seq_nr", "7"}});
  graph.set_annotations(b, {{"region", "r"}, {"seq_nr", "8"}});
  Node* const sources[] = {a, b};
  const auto scope = graph.insert_for(graph.return_node(), sources);
  const Node* c = relu(x);
  EXPECT_EQ(c->location(), (Location{"f.py", 3, "net", "trace"}));
  EXPECT_THAT(c->annotations(), ElementsAre(Pair("region", "r"), Pair("seq_nr", "7")));
  ASSERT_EQ(c->provenance().size(), 1u);
  EXPECT_EQ(c->provenance()[0].action, "replace");
  EXPECT_THAT(c->provenance()[0].sources, ElementsAre(a->id(), b->id()));
}

TEST_F(InsertionScope, ConflictingOriginsChangeNothing) {
  Node* a = relu(x);
  Node* b = relu(x);
  graph.set_annotations(a, {{"region", "1"}});
  graph.set_annotations(b, {{"region", "2"}});
  Node* const sources[] = {a, b};
  EXPECT_THROW(static_cast<void>(graph.insert_for(a, sources)), Error);
  const Node* c = relu(x);
  EXPECT_TRUE(b->is_before(*c)) << "the insertion point is the old one";
  EXPECT_TRUE(c->annotations().empty());
}

TEST_F(InsertionScope, HelpersWithoutOriginGetNothing) {
  Node* a = relu(x);
  graph.set_annotations(a, {{"seq_nr", "7"}});
  const auto outer = graph.insert_before(a);
  const auto scope = graph.insert_for(a, {});
  EXPECT_TRUE(relu(x)->annotations().empty());
}

TEST_F(InsertionScope, AnnotationScopesNest) {
  Node* source = relu(x);
  graph.set_annotations(source, {{"inner", "source"}, {"own", "source"}});
  const auto annotations = [&] { return relu(x)->annotations(); };
  {
    const auto outer = graph.annotate({{"inner", "1"}, {"outer", "1"}});
    EXPECT_THAT(annotations(), ElementsAre(Pair("inner", "1"), Pair("outer", "1")));
    try {
      const auto inner = graph.annotate({{"inner", "2"}});
      EXPECT_THAT(annotations(), ElementsAre(Pair("inner", "2"), Pair("outer", "1")));
      const auto at = graph.insert_before(source);
      EXPECT_THAT(annotations(),
                  ElementsAre(Pair("inner", "2"), Pair("outer", "1"), Pair("own", "source")));
      throw Error(ErrorCode::io, "leaves the scope");
    } catch (const Error&) {
    }
    EXPECT_THAT(annotations(), ElementsAre(Pair("inner", "1"), Pair("outer", "1")));
    const Node* copy = graph.clone(*source, [](Value value) { return value; });
    EXPECT_THAT(copy->annotations(),
                ElementsAre(Pair("inner", "1"), Pair("outer", "1"), Pair("own", "source")));
  }
  EXPECT_TRUE(annotations().empty());
}

}  // namespace
}  // namespace litz::ir
