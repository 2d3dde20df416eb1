// Random graphs: sets can be contracted together, are as few as possible, and are the same again.

#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "passes/partition/fuse_partitions.h"
#include "passes/partition/partitioner.h"

namespace litz::passes {
namespace {

std::unique_ptr<ir::Module> parse(const std::string& text) {
  return ir::read_module(text, ops::standard_ops());
}

// Additions are supported, subtractions are not. What nobody reads is returned, or is dead.
enum class Unread : uint8_t { returned, dead };

std::string random_text(uint32_t seed, size_t count, Unread unread = Unread::returned) {
  std::mt19937 random(seed);
  const size_t density = 20 + random() % 70;
  const size_t reach = random() % 2 == 0 ? 4 : count;
  std::string text = "graph @main(%x: f32[4], %y: f32[4]) {\n";
  std::vector<bool> read(count);
  const auto operand = [&](size_t end) -> std::string {
    const size_t back = random() % (std::min(end, reach) + 1);
    if (back == 0) return random() % 2 == 0 ? "%x" : "%y";
    read[end - back] = true;
    return "%v" + std::to_string(end - back);
  };
  for (size_t i = 0; i < count; ++i) {
    const char* op = random() % 100 < density ? "aten.add.Tensor" : "aten.sub.Tensor";
    const std::string first = operand(i);
    text += "  %v" + std::to_string(i) + " = " + op + "(" + first + ", " + operand(i) + ")\n";
  }
  text += "  return %x";
  for (size_t i = 0; i < count; ++i) {
    const bool is_dead = unread == Unread::dead && random() % 3 != 0;
    if (!read[i] && !is_dead) text += ", %v" + std::to_string(i);
  }
  return text + "\n}\n";
}

Proposal propose(const ir::Graph& graph, const PartitionOptions& options) {
  return propose_partitions(graph, operators({"aten.add"}), options);
}

constexpr PartitionOptions kAll{.single_nodes = true};

/// Which node each node reads, by position; and whether it is supported.
struct Plain {
  std::vector<std::vector<size_t>> reads;
  std::vector<bool> supported;
};

Plain plain(const ir::Graph& graph) {
  const std::vector<ir::Node*> nodes = graph.in_order();
  Plain result;
  for (const ir::Node* node : nodes) {
    result.supported.push_back(node->is("aten.add.Tensor"));
    result.reads.emplace_back();
    for (size_t k = 0; k < node->input_count(); ++k) {
      const auto found = std::ranges::find(nodes, node->input(k).producer());
      if (found != nodes.end()) {
        result.reads.back().push_back(static_cast<size_t>(found - nodes.begin()));
      }
    }
  }
  return result;
}

bool is_acyclic(const Plain& graph, const std::vector<size_t>& unit) {
  std::vector<std::pair<size_t, size_t>> edges;
  for (size_t i = 0; i < graph.reads.size(); ++i) {
    for (const size_t read : graph.reads[i]) {
      if (unit[read] != unit[i]) edges.emplace_back(unit[read], unit[i]);
    }
  }
  // Nothing is left when units that nothing enters are taken away again and again.
  for (bool removed = true; removed;) {
    const size_t before = edges.size();
    const auto enters = [&](size_t u) {
      return std::ranges::any_of(edges, [&](const auto& edge) { return edge.second == u; });
    };
    std::vector<std::pair<size_t, size_t>> kept;
    for (const auto& edge : edges) {
      if (enters(edge.first)) kept.push_back(edge);
    }
    edges = std::move(kept);
    removed = edges.size() < before;
  }
  return edges.empty();
}

// Tries every way to put supported nodes into sets.
size_t fewest_sets(const Plain& graph) {
  const size_t count = graph.reads.size();
  size_t best = count + 1;
  std::vector<size_t> unit(count);
  const std::function<void(size_t, size_t)> place = [&](size_t at, size_t sets) {
    if (sets >= best) return;
    if (at == count) {
      if (is_acyclic(graph, unit)) best = sets;
      return;
    }
    if (!graph.supported[at]) {
      unit[at] = count + at;
      return place(at + 1, sets);
    }
    for (size_t set = 0; set <= sets; ++set) {
      unit[at] = set;
      place(at + 1, std::max(sets, set + 1));
    }
  };
  place(0, 0);
  return best;
}

// The largest number of supported runs on one path: each needs a set of its own.
size_t lower_bound(const Plain& graph) {
  std::vector<size_t> runs(graph.reads.size());
  size_t most = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i] = graph.supported[i] ? 1 : 0;
    for (const size_t read : graph.reads[i]) {
      const bool begins = graph.supported[i] && !graph.supported[read];
      runs[i] = std::max(runs[i], runs[read] + (begins ? 1 : 0));
    }
    most = std::max(most, runs[i]);
  }
  return most;
}

