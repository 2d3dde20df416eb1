#include "ir/dependences.h"

#include <gtest/gtest.h>

#include "tiny_ops.h"

namespace litz::ir {
namespace {

// Pairs as "a>w w>b", with nodes by the name of their first result.
std::string pairs_of(std::string_view text) {
  const auto module = module_of(text);
  std::string pairs;
  const auto spell = [](const Node* node) {
    return node->output_count() > 0 ? node->output().name() : std::string("_");
  };
  for (const auto& [first, second] : hidden_dependences(graph_of(*module))) {
    pairs += (pairs.empty() ? "" : " ") + spell(first) + ">" + spell(second);
  }
  return pairs;
}

TEST(Dependences, OperandsAloneHideNothing) {
  EXPECT_EQ(pairs_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  %b = aten.add.Tensor(%a, %x)
  return %b
})"),
            "");
}

TEST(Dependences, WritesStayBetweenReads) {
  EXPECT_EQ(pairs_of(R"(
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %t = aten.clone(%x)
  %a = aten.relu(%t)
  %v = aten.permute(%t, dims=[0])
  %w = aten.add_.Tensor(%v, %y)
  %b = aten.relu(%t)
  %o = aten.relu(%y)
  return %a, %b, %o
})"),
            "a>w w>b");
}

TEST(Dependences, ViewsReadNothing) {
  EXPECT_EQ(pairs_of(R"(
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2]) {
  %t = aten.clone(%x)
  %before = aten.permute(%t, dims=[0])
  %w = aten.add_.Tensor(%t, %y)
  %after = aten.permute(%t, dims=[0])
  %r = aten.relu(%before)
  return %r, %after
})"),
            "w>r");
}

TEST(Dependences, CollectivesAndAssertionsKeepTheirOrder) {
  EXPECT_EQ(pairs_of(R"(
graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2]) {
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="0")
  %b = _c10d_functional.all_reduce(%y, reduce_op="sum", group_name="0")
  %c = _c10d_functional.wait_tensor(%a)
  %d = _c10d_functional.wait_tensor(%b)
  return %c, %d
})")
                .substr(0, 3),
            "a>b");
}

TEST(Dependences, SymbolsComeBeforeWhoMentionsThem) {
  EXPECT_EQ(pairs_of(R"(
sym u0 in [0, 64]

graph @main(%x: f32[8]) -> (f32[u0], f32[u0]) {
  %n = aten.nonzero(%x) : i64[u0, 1]
  %r = aten.rand(size=[u0]) : f32[u0]
  %c = higher_order.call(@body, []) : f32[u0]
  return %r, %c
}
graph @body() -> (f32[u0]) {
  %r = aten.rand(size=[u0]) : f32[u0]
  return %r
})"),
            "n>r n>c");
}

TEST(Dependences, OrderingEdgesAreAmongThem) {
  EXPECT_EQ(pairs_of(R"(
graph @main(%x: f32[8]) -> (f32[8], f32[8]) {
  %a = aten.relu(%x)
  %b = aten.relu(%x) after(%a)
  return %a, %b
})"),
            "a>b");
}

}  // namespace
}  // namespace litz::ir
