#include "passes/partition/fuse_partitions.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::unique_ptr<ir::Module> parse(std::string_view text) {
  return ir::read_module(text, ops::standard_ops());
}

ir::Graph& main_of(const ir::Module& module) { return *module.find_graph("main"); }

// "d a|b": two sets, as given.
std::vector<Partition> sets_of(ir::Graph& graph, const std::string& text) {
  std::vector<Partition> sets(1);
  std::string name;
  const auto add = [&] {
    if (name.empty()) return;
    for (ir::Node* node : graph.in_order()) {
      if (node->output_count() > 0 && node->output().name() == name)
        sets.back().nodes.push_back(node);
    }
    name.clear();
  };
  for (const char c : text) {
    if (c != ' ' && c != '|') {
      name += c;
      continue;
    }
    add();
    if (c == '|') sets.emplace_back();
  }
  add();
  return sets;
}

std::string error_of(const char* text, const std::string& sets) {
  const auto module = parse(text);
  ir::Graph& graph = main_of(*module);
  const std::string before = ir::to_string(*module);
  std::string message;
  try {
    fuse_partitions(graph, sets_of(graph, sets));
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(ir::to_string(*module), before) << "a refused graph stays as it is";
  return message;
}

// Two linear layers, a parameter, seven additions and a relu.
constexpr const char* kModule = R"(
graph @main(%x: f32[4, 4], %w: f32[4, 4], %p: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %linear = aten.linear(%x, %w) : f32[4, 4] loc("net.py":3, "fc") #{recompute = "must_save"}
  %add = aten.add.Tensor(%linear, %p) : f32[4, 4]
  %add_1 = aten.add.Tensor(%add, %p) : f32[4, 4]
  %add_2 = aten.add.Tensor(%add_1, %p) : f32[4, 4]
  %add_3 = aten.add.Tensor(%add_1, %linear) : f32[4, 4]
  %add_4 = aten.add.Tensor(%add_2, %add_3) : f32[4, 4]
  %linear_2 = aten.linear(%add_4, %w) : f32[4, 4]
  %add_5 = aten.add.Tensor(%linear_2, %add_4) : f32[4, 4]
  %relu = aten.relu(%add_5) : f32[4, 4]
  %add_6 = aten.add.Tensor(%add_5, %relu) : f32[4, 4]
  return %add_4, %add_6
})";

class FuseAndInline : public ::testing::TestWithParam<const char*> {};

TEST_P(FuseAndInline, GivesTheGraphThatWas) {
  const auto module = parse(kModule);
  ir::Graph& graph = main_of(*module);
  const size_t sets = static_cast<size_t>(std::ranges::count(std::string(GetParam()), '|')) + 1;
  const std::vector<SplitPart> parts = fuse_partitions(graph, sets_of(graph, GetParam()));
  EXPECT_EQ(parts.size(), sets);
  ir::verify(*module);
  inline_partitions(graph, parts);
  ir::verify(*module);
  EXPECT_EQ(module->graphs().size(), 1u) << "child graphs that nobody calls go";
  // A horizontal set may move what is not ordered; sorting by name makes graphs comparable.
  const auto other = parse(kModule);
  const auto sorted_lines = [](const ir::Module& of) {
    const std::string text = ir::to_string(of);
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    std::ranges::sort(lines);
    return lines;
  };
  EXPECT_EQ(sorted_lines(*module), sorted_lines(*other));
}

INSTANTIATE_TEST_SUITE_P(Sets, FuseAndInline,
                         ::testing::Values("add add_1|add_5 add_6 relu", "add add_1 add_2",
                                           "add_2 add_3", "add_3 add_4", "add_6 relu add_5",
                                           "add_4 add_1 add_3 add_2",
                                           "add_5 relu add_6|add_1 add_2 add_3 add_4",
                                           "add_5 linear_2", "add_6 relu", "linear add_1 add",
                                           "linear add add_1 add_2 add_3 add_4 linear_2 add_5 relu "
                                           "add_6"));

