#include "passes/partition/partitioner.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Statements over f32[4, 4] operands %a to %f; "%n = op(...)" gets its type by inference.
std::unique_ptr<ir::Module> graph_of(const std::string& body) {
  return ir::read_module(
      "graph @main(%a: f32[4, 4], %b: f32[4, 4], %c: f32[4, 4], %d: f32[4, 4]) {\n" + body + "\n}",
      ops::standard_ops());
}

Support stock() { return operators({"aten.add", "aten.view", "aten.permute", "aten.std_mean"}); }

std::string names(const Partition& partition) {
  std::vector<std::string> all;
  for (const ir::Node* node : partition.nodes) {
    all.push_back(node->output_count() > 0 ? node->output().name()
                                           : std::string(node->op().name()));
  }
  return join(all, " ");
}

std::vector<std::string> sets_of(const Proposal& proposal) {
  std::vector<std::string> sets;
  for (const Partition& partition : proposal.partitions) sets.push_back(names(partition));
  return sets;
}

std::vector<std::string> sets(const std::string& body,
                              const PartitionOptions& options = {.single_nodes = true}) {
  const auto module = graph_of(body);
  return sets_of(propose_partitions(*module->find_graph("main"), stock(), options));
}

std::string reason_of(const Proposal& proposal, const std::string& name) {
  for (const LeftOut& out : proposal.left_out) {
    if (out.node->output_count() > 0 && out.node->output().name() == name) return out.reason;
  }
  return "it is not left out";
}

constexpr const char* kTwoBarriers = R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%add, %b)
  %add_2 = aten.add.Tensor(%add_1, %c)
  %relu = aten.relu(%add_2)
  %add_3 = aten.add.Tensor(%add_1, %add_2)
  %add_4 = aten.add.Tensor(%add_1, %relu)
  %add_5 = aten.add.Tensor(%add_4, %add_3)
  %relu_1 = aten.relu(%add_5)
  %add_6 = aten.add.Tensor(%relu_1, %add_5)
  %add_7 = aten.add.Tensor(%add_6, %add_5)
  return %add_5, %add_7)";

constexpr const char* kThreeAdds = R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%a, %c)
  %add_2 = aten.add.Tensor(%b, %c)
  return %add, %add_1, %add_2)";

constexpr const char* kMetInUnsupported = R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%a, %c)
  %add_2 = aten.add.Tensor(%b, %c)
  %gt = aten.gt.Scalar(%add, 0)
  %where = aten.where.self(%gt, %add_1, %add_2)
  return %where)";

constexpr const char* kFanOut = R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%add, %a)
  %add_2 = aten.add.Tensor(%add, %b)
  %add_3 = aten.add.Tensor(%add, %c)
  %stack = aten.stack([%add_1, %add_2, %add_3])
  return %stack)";

TEST(Partitioner, BarriersWithSkipEdges) {
  EXPECT_THAT(sets(kTwoBarriers),
              ElementsAre("add_6 add_7", "add_3 add_4 add_5", "add add_1 add_2"));
}

TEST(Partitioner, OneBarrierWithBypass) {
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%add, %b)
  %relu = aten.relu(%add_1)
  %add_2 = aten.add.Tensor(%add_1, %relu)
  %add_3 = aten.add.Tensor(%add_1, %add_2)
  return %add_3, %add_1)"),
              ElementsAre("add_2 add_3", "add add_1"));
}

TEST(Partitioner, UnconnectedNodesShareASet) {
  EXPECT_THAT(sets(kThreeAdds), ElementsAre("add add_1 add_2"));
  EXPECT_THAT(sets(kMetInUnsupported), ElementsAre("add add_1 add_2"));
}

TEST(Partitioner, UnsupportedReadersDoNotCutASet) {
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %a)
  %relu = aten.relu(%add)
  %add_1 = aten.add.Tensor(%add, %c)
  return %relu, %add_1)"),
              ElementsAre("add add_1"));
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %a)
  %relu = aten.relu(%add)
  %relu_1 = aten.relu(%add)
  return %relu, %relu_1)"),
              ElementsAre("add"));
}

