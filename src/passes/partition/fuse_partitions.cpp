#include "passes/partition/fuse_partitions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/child_graphs.h"
#include "ir/dependences.h"
#include "ir/graph_outline.h"
#include "ir/printer.h"
#include "passes/partition/edge_lists.h"
#include "passes/partition/purpose.h"
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

void require_purpose(std::span<const Partition> partitions, const Members& members) {
  ir::EffectWalk walk;
  for (size_t i = 0; i < partitions.size(); ++i) {
    const bool has_purpose = std::ranges::any_of(partitions[i].nodes, [&](const Node* node) {
      return is_of_use(*node, walk, [&](const Node& user) {
        const auto found = members.find(&user);
        return found != members.end() && found->second == static_cast<int64_t>(i);
      });
    });
    if (has_purpose) continue;
    fail(ErrorCode::invalid_argument, "a partition must have results that are read, or effects:",
         ir::node_context(*partitions[i].nodes.front()));
  }
}

/// The contracted units: sets first, then the other nodes.
class ContractedGraph {
 public:
  ContractedGraph(const Graph& graph, const Members& members, size_t sets) : sets_(sets) {
    const std::vector<Node*> nodes = graph.in_order();
    size_t count = sets;
    for (const Node* node : nodes) {
      const auto found = members.find(node);
      unit_of_.emplace(node, found != members.end() ? static_cast<size_t>(found->second) : count++);
    }
    for (const Node* node : nodes) {
      for (size_t k = 0; k < node->input_count(); ++k) {
        if (const Node* producer = node->input(k).producer()) add_edge(producer, node);
      }
    }
    for (const auto& [first, second] : ir::hidden_dependences(graph)) add_edge(first, second);
    Pairs pairs;
    for (const auto& [first, second] : edges_) {
      pairs.emplace_back(unit_of_.at(first), unit_of_.at(second));
    }
    units_ = Edges(count, std::move(pairs));
  }

  /// The edges of a cycle, in order; empty if there is none.
  std::vector<std::pair<const Node*, const Node*>> circle() const {
    const std::vector<size_t> waits_for = waiting();
    const size_t count = waits_for.size();
    size_t at = 0;
    while (at < count && waits_for[at] == 0) ++at;
    if (at == count) return {};
    // Every waiting unit depends on another waiting one, so walking back finds a cycle.
    std::unordered_map<size_t, const std::pair<const Node*, const Node*>*> into;
    for (const auto& edge : edges_) {
      if (waits_for[unit_of_.at(edge.first)] > 0) into.try_emplace(unit_of_.at(edge.second), &edge);
    }
    std::unordered_set<size_t> visited;
    while (visited.insert(at).second) at = unit_of_.at(into.at(at)->first);
    std::vector<std::pair<const Node*, const Node*>> circle;
    const size_t start = first_set(at, into);
    at = start;
    do {
      circle.push_back(*into.at(at));
      at = unit_of_.at(circle.back().first);
    } while (at != start);
    std::ranges::reverse(circle);
    return circle;
  }

 private:
  void add_edge(const Node* first, const Node* second) {
    if (unit_of_.at(first) != unit_of_.at(second)) edges_.emplace_back(first, second);
  }

  /// By unit: how many edges come from units that cannot run before it.
  std::vector<size_t> waiting() const {
    std::vector<size_t> waits_for(units_.producers.size());
    std::vector<size_t> ready;
    for (size_t unit = 0; unit < waits_for.size(); ++unit) {
      waits_for[unit] = units_.producers[unit].size();
      if (waits_for[unit] == 0) ready.push_back(unit);
    }
    while (!ready.empty()) {
      const size_t unit = ready.back();
      ready.pop_back();
      for (const size_t reader : units_.readers[unit]) {
        if (--waits_for[reader] == 0) ready.push_back(reader);
      }
    }
    return waits_for;
  }

  // The report of a cycle starts at a set.
  size_t first_set(
      size_t at,
      const std::unordered_map<size_t, const std::pair<const Node*, const Node*>*>& into) const {
    while (at >= sets_) at = unit_of_.at(into.at(at)->first);
    return at;
  }