TEST(FusePartitions, CallsTakeTheNamesAndChildrenTheRest) {
  const auto module = parse(kModule);
  ir::Graph& graph = main_of(*module);
  const std::vector<SplitPart> parts =
      fuse_partitions(graph, sets_of(graph, "relu add_6|add linear"));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "1") << "in order of the calls";
  EXPECT_THAT(parts[0].nodes, ElementsAre("linear", "add"));
  EXPECT_THAT(ir::to_string(*parts[0].graph),
              AllOf(HasSubstr("graph @main.fused_1(%x: f32[4, 4], %w: f32[4, 4], %p: f32[4, 4])"),
                    HasSubstr("loc(\"net.py\":3, \"fc\")"), HasSubstr("recompute = \"must_save\""),
                    HasSubstr("return %linear, %add\n")))
      << "a value that is read inside and outside is one result";
  EXPECT_EQ(parts[1].call->output().name(), "add_6");
}

TEST(FusePartitions, ShuffledListsGiveTheSameGraph) {
  const auto first = parse(kModule);
  fuse_partitions(main_of(*first), sets_of(main_of(*first), "add add_1|add_5 relu add_6"));
  const auto second = parse(kModule);
  fuse_partitions(main_of(*second), sets_of(main_of(*second), "add_6 add_5 relu|add_1 add"));
  EXPECT_TRUE(ir::structurally_equal(main_of(*first), main_of(*second)));
}

TEST(FusePartitions, ArgumentsStandAsInTheOuterGraph) {
  const char* text = R"(
graph @main(%x: f32[4], %y: f32[4]) -> (f32[4]) {
  %a = aten.exp(%x) : f32[4]
  %b = aten.exp(%y) : f32[4]
  %c = aten.sub.Tensor(%b, %a) : f32[4]
  %d = aten.sub.Tensor(%c, %y) : f32[4]
  return %d
})";
  const auto operands = [&](BoundaryOrder order) {
    const auto module = parse(text);
    const auto parts =
        fuse_partitions(main_of(*module), sets_of(main_of(*module), "d c"), {.boundary = order});
    std::vector<std::string> names;
    for (const ir::Value value : parts[0].graph->inputs()) names.push_back(value.name());
    return names;
  };
  EXPECT_THAT(operands(BoundaryOrder::place), ElementsAre("y", "a", "b"));
  EXPECT_THAT(operands(BoundaryOrder::first_use), ElementsAre("b", "a", "y"));
}

TEST(FusePartitions, NamesAreMadeUnique) {
  const auto module = parse(std::string(kModule) + R"(
graph @main.fused_0(%x: f32[4]) -> (f32[4]) {
  return %x
})");
  const auto parts = fuse_partitions(main_of(*module), sets_of(main_of(*module), "add add_1"));
  EXPECT_EQ(parts[0].graph->name(), "main.fused_0_1");
}

TEST(FusePartitions, SharedMembersAreRefused) {
  EXPECT_THAT(error_of(kModule, "add add_1|add_1 add_2"),
              AllOf(HasSubstr("a node must be in one partition only"), HasSubstr("%add_1 =")));
}

TEST(FusePartitions, SetsThatReachThemselvesAreRefusedWithThePath) {
  EXPECT_THAT(error_of(kModule, "add add_1 add_4"),
              AllOf(HasSubstr("invalid partition, found dependency cycles"),
                    HasSubstr("%add_1 = aten.add.Tensor -> %add_2 = aten.add.Tensor -> "
                              "%add_4 = aten.add.Tensor")));
  EXPECT_THAT(error_of(kModule, "add_4 add_5"), HasSubstr("-> %linear_2 = aten.linear ->"));
  EXPECT_THAT(error_of(kModule, "add_4 relu"), HasSubstr("-> %add_5 = aten.add.Tensor ->"));
  const auto module = parse(kModule);
  ir::Graph& graph = main_of(*module);
  EXPECT_EQ(dependence_circle(graph, sets_of(graph, "add add_1|add_4 linear_2")), "");
}

constexpr const char* kTwoRegions = R"(
graph @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {
  %a1 = aten.relu(%x) : f32[4]
  %b1 = aten.exp(%a1) : f32[4]
  %b2 = aten.exp(%y) : f32[4]
  %a2 = aten.relu(%b2) : f32[4]
  return %b1, %a2
})";

