#include "ir/alias_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;

// The value of that name.
Value value_of(const Graph& graph, std::string_view name) {
  for (const Value input : graph.inputs()) {
    if (input.name() == name) return input;
  }
  for (const Node* node : graph.in_order()) {
    for (const Value output : node->outputs()) {
      if (output.name() == name) return output;
    }
  }
  ADD_FAILURE() << "no value %" << name;
  return {};
}

std::vector<std::string> chain(const AliasClasses& aliases, Value value) {
  std::vector<std::string> names;
  for (const Node* node : aliases.view_chain(value)) names.emplace_back(node->op().name());
  return names;
}

TEST(AliasClasses, FollowViewsAndInPlaceOperators) {
  const auto module = module_of(R"(
graph @main(%x: f32[4, 6], %y: f32[4, 6], %n: int(3)) -> (f32[4, 6]) {
  %a = aten.relu(%x)
  %b = aten.permute(%a, dims=[1, 0])
  %c = aten.add_.Tensor(%b, 1)
  %d = aten.add.out(%x, %x, out=%y)
  return %a
})");
  const Graph& graph = graph_of(*module);
  const auto value = [&](std::string_view name) { return value_of(graph, name); };
  const AliasClasses aliases(graph);
  EXPECT_EQ(aliases.class_count(), 3u);
  EXPECT_TRUE(aliases.may_share(value("a"), value("c")));
  EXPECT_TRUE(aliases.may_share(value("d"), value("y")));
  EXPECT_FALSE(aliases.may_share(value("x"), value("a")));
  EXPECT_FALSE(aliases.may_share(value("x"), value("y")));
  EXPECT_EQ(aliases.base(value("c")), value("a"));
  EXPECT_EQ(aliases.viewed(value("c")), value("b"));
  EXPECT_FALSE(aliases.viewed(value("a")));
  EXPECT_THAT(chain(aliases, value("c")), ElementsAre("aten.permute", "aten.add_.Tensor"));
  EXPECT_THAT(aliases.members(aliases.class_of(value("a"))),
              ElementsAre(value("a"), value("b"), value("c")));
  EXPECT_EQ(aliases.class_of(value("n")), AliasClasses::kNone);
  EXPECT_FALSE(aliases.may_share(value("n"), value("n"))) << "scalars have no memory";
}

TEST(AliasClasses, EveryResultOfASplitViewsItsOperand) {
  const auto module = module_of(R"(
graph @main(%x: f32[4, 6]) {
  %a, %b = aten.split.Tensor(%x, 2)
  return
})");
  const Graph& graph = graph_of(*module);
  const AliasClasses aliases(graph);
  EXPECT_EQ(aliases.class_count(), 1u);
  EXPECT_EQ(aliases.base(value_of(graph, "b")), graph.input(0));
}

TEST(AliasClasses, AResultOfTwoOperandsJoinsTheirClasses) {
  const auto module = module_of(R"(
graph @main(%x: f32[2], %y: f32[2], %z: f32[2]) -> (f32[2]) {
  %a = test.either(%x, %y)
  return %a
})");
  const Graph& graph = graph_of(*module);
  const AliasClasses aliases(graph);
  EXPECT_EQ(aliases.class_count(), 2u);
  EXPECT_TRUE(aliases.may_share(graph.input(0), graph.input(1)));
  EXPECT_EQ(aliases.base(value_of(graph, "a")), graph.input(0)) << "the first operand";
}

TEST(AliasClasses, ConversionsShareOnlyWhereTheyReturnTheirOperand) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) {
  %same = aten.to.dtype(%x, dtype=f32)
  %converted = aten.to.dtype(%x, dtype=f64)
  return
})");
  const Graph& graph = graph_of(*module);
  const AliasClasses aliases(graph);
  EXPECT_TRUE(aliases.may_share(graph.input(0), value_of(graph, "same")));
  EXPECT_FALSE(aliases.may_share(graph.input(0), value_of(graph, "converted")));
  EXPECT_FALSE(aliases.viewed(value_of(graph, "converted")));
}