  size_t sets_;
  std::unordered_map<const Node*, size_t> unit_of_;
  std::vector<std::pair<const Node*, const Node*>> edges_;  ///< Between units.
  Edges units_;
};

std::string spell(const Node& node) {
  const bool has_name = node.output_count() > 0 && !node.output().name().empty();
  return (has_name ? "%" + node.output().name() + " = " : "") + std::string(node.op().name());
}

std::string circle_of(const Graph& graph, const Members& members, size_t sets) {
  std::string path;
  const Node* last = nullptr;
  for (const auto& [from, to] : ContractedGraph(graph, members, sets).circle()) {
    if (from != last) path += (path.empty() ? "" : ", ") + spell(*from);
    path += " -> " + spell(*to);
    last = to;
  }
  return path;
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
  } catch (const Error&) {
    // Other errors of splitting are not about the given sets.
    const std::string circle = circle_of(graph, members, partitions.size());
    if (circle.empty()) throw;
    fail(ErrorCode::invalid_argument, "invalid partition, found dependency cycles:", circle);
  }
}

std::string dependence_circle(const Graph& graph, std::span<const Partition> partitions) {
  return circle_of(graph, members_of(graph, partitions), partitions.size());
}

namespace {

void inline_body(Node* call, const Graph& body) {
  const std::span<const ir::Value> given = call->argument("operands").values();
  const std::vector<ir::Value> operands(given.begin(), given.end());
  // The nodes of the body get back the names that they had before fusing.
  for (const ir::Value result : call->outputs()) call->graph().set_name(result, "");
  ir::inline_call(call, body, operands);
}

void erase_unnamed(ir::Module& module, std::unordered_set<uint32_t> graphs) {
  // A graph may be used only by another unused one.
  for (bool erased = true; erased;) {
    const std::unordered_set<uint32_t> named = named_graphs(module);
    erased = std::erase_if(graphs, [&](uint32_t graph) {
               if (named.contains(graph)) return false;
               module.erase_graph({graph});
               return true;
             }) > 0;
  }
}

std::vector<Node*> calls_of(const ir::Module& module, const std::unordered_set<uint32_t>& graphs) {
  std::vector<Node*> calls;
  for (const Graph* graph : module.graphs()) {
    if (graphs.contains(graph->id())) continue;
    for (Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (!ir::has(node->op().traits, ir::Trait::higher_order)) continue;
      const bool calls_one = std::ranges::any_of(ir::child_graphs(*node), [&](const Graph* child) {
        return graphs.contains(child->id());
      });
      if (!calls_one) continue;
      calls.push_back(node);
      if (node->is("higher_order.invoke_subgraph")) continue;
      fail(ErrorCode::invalid_argument,
           "only calls can be inlined, which this is not:", ir::node_context(*node));
    }
  }
  return calls;
}

}  // namespace

void inline_partitions(Graph& graph, std::span<const SplitPart> parts) {
  std::unordered_set<uint32_t> bodies;
  for (const SplitPart& part : parts) {
    check(&part.call->graph() == &graph, "calls that are inlined stand in this graph:", part.name);
    inline_body(part.call, *part.graph);
    bodies.insert(part.graph->id());
  }
  erase_unnamed(graph.module(), std::move(bodies));
}

size_t inline_calls(std::span<Graph* const> graphs) {
  if (graphs.empty()) return 0;
  ir::Module& module = graphs.front()->module();
  std::unordered_set<uint32_t> ids;
  for (const Graph* graph : graphs) ids.insert(graph->id());
  size_t count = 0;
  // Bodies may call each other: every round inlines one level.
  for (std::vector<Node*> calls = calls_of(module, ids); !calls.empty();
       calls = calls_of(module, ids)) {
    for (Node* call : calls) inline_body(call, *ir::child_graphs(*call).front());
    count += calls.size();
  }
  erase_unnamed(module, std::move(ids));
  return count;
}

}  // namespace litz::passes