TEST(FusePartitions, SetsThatNeedEachOtherAreRefused) {
  EXPECT_THAT(error_of(kTwoRegions, "a1 a2|b1 b2"),
              AllOf(HasSubstr("%a1 = aten.relu -> %b1 = aten.exp"),
                    HasSubstr("%b2 = aten.exp -> %a2 = aten.relu")));
}

// What was a good set is none any more once its ends are taken off by hand; as a kind it is split.
TEST(FusePartitions, SetsGivenByHandAreSplitWhereTheyMustBe) {
  const auto module = parse(kModule);
  ir::Graph& graph = main_of(*module);
  const std::vector<Partition> given = sets_of(graph, "add add_1 add_4 add_5");
  EXPECT_THAT(dependence_circle(graph, given), HasSubstr("-> %add_2"));
  const Proposal proposal =
      propose_partitions_by_kind(graph,
                                 [&](const ir::Node& node) -> KindOrRefusal {
                                   if (std::ranges::count(given[0].nodes, &node) > 0)
                                     return {"given", {}};
                                   return {std::nullopt, "it was taken out"};
                                 },
                                 {.single_nodes = true});
  EXPECT_EQ(proposal.partitions.size(), 3u);
  EXPECT_EQ(dependence_circle(graph, proposal.partitions), "");
  fuse_partitions(graph, proposal.partitions);
  ir::verify(*module);
}

TEST(FusePartitions, SetsWithoutResults) {
  const char* text = R"(
graph @main(%x: f32[4], %y: f32[4]) -> (f32[4]) {
  %fill = aten.fill_.Scalar(%x, 1.0) : f32[4]
  %dead = aten.relu(%y) : f32[4]
  %r = aten.exp(%y) : f32[4]
  return %r
})";
  const auto module = parse(text);
  const auto parts = fuse_partitions(main_of(*module), sets_of(main_of(*module), "fill"));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].call->output_count(), 0u);
  ir::verify(*module);
  EXPECT_THAT(error_of(text, "dead"), HasSubstr("results that are read, or effects"));
  EXPECT_THAT(error_of(text, "dead|"), HasSubstr("a partition must have nodes"));
}

TEST(FusePartitions, NumbersThatDependOnDataLeaveTheirSet) {
  const auto module = parse(R"(
sym u0 data_dependent
graph @main(%x: i64[4]) -> (i64[4]) {
  %s = aten.sum(%x) : i64[]
  %i = aten._local_scalar_dense(%s) : int(u0)
  %m = aten.mul.Tensor(%x, u0) : i64[4]
  return %m
})");
  const auto parts = fuse_partitions(main_of(*module), sets_of(main_of(*module), "s i"));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].call->output_count(), 1u) << "nobody reads %i, but %m mentions its number";
  ir::verify(*module);
}

TEST(FusePartitions, UnrelatedNodesKeepTheirOrder) {
  const auto module = parse(R"(
graph @main(%x: f32[4], %y: f32[4]) -> (f32[4]) {
  %p = aten.exp(%y) : f32[4]
  %a = aten.relu(%x) : f32[4]
  %q = aten.sin(%y) : f32[4]
  %r = aten.cos(%y) : f32[4]
  %b = aten.add.Tensor(%a, %p) : f32[4]
  %s = aten.tan(%b) : f32[4]
  %t = aten.add.Tensor(%q, %r) : f32[4]
  %u = aten.add.Tensor(%s, %t) : f32[4]
  return %u
})");
  ir::Graph& graph = main_of(*module);
  std::vector<const ir::Node*> before;
  for (const ir::Node* node : graph.in_order()) {
    if (node->output().name() != "a" && node->output().name() != "b") before.push_back(node);
  }
  fuse_partitions(graph, sets_of(graph, "a b"));
  std::vector<const ir::Node*> after;
  for (const ir::Node* node : graph.in_order()) {
    if (!node->is("higher_order.invoke_subgraph")) after.push_back(node);
  }
  EXPECT_EQ(before, after) << "the same nodes, not copies";
}