TEST(AliasClasses, OtherLayoutsAreCopies) {
  const auto module = module_of(R"(
graph @main(%x: f32[2, 3], %y: f32[1, 3]) {
  %t = aten.permute(%x, dims=[1, 0])
  %copied = aten.contiguous(%t) : f32[3, 2]
  %same = aten.contiguous(%x) : f32[2, 3]
  %row = aten.permute(%y, dims=[1, 0])
  %column = aten.contiguous(%row) : f32[3, 1]
  return
})");
  const Graph& graph = graph_of(*module);
  const AliasClasses aliases(graph);
  EXPECT_FALSE(aliases.may_share(graph.input(0), value_of(graph, "copied")));
  EXPECT_TRUE(aliases.may_share(graph.input(0), value_of(graph, "same")));
  EXPECT_TRUE(aliases.may_share(graph.input(1), value_of(graph, "column")))
      << "steps of single entries may differ";
}

TEST(AliasClasses, InputsShareMemoryWhenToldSo) {
  const auto module = module_of(R"(
graph @main(%x: f32[2], %y: f32[2], %z: f32[2]) {
  return
})");
  const Graph& graph = graph_of(*module);
  const std::vector<size_t> shared[] = {{0, 2}};
  const AliasClasses aliases(graph, shared);
  EXPECT_TRUE(aliases.may_share(graph.input(0), graph.input(2)));
  EXPECT_FALSE(aliases.may_share(graph.input(0), graph.input(1)));
}

TEST(AliasClasses, CallsShareWhatTheirBodiesReturn) {
  const auto module = module_of(R"(
graph @body(%p: f32[2], %q: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %v = aten.permute(%q, dims=[0])
  %n = aten.relu(%p)
  return %v, %n, %n
}
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2]) {
  %a, %b, %c = higher_order.call(@body, [%x, %y])
  %d, %e, %f = higher_order.call(@body, [%a, %a])
  return %d
})");
  const Graph& graph = graph_of(*module);
  const auto value = [&](std::string_view name) { return value_of(graph, name); };
  const AliasClasses aliases(graph);
  EXPECT_TRUE(aliases.may_share(value("a"), value("y")));
  EXPECT_FALSE(aliases.may_share(value("a"), value("x")));
  EXPECT_FALSE(aliases.may_share(value("b"), value("x")));
  EXPECT_TRUE(aliases.may_share(value("b"), value("c"))) << "the body returns one value twice";
  EXPECT_EQ(aliases.base(value("d")), value("y"));
  EXPECT_FALSE(aliases.may_share(value("e"), value("b"))) << "two calls make two values";
}

TEST(AliasClasses, NoticeThatTheGraphWasEdited) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  return %a
})");
  Graph& graph = graph_of(*module);
  AliasClasses aliases(graph);
  graph.set_name(graph.input(0), "renamed");
  graph.set_annotations(graph.first(), {{"region", "1"}});
  EXPECT_TRUE(aliases.is_current()) << "names and annotations do not matter";
  graph.erase_if_unused(graph.create("aten.relu", {graph.input(0)}));
  EXPECT_THROW(aliases.class_of(graph.input(0)), InternalError);
  aliases.renew();
  EXPECT_EQ(aliases.class_of(graph.input(0)), 0u);
}

// Sharing is transitive over views, and only views share in these graphs.
TEST(AliasClasses, AgreeWithWalkingUpTheViews) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Module module(tiny_ops());
    const Graph& graph = random_graph(module, seed, 60);
    const AliasClasses aliases(graph);
    const auto walk_up = [](Value value) {
      while (value.producer() != nullptr && has(value.producer()->op().traits, Trait::view)) {
        value = value.producer()->input(0);
      }
      return value;
    };
    std::vector<Value> values = graph.inputs();
    for (const Node* node : graph.in_order()) {
      for (const Value output : node->outputs()) {
        if (output.is_tensor()) values.push_back(output);
      }
    }
    for (const Value value : values) {
      ASSERT_EQ(aliases.base(value), walk_up(value)) << seed;
      for (const Value other : values) {
        ASSERT_EQ(aliases.may_share(value, other), walk_up(value) == walk_up(other)) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace litz::ir