TEST(Partitioner, BranchesDiamondsAndFans) {
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%c, %d)
  %add_2 = aten.add.Tensor(%add_1, %a)
  %add_3 = aten.add.Tensor(%add, %add_2)
  return %add_3)"),
              ElementsAre("add add_1 add_2 add_3"));
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%add, %b)
  %add_2 = aten.add.Tensor(%add, %c)
  %add_3 = aten.add.Tensor(%add_1, %add_2)
  return %add_3)"),
              ElementsAre("add add_1 add_2 add_3"));
  EXPECT_THAT(sets(kFanOut), ElementsAre("add add_1 add_2 add_3"));
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%add, %a)
  %add_2 = aten.add.Tensor(%add, %b)
  %add_3 = aten.add.Tensor(%add, %add_2)
  %stack = aten.stack([%add_1, %add_2, %add_3])
  return %stack)"),
              ElementsAre("add add_1 add_2 add_3"));
}

TEST(Partitioner, ReluBetweenAdds) {
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %b)
  %relu = aten.relu(%add)
  %add_1 = aten.add.Tensor(%add, %relu)
  return %add_1)"),
              ElementsAre("add_1", "add"));
}

TEST(Partitioner, CrossedBarriers) {
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, 1)
  %add_1 = aten.add.Tensor(%a, 2)
  %relu = aten.relu(%add)
  %relu_1 = aten.relu(%add_1)
  %add_2 = aten.add.Tensor(%add, %relu_1)
  %add_3 = aten.add.Tensor(%add_2, 3)
  %add_4 = aten.add.Tensor(%add_1, %relu)
  return %add_3, %add_4)"),
              ElementsAre("add_2 add_3 add_4", "add add_1"));
}

TEST(Partitioner, NodesOwnTheirResults) {
  EXPECT_THAT(sets(R"(
  %s:2 = aten.split.Tensor(%a, 2)
  %add = aten.add.Tensor(%s#0, 1)
  %add_1 = aten.add.Tensor(%s#1, 1)
  %add_2 = aten.add.Tensor(%add, %add_1)
  return %add_2)"),
              ElementsAre("add add_1 add_2"));
  EXPECT_THAT(sets(R"(
  %std, %mean = aten.std_mean(%a)
  %add = aten.add.Tensor(%std, 1)
  return %add)"),
              ElementsAre("std add"));
  EXPECT_THAT(sets(R"(
  %var, %mean = aten.var_mean(%a)
  return %var)"),
              IsEmpty());
}

TEST(Partitioner, EndsAreTrimmed) {
  const std::string inner = R"(
  %view = aten.view(%in, [4, 4])
  %permute = aten.permute(%view, [1, 0])
  %add = aten.add.Tensor(%permute, 1)
  %permute_1 = aten.permute(%add, [1, 0])
  %add_1 = aten.add.Tensor(%permute_1, 1)
  %permute_2 = aten.permute(%add_1, [1, 0])
  %permute_3 = aten.permute(%permute_2, [1, 0]))";
  const std::string alone = "%in = aten.relu(%a)" + inner + "\nreturn %permute_3";
  const std::string framed = "%in = aten.sub.Tensor(%a, 1)" + inner +
                             "\n%sub = aten.sub.Tensor(%permute_3, 1)\nreturn %sub";
  const PartitionOptions trimmed{
      .single_nodes = true, .non_compute = {"aten.view", "aten.permute"}, .trim_ends = true};
  for (const std::string& body : {alone, framed}) {
    EXPECT_THAT(sets(body), ElementsAre("view permute add permute_1 add_1 permute_2 permute_3"));
    EXPECT_THAT(sets(body, trimmed), ElementsAre("add permute_1 add_1"));
  }
  const auto module = graph_of(alone);
  const Proposal proposal = propose_partitions(*module->find_graph("main"), stock(), trimmed);
  EXPECT_THAT(reason_of(proposal, "permute_3"), HasSubstr("computes nothing"));
}

TEST(Partitioner, SingleNodes) {
  const std::string one = R"(
  %view = aten.view(%a, [16])
  %permute = aten.permute(%view, [0])
  %add = aten.add.Tensor(%permute, 1)
  return %add)";
  EXPECT_THAT(sets(one, {}), IsEmpty()) << "views do not count";
  EXPECT_THAT(sets(one, {.single_nodes = true}), ElementsAre("view permute add"));
  EXPECT_THAT(sets(one, {.may_stand_alone = {"aten.add"}}), ElementsAre("view permute add"));
  EXPECT_THAT(sets(kThreeAdds, {.non_compute = {"aten.add"}}), IsEmpty());
  const auto module = graph_of(one);
  const Proposal proposal = propose_partitions(*module->find_graph("main"), stock());
  EXPECT_EQ(proposal.left_out.size(), 3u);
  EXPECT_THAT(reason_of(proposal, "add"), HasSubstr("fewer than two nodes that compute"));
}

