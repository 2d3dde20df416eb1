#include "ir/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Effects, NameTheirResource) {
  const auto module = module_of(R"(
graph @main(%x: f32[2], %y: f32[2]) {
  %a = aten.add_.Tensor(%x, %y)
  %b = aten.rand(size=[2])
  %c = c10d.all_reduce(%x)
  %d = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %e = _c10d_functional.wait_tensor(%d)
  %f = test.consume(%y)
  return
})");
  const std::vector<Node*> nodes = graph_of(*module).in_order();
  const Effect reads{EffectKind::read, 0};
  EXPECT_THAT(effects(*nodes[0]),
              ElementsAre(reads, Effect{EffectKind::write, 0}, Effect{EffectKind::read, 1}));
  EXPECT_TRUE(effects(*nodes[1]).empty()) << "a draw follows from its stream, in any order";
  EXPECT_THAT(effects(*nodes[2]),
              ElementsAre(reads, Effect{EffectKind::order, -1, Resource::host}));
  const Effect communicates{EffectKind::order, -1, Resource::communicator};
  EXPECT_THAT(effects(*nodes[3]), ElementsAre(reads, communicates));
  EXPECT_THAT(effects(*nodes[4]), ElementsAre(reads, communicates));
  EXPECT_THAT(effects(*nodes[5]), ElementsAre(reads, Effect{EffectKind::free, 0}));
  EXPECT_FALSE(has_effects(*nodes[1])) << "an unused draw may go";
  for (const size_t i : {0, 2, 3, 4, 5}) EXPECT_TRUE(has_effects(*nodes[i])) << i;
}

TEST(Effects, NameAliasClasses) {
  const auto module = module_of(R"(
graph @main(%x: f32[2], %y: f32[2]) {
  %v = aten.permute(%x, dims=[0])
  %a = aten.add_.Tensor(%v, %y)
  %b = aten.cat([%x, %v, %y, %x])
  return
})");
  const Graph& graph = graph_of(*module);
  const AliasClasses aliases(graph);
  const std::vector<Node*> nodes = graph.in_order();
  const MemoryEffect reads_x{EffectKind::read, Resource::value, 0};
  const MemoryEffect reads_y{EffectKind::read, Resource::value, 1};
  EXPECT_THAT(effects(*nodes[1], aliases),
              ElementsAre(reads_x, MemoryEffect{EffectKind::write, Resource::value, 0}, reads_y));
  EXPECT_THAT(effects(*nodes[2], aliases), ElementsAre(reads_x, reads_y)) << "each class once";
}

TEST(Effects, WritesInsideOfABodyStayInside) {
  const auto module = module_of(R"(
graph @local(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  %v = aten.permute(%a, dims=[0])
  %b = aten.add_.Tensor(%v, 1)
  return %a
}
graph @writes(%x: f32[2]) -> (f32[2]) {
  %v = aten.permute(%x, dims=[0])
  %b = aten.add_.Tensor(%v, 1)
  return %b
}
graph @outer(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x)
  %b = higher_order.call(@writes, [%a])
  return %b
}
graph @main(%x: f32[2]) {
  %a = higher_order.call(@local, [%x])
  %b = higher_order.call(@writes, [%x])
  %c = higher_order.call(@outer, [%x])
  return
})");
  const std::vector<Node*> nodes = graph_of(*module).in_order();
  const Effect reads{EffectKind::read, 1};
  EXPECT_THAT(effects(*nodes[0]), ElementsAre(reads));
  EXPECT_THAT(effects(*nodes[1]), ElementsAre(reads, Effect{EffectKind::write, 1}));
  EXPECT_THAT(effects(*nodes[2]), ElementsAre(reads)) << "what it passes on was made inside";
  EXPECT_FALSE(has_effects(graph_of(*module, "local")));
  EXPECT_TRUE(has_effects(graph_of(*module, "writes")));
  EXPECT_FALSE(has_effects(*nodes[2]));
}

}  // namespace
}  // namespace litz::ir