// Joins the set of each node, from the last to the first, with those of its readers as they come.
std::vector<size_t> greedy_connected(const Plain& graph) {
  const size_t count = graph.reads.size();
  std::vector<size_t> unit(count);
  for (size_t i = 0; i < count; ++i) unit[i] = graph.supported[i] ? i : count + i;
  for (size_t i = count; i-- > 0;) {
    for (size_t reader = i + 1; reader < count && graph.supported[i]; ++reader) {
      const bool is_read = std::ranges::count(graph.reads[reader], i) > 0;
      if (!is_read || !graph.supported[reader] || unit[reader] == unit[i]) continue;
      std::vector<size_t> joined = unit;
      std::ranges::replace(joined, unit[reader], unit[i]);
      if (is_acyclic(graph, joined)) unit = joined;
    }
  }
  return unit;
}

size_t set_count(const Plain& graph, std::vector<size_t> unit) {
  std::erase_if(unit, [&](size_t u) { return u >= graph.reads.size(); });
  std::ranges::sort(unit);
  return static_cast<size_t>(std::ranges::unique(unit).begin() - unit.begin());
}

/// By node, the number of its set; numbers of others lie beyond the nodes.
std::vector<size_t> units_of(const ir::Graph& graph, const Proposal& proposal) {
  const std::vector<ir::Node*> nodes = graph.in_order();
  std::vector<size_t> unit(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) unit[i] = nodes.size() + i;
  for (size_t set = 0; set < proposal.partitions.size(); ++set) {
    for (const ir::Node* node : proposal.partitions[set].nodes) {
      unit[static_cast<size_t>(std::ranges::find(nodes, node) - nodes.begin())] = set;
    }
  }
  return unit;
}

void expect_no_join_left(const Plain& graph, const std::vector<size_t>& unit,
                         const std::string& text) {
  for (size_t i = 0; i < unit.size(); ++i) {
    for (const size_t read : graph.reads[i]) {
      if (!graph.supported[i] || !graph.supported[read] || unit[i] == unit[read]) continue;
      std::vector<size_t> joined = unit;
      std::ranges::replace(joined, unit[read], unit[i]);
      ASSERT_FALSE(is_acyclic(graph, joined)) << "nodes " << read << " and " << i << "\n" << text;
    }
  }
}

constexpr PartitionOptions kConnected{.single_nodes = true, .join_unconnected = false};

TEST(PartitionProperties, ConnectedSetsAreAtMostThoseOfGreedyJoins) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string text = random_text(6000 + seed, 5 + seed % 40);
    const auto module = parse(text);
    const ir::Graph& graph = *module->find_graph("main");
    const Plain simple = plain(graph);
    const Proposal proposal = propose(graph, kConnected);
    ASSERT_LE(proposal.partitions.size(), set_count(simple, greedy_connected(simple))) << text;
    expect_no_join_left(simple, units_of(graph, proposal), text);
  }
}

TEST(PartitionProperties, NoTwoConnectedSetsCouldBeOneAtAnyLevelChoice) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const std::string text = random_text(7000 + seed, 5 + seed);
    const auto module = parse(text);
    const ir::Graph& graph = *module->find_graph("main");
    for (const LevelChoice level : {LevelChoice::early, LevelChoice::least_memory}) {
      const Proposal proposal =
          propose(graph, {.single_nodes = true, .join_unconnected = false, .level = level});
      expect_no_join_left(plain(graph), units_of(graph, proposal), text);
    }
  }
}

TEST(PartitionProperties, AsFewSetsAsExhaustiveSearchFinds) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const std::string text = random_text(seed, 3 + seed % 6);
    const auto module = parse(text);
    const ir::Graph& graph = *module->find_graph("main");
    const Plain simple = plain(graph);
    for (const LevelChoice level :
         {LevelChoice::late, LevelChoice::early, LevelChoice::least_memory}) {
      const size_t sets = propose(graph, {.single_nodes = true, .level = level}).partitions.size();
      ASSERT_EQ(sets, fewest_sets(simple)) << text;
    }
  }
}

