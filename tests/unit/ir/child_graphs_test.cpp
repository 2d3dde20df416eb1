// Callers of shared graphs, copies for one call, and graphs that see only their arguments.

#include "ir/child_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph_data.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Both calls of @main name @body, and so does @other.
constexpr const char* kShared = R"(
graph @main(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = higher_order.call(@body, [%x]) : f32[2]
  %b = higher_order.call(@body, [%a]) : f32[2]
  return %a, %b
}

graph @other(%x: f32[2]) -> (f32[2]) {
  %c = higher_order.call(@body, [%x]) : f32[2]
  return %c
}

graph @body(%x: f32[2]) -> (f32[2]) {
  %y = aten.relu(%x)
  return %y
}
)";

TEST(Callers, AreTheNodesThatNameTheGraph) {
  const auto module = module_of(kShared);
  const Graph& main = graph_of(*module);
  const Graph& other = graph_of(*module, "other");
  EXPECT_THAT(callers(graph_of(*module, "body")),
              ElementsAre(main.first(), main.last(), other.first()));
  EXPECT_THAT(callers(main), IsEmpty());
}

TEST(Callers, ForgetErasedNodes) {
  const auto module = module_of(kShared);
  Graph& other = graph_of(*module, "other");
  Node* call = other.first();
  other.set_outputs({other.input(0)});
  other.erase(call);
  EXPECT_EQ(callers(graph_of(*module, "body")).size(), 2u);
}

TEST(ExclusiveChild, IsACopyWhileOthersNameTheGraph) {
  const auto module = module_of(kShared);
  Node* call = graph_of(*module).first();
  Graph& body = graph_of(*module, "body");
  const std::string before = to_string(body);

  Graph& own = exclusive_child(*call, "body");
  EXPECT_NE(&own, &body);
  EXPECT_THAT(callers(own), ElementsAre(call));
  EXPECT_EQ(callers(body).size(), 2u);

  const Node* relu = own.first();
  const auto scope = own.insert_after(own.first());
  own.replace_uses(relu->output(), own.create("aten.gelu", {relu->output()})->output());
  EXPECT_EQ(to_string(body), before);
  EXPECT_EQ(to_string(own, {.types = false}),
            "graph @body_1(%x: f32[2]) -> (f32[2]) {\n"
            "  %y = aten.relu(%x)\n"
            "  %0 = aten.gelu(%y)\n"
            "  return %0\n"
            "}\n");
  verify(*module);
}

TEST(ExclusiveChild, IsTheGraphItselfWhenNothingElseNamesIt) {
  const auto module = module_of(kShared);
  Node* call = graph_of(*module).first();
  Graph& own = exclusive_child(*call, "body");
  EXPECT_EQ(&exclusive_child(*call, "body"), &own);
  exclusive_child(*graph_of(*module).last(), "body");
  EXPECT_EQ(module->graphs().size(), 5u);
  // One caller is left.
  EXPECT_EQ(&exclusive_child(*graph_of(*module, "other").first(), "body"),
            &graph_of(*module, "body"));
}

TEST(ExclusiveChild, TellsArgumentsOfOneCallApart) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) {
  test.attributes(a=@body, b=@body)
  return
}

graph @body(%x: f32[2]) -> (f32[2]) {
  return %x
}
)");
  Node* node = graph_of(*module).first();
  Graph& own = exclusive_child(*node, "b");
  EXPECT_THAT(child_graphs(*node), ElementsAre(&graph_of(*module, "body"), &own));
  EXPECT_EQ(&exclusive_child(*node, "a"), &graph_of(*module, "body"));
}

TEST(ExclusiveChild, LeavesSharedWhatTheChildCalls) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@middle, [%x]) : f32[2]
  %b = higher_order.call(@middle, [%a]) : f32[2]
  return %b
}

graph @middle(%x: f32[2]) -> (f32[2]) {
  %y = higher_order.call(@inner, [%x]) : f32[2]
  return %y
}

graph @inner(%x: f32[2]) -> (f32[2]) {
  return %x
}
)");
  Graph& own = exclusive_child(*graph_of(*module).first(), "body");
  EXPECT_EQ(callers(graph_of(*module, "inner")).size(), 2u);
  EXPECT_NE(&exclusive_child(*own.first(), "body"), &graph_of(*module, "inner"));
}

TEST(ExclusiveChild, IsUndoneByARollback) {
  const auto module = module_of(kShared);
  Graph& main = graph_of(*module);
  const std::string before = to_string(main);
  main.begin_transaction();
  const Graph& own = exclusive_child(*main.first(), "body");
  main.rollback_transaction();
  EXPECT_EQ(to_string(main), before);
  EXPECT_THAT(callers(own), IsEmpty());
}

TEST(ExclusiveChild, MustBeNamed) {
  const auto module = module_of(kShared);
  EXPECT_THROW(exclusive_child(*graph_of(*module).first(), "operands"), InternalError);
}

TEST(Graphs, AreIsolatedInText) {
  const ParseResult result = parse_module(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@body, [%x]) : f32[2]
  return %a
}

graph @body(%z: f32[2]) -> (f32[2]) {
  %y = aten.relu(%x)
  return %y
}
)",
                                          tiny_ops());
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(result.errors[0].line, 8u);
  EXPECT_THAT(result.errors[0].message, HasSubstr("%x"));
}

TEST(Graphs, AreIsolatedInEditsAndWhenVerified) {
  const auto module = module_of(kShared);
  const Value outer = graph_of(*module).input(0);
  Graph& body = graph_of(*module, "body");
  EXPECT_THROW(body.create("aten.relu", {outer}), InternalError);
  EXPECT_THROW(body.set_input(body.first(), 0, outer), InternalError);
  EXPECT_THROW(body.set_outputs({outer}), InternalError);

  // Past the edit methods, as broken memory would.
  Use* use = body.input(0).data()->first_use;
  ValueData* saved = use->value;
  use->value = outer.data();
  EXPECT_FALSE(verification_errors(body, {.level = VerifyLevel::fast}).empty());
  use->value = saved;
  verify(*module);
}

}  // namespace
}  // namespace litz::ir