TEST(FusePartitions, WritesAreSeenWhereTheyWere) {
  const char* text = R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %t = aten.clone(%x) : f32[4]
  %s1 = aten.relu(%t) : f32[4]
  %u = aten.exp(%t) : f32[4]
  %s2 = aten.add_.Tensor(%t, 1) : f32[4]
  return %s1, %u, %s2
})";
  const auto module = parse(text);
  ir::Graph& graph = main_of(*module);
  fuse_partitions(graph, sets_of(graph, "s1 s2"));
  ir::verify(*module);
  const std::string fused = ir::to_string(graph);
  EXPECT_LT(fused.find("%u ="), fused.find("@main.fused_0"))
      << "%u reads what the set writes later";
  EXPECT_THAT(error_of(R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %t = aten.clone(%x) : f32[4]
  %s1 = aten.add_.Tensor(%t, 1) : f32[4]
  %u = aten.exp(%t) : f32[4]
  %s2 = aten.add_.Tensor(%t, 1) : f32[4]
  return %s1, %u, %s2
})",
                       "s1 s2"),
              HasSubstr("-> %u = aten.exp ->"));
}

TEST(FusePartitions, SecondRunFindsNothing) {
  const auto module = parse(kModule);
  ir::Graph& graph = main_of(*module);
  const auto propose = [&] {
    return propose_partitions(graph, operators({"aten.add"})).partitions;
  };
  fuse_partitions(graph, propose());
  const std::string once = ir::to_string(*module);
  EXPECT_THAT(propose(), IsEmpty());
  EXPECT_THAT(fuse_partitions(graph, propose()), IsEmpty());
  EXPECT_EQ(ir::to_string(*module), once);
}

TEST(FusePartitions, CallsAreInlinedAtAllDepths) {
  const auto module = parse(R"(
graph @main(%x: f32[4]) {
  %a = aten.relu(%x)
  %b = aten.exp(%a)
  %c = aten.tanh(%b)
  return %c
})");
  const std::string before = ir::to_string(*module);
  ir::Graph& graph = main_of(*module);
  ir::Graph* outer = fuse_partitions(graph, sets_of(graph, "a b")).front().graph;
  ir::Graph* inner = fuse_partitions(*outer, sets_of(*outer, "b")).front().graph;
  const std::vector<ir::Graph*> both{inner, outer, inner};
  EXPECT_EQ(inline_calls(both), 2u);
  EXPECT_EQ(ir::to_string(*module), before);
}

TEST(FusePartitions, OnlyCallsAreInlined) {
  const auto module = parse(R"(
graph @main(%x: f32[4], %p: bool[]) {
  %a = higher_order.cond(%p, true_graph=@yes, false_graph=@no, operands=[%x]) : f32[4]
  return %a
}
graph @yes(%x: f32[4]) {
  %b = aten.relu(%x)
  return %b
}
graph @no(%x: f32[4]) {
  %c = aten.exp(%x)
  return %c
})");
  const std::vector<ir::Graph*> branch{module->find_graph("yes")};
  EXPECT_THROW(inline_calls(branch), Error);
}

TEST(FusePartitions, LongChains) {
  ir::Module module(ops::standard_ops());
  ir::Graph& graph = module.add_graph("main");
  ir::Value last = graph.add_input("x", contiguous_type(DType::f32, {4}));
  constexpr size_t kNodes = 20'000;
  for (size_t i = 0; i < kNodes; ++i) {
    last = graph.create(i % 4 == 3 ? "aten.exp" : "aten.relu", {last})->output();
  }
  graph.set_outputs({last});
  const auto parts = fuse_partitions(
      graph,
      propose_partitions(graph, operators({"aten.relu"}), {.single_nodes = true}).partitions);
  EXPECT_EQ(parts.size(), kNodes / 4);
  EXPECT_EQ(graph.node_count(), kNodes / 2);
  inline_partitions(graph, parts);
  EXPECT_EQ(graph.node_count(), kNodes);
}

}  // namespace
}  // namespace litz::passes