TEST(Partitioner, WithoutHorizontalMerging) {
  const PartitionOptions connected{.single_nodes = true, .join_unconnected = false};
  EXPECT_THAT(sets(kThreeAdds, connected), ElementsAre("add", "add_1", "add_2"));
  EXPECT_THAT(sets(kMetInUnsupported, connected), ElementsAre("add", "add_1", "add_2"));
  EXPECT_THAT(sets(kFanOut, connected), ElementsAre("add add_1 add_2 add_3"));
}

TEST(Partitioner, OrderAloneDoesNotConnect) {
  const auto propose = [](const char* body, bool join_unconnected) {
    const auto module = graph_of(body);
    return sets_of(
        propose_partitions(*module->find_graph("main"), operators({"aten.add", "aten.add_"}),
                           {.single_nodes = true, .join_unconnected = join_unconnected}));
  };
  constexpr const char* kReadAndWrite = R"(
  %t = aten.clone(%a)
  %read = aten.add.Tensor(%t, %b)
  %written = aten.add_.Tensor(%t, %c)
  return %read, %written)";
  EXPECT_THAT(propose(kReadAndWrite, true), ElementsAre("read written"));
  EXPECT_THAT(propose(kReadAndWrite, false), ElementsAre("read", "written"));
  constexpr const char* kCircle = R"(
  %s = aten.clone(%a)
  %t = aten.clone(%b)
  %x_1 = aten.add_.Tensor(%s, %c)
  %y_1 = aten.add.Tensor(%s, %d)
  %y_2 = aten.add_.Tensor(%t, %y_1)
  %x_2 = aten.add.Tensor(%t, %x_1)
  return %x_2, %y_2)";
  EXPECT_THAT(propose(kCircle, false), ElementsAre("x_1 y_1 y_2 x_2"))
      << "apart they would need each other";
}

TEST(Partitioner, EverythingSupported) {
  const auto module = graph_of(kTwoBarriers);
  const Proposal proposal =
      propose_partitions(*module->find_graph("main"), [](const ir::Node&) { return Refusal(); });
  ASSERT_EQ(proposal.partitions.size(), 1u);
  EXPECT_EQ(proposal.partitions[0].nodes.size(), 10u) << "arguments and the return are no nodes";
  EXPECT_THAT(proposal.left_out, IsEmpty());
}

TEST(Partitioner, SameSetsEveryTime) {
  const std::vector<std::string> first = sets(kTwoBarriers);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(sets(kTwoBarriers), first);
}

// Two supported branches re-join through an unsupported node: one set would reach itself.
TEST(Partitioner, ResidualBranchesDoNotReachThemselves) {
  EXPECT_THAT(sets(R"(
  %add = aten.add.Tensor(%a, %b)
  %add_1 = aten.add.Tensor(%add, %c)
  %mm = aten.mm(%add, %d)
  %add_2 = aten.add.Tensor(%mm, %add_1)
  return %add_2)"),
              ElementsAre("add_1 add_2", "add"));
}

