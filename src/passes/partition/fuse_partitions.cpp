#include "passes/partition/fuse_partitions.h"

#include <unordered_map>
#include <unordered_set>

#include "ir/child_graphs.h"
#include "ir/effects.h"
#include "ir/graph_outline.h"
#include "ir/printer.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Graph;
using ir::Node;

using Members = std::unordered_map<const Node*, int64_t>;

Members members_of(const Graph& graph, std::span<const Partition> partitions) {
  Members members;
  for (size_t i = 0; i < partitions.size(); ++i) {
    require(!partitions[i].nodes.empty(), "a partition must have nodes:", i);
    for (const Node* node : partitions[i].nodes) {
      check(&node->graph() == &graph && !node->is_erased(),
            "partitions hold nodes of the graph that is rewritten:", node->op().name());
      if (members.emplace(node, static_cast<int64_t>(i)).second) continue;
      fail(ErrorCode::invalid_argument,
           "a node must be in one partition only:", ir::node_context(*node));
    }
  }
  return members;
}

bool is_read_outside(const Node& node, const Members& members, int64_t partition) {
  for (const ir::Value output : node.outputs()) {
    for (const Node* user : output.users()) {
      const auto found = members.find(user);
      if (found == members.end() || found->second != partition) return true;
    }
  }
  return false;
}

void require_purpose(std::span<const Partition> partitions, const Members& members) {
  ir::EffectWalk walk;
  for (size_t i = 0; i < partitions.size(); ++i) {
    bool has_purpose = false;
    for (const Node* node : partitions[i].nodes) {
      has_purpose = has_purpose || walk.has_effects(*node) ||
                    is_read_outside(*node, members, static_cast<int64_t>(i));
    }
    if (has_purpose) continue;
    fail(ErrorCode::invalid_argument, "a partition must have results that are read, or effects:",
         ir::node_context(*partitions[i].nodes.front()));
  }
}

std::unordered_set<uint32_t> named_graphs(const ir::Module& module) {
  std::unordered_set<uint32_t> named;
  for (const Graph* graph : module.graphs()) {
    for (const Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (!ir::has(node->op().traits, ir::Trait::higher_order)) continue;
      for (const Graph* child : ir::child_graphs(*node)) named.insert(child->id());
    }
  }
  return named;
}

}  // namespace

std::vector<SplitPart> fuse_partitions(Graph& graph, std::span<const Partition> partitions,
                                       const FuseOptions& options) {
  const Members members = members_of(graph, partitions);
  require_purpose(partitions, members);
  try {
    return split_graph(graph,
                       [&](const Node& node) {
                         const auto found = members.find(&node);
                         return found == members.end() ? -1 : found->second;
                       },
                       {.boundary = options.boundary, .prefix = options.prefix});
  } catch (Error& error) {
    error.add_note("invalid partition, found dependency cycles");
    throw;
  }
}

void inline_partitions(Graph& graph, std::span<const SplitPart> parts) {
  for (const SplitPart& part : parts) {
    check(&part.call->graph() == &graph, "calls that are inlined stand in this graph:", part.name);
    const std::span<const ir::Value> given = part.call->argument("operands").values();
    const std::vector<ir::Value> operands(given.begin(), given.end());
    ir::inline_call(part.call, *part.graph, operands);
  }
  const std::unordered_set<uint32_t> named = named_graphs(graph.module());
  for (const SplitPart& part : parts) {
    if (!named.contains(part.graph->id())) graph.module().erase_graph({part.graph->id()});
  }
}

}  // namespace litz::passes
