#include "runtime/plain_graph.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

/// A device with one kernel of two phases and no conditional nodes.
class Owner final : public GraphOwner {
 public:
  void count_call() override { ++calls; }

  std::string_view kernel_name(KernelId /*kernel*/) const override { return "k"; }

  size_t phase_count(KernelId /*kernel*/) const override { return 2; }

  int most_bodies() const override { return 0; }

  bool is_audited(const void* address) const override { return address == this; }

  int calls = 0;
};

TEST(PlainGraph, NodesAreKeptAsGiven) {
  Owner owner;
  PlainGraphBuilder builder(owner);
  const NodeId first = builder.fill({}, {0, 8}, 7, 16);
  const NodeId second = builder.copy({&first, 1}, {1, 0}, {0, 8}, 16);
  builder.label(second, "copies");
  const PlainGraph& graph = graph_of(builder, owner);
  ASSERT_EQ(graph.bodies[0].size(), 2U);
  EXPECT_EQ(graph.bodies[0][0].word, 7U);
  EXPECT_EQ(graph.bodies[0][1].dependencies, std::vector<int32_t>{0});
  EXPECT_EQ(graph.bodies[0][1].label, "copies");
  EXPECT_EQ(owner.calls, 2);
  EXPECT_NO_THROW(require_bound(graph, 2));
  EXPECT_THROW(require_bound(graph, 1), Error);
  Owner other;
  EXPECT_THROW(graph_of(builder, other), Error);
}

TEST(PlainGraph, WrongNodesAreRefused) {
  Owner owner;
  PlainGraphBuilder builder(owner);
  const int64_t extent = 1;
  EXPECT_THROW(builder.kernel({}, {KernelId{0}, {}, {}, {&extent, 1}, {}}), Error);
  const NodeId later{0, 3};
  EXPECT_THROW(builder.fill({&later, 1}, {0, 0}, 0, 4), Error);
  EXPECT_THROW(builder.conditional({}, ConditionKind::if_else, {0, 0}, 1), Error);
  EXPECT_THROW(builder.call({}, {}), Error);
  EXPECT_THROW(builder.fill({}, Ref::fixed(&owner), 0, 4), Error);
}

TEST(PlainGraph, PatchesNameWhatExists) {
  Owner owner;
  PlainGraphBuilder builder(owner);
  const NodeId fill = builder.fill({}, {0, 0}, 0, 4);
  const auto is_valid = [&](const Patch& patch) {
    try {
      require_valid({&patch, 1}, builder.graph(), 1);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(is_valid(SetOffset{fill, 0, 8}));
  EXPECT_TRUE(is_valid(BindBuffer{0, {}}));
  EXPECT_TRUE(is_valid(EnableNode{fill, false}));
  EXPECT_FALSE(is_valid(SetOffset{fill, 1, 8}));
  EXPECT_FALSE(is_valid(BindBuffer{1, {}}));
  EXPECT_FALSE(is_valid(SetScalar{fill, 0, 1}));
  EXPECT_FALSE(is_valid(SetExtent{fill, 0, 1}));
  EXPECT_FALSE(is_valid(EnableNode{{0, 1}, false}));
}

}  // namespace
}  // namespace litz::runtime