TEST(Partitioner, KindsDoNotFormCircles) {
  const auto module = graph_of(R"(
  %a1 = aten.relu(%a)
  %b1 = aten.exp(%a1)
  %b2 = aten.exp(%b)
  %a2 = aten.relu(%b2)
  return %b1, %a2)");
  const Proposal proposal =
      propose_partitions_by_kind(*module->find_graph("main"),
                                 [](const ir::Node& node) -> KindOrRefusal {
                                   return {node.is("aten.relu") ? "A" : "B", {}};
                                 },
                                 {.single_nodes = true});
  EXPECT_THAT(sets_of(proposal), ElementsAre("a1 a2", "b1", "b2"));
  EXPECT_EQ(proposal.partitions[0].kind, "A");
  EXPECT_EQ(proposal.partitions[1].kind, "B");
}

// s2 writes what u reads: they may be in one set with s1 only before or after u, never around it.
TEST(Partitioner, SetsDoNotMoveAcrossWrites) {
  const auto module = graph_of(R"(
  %t = aten.mul.Tensor(%a, %b)
  %s1 = aten.relu(%t)
  %u = aten.clone(%t)
  %s2 = aten.add_.Tensor(%t, 1)
  %v = aten.mul.Tensor(%u, %s1)
  %s3 = aten.relu(%v)
  return %s2, %s3)");
  const Proposal proposal = propose_partitions(
      *module->find_graph("main"), operators({"aten.relu", "aten.add_"}), {.single_nodes = true});
  EXPECT_THAT(sets_of(proposal), ElementsAre("s2 s3", "s1"));
  EXPECT_THAT(reason_of(proposal, "u"), HasSubstr("not listed"));
}

// A raw program's norm updates its statistics only while it trains.
TEST(Partitioner, NormsOrderOnlyWhatTheyUpdate) {
  const auto sets_with = [](const char* training) {
    const auto module = ir::read_module(std::string(R"(
graph @main(%x: f32[2, 3, 4], %m: f32[3], %v: f32[3]) {
  %s = aten.relu(%x)
  %k = aten.clone(%m)
  %y = aten.batch_norm(%s, none, none, %m, %v, )") +
                                            training + R"(, 0.1, 1e-05, true)
  %t = aten.relu(%x)
  %n = aten.relu(%m)
  return %k, %y, %t, %n
})",
                                        ops::standard_ops());
    return sets_of(propose_partitions(*module->find_graph("main"),
                                      operators({"aten.relu", "aten.clone"}),
                                      {.single_nodes = true}));
  };
  EXPECT_THAT(sets_with("false"), ElementsAre("s k t n"));
  EXPECT_THAT(sets_with("true"), ElementsAre("t n", "s k"))
      << "%n reads what is updated, %t is after nothing";
}

TEST(Partitioner, DataDependentSizesOrderNodes) {
  const auto module = ir::read_module(R"(
sym u0
graph @main(%x: f32[4], %y: f32[4]) {
  %s = aten.relu(%x) : f32[4]
  %n = aten.nonzero(%s) : i64[u0, 1]
  %f = aten.full([u0], 1.0) : f32[u0]
  return %n, %f
})",
                                      ops::standard_ops());
  const Proposal proposal = propose_partitions(
      *module->find_graph("main"), operators({"aten.relu", "aten.full"}), {.single_nodes = true});
  EXPECT_THAT(sets_of(proposal), ElementsAre("f", "s"))
      << "%f reads no result of %n, but its size is one";
}