TEST(PartitionProperties, AsFewSetsAsThereAreRunsOnOnePath) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const std::string text = random_text(1000 + seed, 10 + seed);
    const auto module = parse(text);
    const ir::Graph& graph = *module->find_graph("main");
    ASSERT_EQ(propose(graph, kAll).partitions.size(), lower_bound(plain(graph))) << text;
  }
}

void expect_fusable(const std::string& text, const PartitionOptions& options) {
  const auto module = parse(text);
  ir::Graph& graph = *module->find_graph("main");
  const Proposal proposal = propose(graph, options);
  size_t members = proposal.left_out.size();
  for (const Partition& partition : proposal.partitions) members += partition.nodes.size();
  ASSERT_EQ(members, graph.node_count()) << "every node is in one set or has a reason\n" << text;
  ASSERT_EQ(dependence_circle(graph, proposal.partitions), "") << text;
  const std::vector<SplitPart> parts = fuse_partitions(graph, proposal.partitions);
  ir::verify(*module);
  ASSERT_TRUE(propose(graph, options).partitions.empty()) << "all of them are calls by now";
  inline_partitions(graph, parts);
  ir::verify(*module);
  ASSERT_EQ(module->graphs().size(), 1u);
}

TEST(PartitionProperties, SetsCanBeFusedAndInlined) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const std::string text = random_text(2000 + seed, 5 + seed);
    expect_fusable(text, kAll);
    expect_fusable(text, {.single_nodes = true, .join_unconnected = false});
    expect_fusable(text, {.single_nodes = true, .level = LevelChoice::early});
    expect_fusable(text, {.single_nodes = true, .level = LevelChoice::least_memory});
    expect_fusable(text, {.non_compute = {"aten.add"}, .trim_ends = true});
  }
}

TEST(PartitionProperties, DeadNodesNeverMakeSetsThatCannotBeFused) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const std::string text = random_text(8000 + seed, 3 + seed % 30, Unread::dead);
    expect_fusable(text, kAll);
    expect_fusable(text, kConnected);
    expect_fusable(text, {});
    expect_fusable(text, {.single_nodes = true, .level = LevelChoice::early});
  }
}

TEST(PartitionProperties, SetsOfSeveralKindsCanBeFusedTogether) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const auto module = parse(random_text(3000 + seed, 5 + seed));
    ir::Graph& graph = *module->find_graph("main");
    const Proposal proposal = propose_partitions_by_kind(
        graph,
        [](const ir::Node& node) -> KindOrRefusal {
          if (node.id() % 7 == 0) return {std::nullopt, "it is one of seven"};
          return {std::to_string(node.id() % 3), {}};
        },
        kAll);
    ASSERT_EQ(dependence_circle(graph, proposal.partitions), "");
    fuse_partitions(graph, proposal.partitions);
    ir::verify(*module);
  }
}

TEST(PartitionProperties, BarriersAreOnPathsBetweenSets) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const std::string text = random_text(4000 + seed, 10 + seed);
    const auto module = parse(text);
    const Proposal proposal = propose(*module->find_graph("main"), kAll);
    for (size_t i = 0; i < proposal.partitions.size(); ++i) {
      const Partition& set = proposal.partitions[i];
      ASSERT_EQ(set.barrier.has_value(), i > 0) << "the last set has none after it\n" << text;
      if (!set.barrier) continue;
      EXPECT_EQ(std::ranges::count(set.nodes, set.barrier->from), 1);
      EXPECT_TRUE(set.barrier->through->is("aten.sub.Tensor"));
      const std::vector<ir::Node*>& next = proposal.partitions[i - 1].nodes;
      EXPECT_EQ(std::ranges::count(next, set.barrier->to), 1);
    }
  }
}

TEST(PartitionProperties, SameAgain) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const std::string text = random_text(5000 + seed, 40);
    const auto fused = [&] {
      const auto module = parse(text);
      ir::Graph& graph = *module->find_graph("main");
      fuse_partitions(graph, propose(graph, kAll).partitions);
      return ir::to_string(*module);
    };
    EXPECT_EQ(fused(), fused());
  }
}

}  // namespace
}  // namespace litz::passes