TEST(Partitioner, LevelsWithSlack) {
  // %small could be with %first or with %last.
  const auto body = [](const char* op) {
    return std::string(R"(
  %first = aten.add.Tensor(%a, %b)
  %second = aten.add.Tensor(%first, %b)
  %small = )") +
           op + R"(
  %relu = aten.relu(%second)
  %last = aten.add.Tensor(%relu, %small)
  %end = aten.add.Tensor(%last, %b)
  return %end)";
  };
  const Support support = operators({"aten.add", "aten.sum", "aten.to"});
  const auto propose = [&](const char* op, LevelChoice level) {
    const auto module = graph_of(body(op));
    return sets_of(propose_partitions(*module->find_graph("main"), support, {.level = level}));
  };
  const char* sum = "aten.sum(%first)";
  EXPECT_THAT(propose(sum, LevelChoice::late), ElementsAre("small last end", "first second"));
  EXPECT_THAT(propose(sum, LevelChoice::early), ElementsAre("last end", "first second small"));
  EXPECT_THAT(propose(sum, LevelChoice::least_memory),
              ElementsAre("last end", "first second small"))
      << "4 bytes leave the set instead of 64";
  EXPECT_THAT(propose("aten.to.dtype(%first, f64)", LevelChoice::least_memory),
              ElementsAre("small last end", "first second"))
      << "64 bytes leave it instead of 128";
}

TEST(Partitioner, GraphsMustBeSorted) {
  const auto module = graph_of(kTwoBarriers);
  ir::Graph& graph = *module->find_graph("main");
  graph.move_before(graph.last(), graph.first());
  try {
    propose_partitions(graph, stock());
    ADD_FAILURE();
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("stands before what it depends on"));
  }
}

TEST(Partitioner, ManyNodes) {
  ir::Module module(ops::standard_ops());
  ir::Graph& graph = module.add_graph("main");
  ir::Value last = graph.add_input("x", contiguous_type(DType::f32, {4}));
  constexpr size_t kNodes = 20'000;
  for (size_t i = 0; i < kNodes; ++i) {
    last = i % 2 == 0 ? graph.create("aten.relu", {last})->output()
                      : graph.create("aten.exp", {last})->output();
  }
  graph.set_outputs({last});
  const Proposal proposal =
      propose_partitions(graph, operators({"aten.relu"}), {.single_nodes = true});
  EXPECT_EQ(proposal.partitions.size(), kNodes / 2);
  const Proposal all = propose_partitions(graph, operators({"aten.relu", "aten.exp"}));
  ASSERT_EQ(all.partitions.size(), 1u);
  EXPECT_EQ(all.partitions[0].nodes.size(), kNodes);
}

TEST(Support, ReasonsOfCombinations) {
  const auto module = graph_of(R"(
  %add = aten.add.Tensor(%a, %b)
  %half = aten.to.dtype(%a, f16)
  %sum = aten.add.Tensor(%half, %b)
  %relu = aten.relu(%half)
  return %add, %sum, %relu)");
  const ir::Graph& graph = *module->find_graph("main");
  std::map<std::string, const ir::Node*> node;
  for (const ir::Node* each : graph.in_order()) node.emplace(each->output().name(), each);

  const Support full = all_of({operators({"aten.add", "aten.relu"}), no_operand_of(DType::f16)});
  EXPECT_EQ(full(*node["add"]), std::nullopt);
  EXPECT_EQ(full(*node["sum"]), "operand %half is f16");
  EXPECT_EQ(full(*node["half"]), "its operator is not listed");

  const Support either = any_of({operators({"aten.relu"}), no_operand_of(DType::f16)});
  EXPECT_EQ(either(*node["add"]), std::nullopt);
  EXPECT_EQ(either(*node["relu"]), std::nullopt);
  EXPECT_EQ(either(*node["sum"]), "its operator is not listed and operand %half is f16");

  const Support by_operand = operand_dtypes({{"aten.add", {{DType::f32}, {}}}});
  EXPECT_EQ(by_operand(*node["add"]), std::nullopt);
  EXPECT_EQ(by_operand(*node["sum"]), "operand 0 is f16");
  EXPECT_EQ(no_operators({"aten.relu"})(*node["relu"]), "its operator is excluded");
  EXPECT_FALSE(is_operator(node["add"]->op(), "aten.ad")) << "names end at a point";
  EXPECT_TRUE(is_operator(node["add"]->op(), "aten.add.Tensor"));
}

}  // namespace
}  // namespace litz::passes
