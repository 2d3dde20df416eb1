#include "passes/regions.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ir/child_graphs.h"
#include "ir/printed_symbols.h"
#include "passes/partition/fuse_partitions.h"
#include "passes/partition/partitioner.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Trait;
using ir::Value;

constexpr std::string_view kRegionOp = "litz.region";

bool is_collective(const Node& node) {
  return has(node.op().traits, Trait::collective_start) ||
         has(node.op().traits, Trait::collective_wait);
}

bool is_token(Value value) { return value && std::holds_alternative<ir::TokenType>(value.type()); }

bool has_tokens(const Node& node) {
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (is_token(node.input(i))) return true;
  }
  return std::ranges::any_of(node.outputs(), is_token);
}

/// Casts that a bucketed collective absorbs.
bool only_feeds_collectives(const Node& node) {
  constexpr std::array<std::string_view, 2> kCasts{"aten._to_copy", "prims.convert_element_type"};
  if (std::ranges::find(kCasts, node.op().name()) == kCasts.end()) return false;
  const std::vector<Node*> users = node.output().users();
  return !users.empty() && std::ranges::all_of(users, [](const Node* user) {
    return has(user->op().traits, Trait::collective_start);
  });
}

std::string reason_outside(const Node& node) {
  if (node.is(kRegionOp)) return "it is a region already";
  if (node.op().origin == ir::OpOrigin::program) return "nobody knows how it is computed";
  if (is_collective(node)) return "it is a collective";
  if (only_feeds_collectives(node)) return "it casts for a collective";
  return has_tokens(node) ? "it orders effects by tokens" : "";
}

using Keys = std::map<const Node*, RegionKey>;

/// Finds the graphs with regions of their own, callers first, and the keys of all marked nodes.
class Marks {
 public:
  explicit Marks(Graph& main) { visit(main); }

  std::span<Graph* const> graphs() const { return graphs_; }

  const Keys& keys() const { return keys_; }

 private:
  // The recursion is as deep as control flow, which importers limit.
  void visit(Graph& graph) {
    if (!seen_.insert(&graph).second) return;
    graphs_.push_back(&graph);
    for (const Node* node : graph.in_order()) {
      std::optional<RegionKey> key;
      if (!node->is(kRegionOp)) key = region_key(*node);
      if (key && reason_outside(*node).empty()) {
        keys_.emplace(node, std::move(*key));
        continue;  // The called graph belongs to its region.
      }
      for (Graph* child : ir::child_graphs(*node)) visit(*child);
    }
  }

  std::set<const Graph*> seen_;
  std::vector<Graph*> graphs_;
  Keys keys_;
};

bool is_data_dependent(const ir::Module& module, SymbolId symbol) {
  return comes_from_data(module.exprs().symbol(symbol).kind);
}

/// True if a reader of the value can compute the symbol from it.
bool binds(const ir::ValueType& type, SymbolId symbol) {
  const auto is_it = [&](Expr expr) { return expr.is_symbol() && expr.symbol() == symbol; };
  if (const auto* scalar = std::get_if<ir::ScalarType>(&type)) return is_it(scalar->value);
  const auto* tensor = std::get_if<TensorType>(&type);
  return tensor != nullptr && std::ranges::any_of(tensor->sizes, is_it);
}

bool any_output_binds(const Graph& body, SymbolId symbol) {
  return std::ranges::any_of(body.outputs(), [&](const ir::Argument& output) {
    return output.is_value() && binds(output.value().type(), symbol);
  });
}

/// The first value of the body that has the symbol; null if it comes from outside or no value has
/// it.
Value definition(const Graph& body, SymbolId symbol) {
  for (const Value input : body.inputs()) {
    if (binds(input.type(), symbol)) return {};
  }
  for (const Node* node : body.in_order()) {
    for (const Value output : node->outputs()) {
      if (binds(output.type(), symbol)) return output;
    }
  }
  return {};
}

/// Returns data-dependent sizes of the body that `graph` uses, since they must leave as values.
void return_definitions(const Graph& graph, Graph& body) {
  std::vector<ir::Argument> outputs(body.outputs().begin(), body.outputs().end());
  const std::vector<SymbolId> inside = ir::symbols_in(body);
  for (const SymbolId symbol : ir::symbols_in(graph)) {
    if (!is_data_dependent(graph.module(), symbol) || any_output_binds(body, symbol)) continue;
    if (!std::ranges::binary_search(inside, symbol)) continue;
    if (const Value value = definition(body, symbol)) outputs.emplace_back(value);
  }
  if (outputs.size() > body.outputs().size()) body.set_outputs(std::move(outputs));
}

/// Replaces the call of a part by a region call.
Node* make_region(const SplitPart& part, const RegionKey& key) {
  Node* old = part.call;
  Graph& graph = old->graph();
  return_definitions(graph, *part.graph);
  std::vector<ir::ValueType> types;
  for (const ir::Argument& output : part.graph->outputs()) {
    types.push_back(output.value().type());
  }
  Node* call = nullptr;
  {
    const auto scope = graph.insert_before(old);
    const ir::OpInfo* op = graph.module().ops().find(kRegionOp);
    check(op != nullptr, "the operator set must have calls of regions");
    call = graph.create_typed(*op, {ir::GraphRef{part.graph->id()}, old->argument("operands")},
                              std::move(types));
  }
  for (const Value result : old->outputs()) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): cleared below.
    const std::string name = result.name();
    graph.replace_uses(result, call->output(result.index()));
    graph.set_name(result, "");
    graph.set_name(call->output(result.index()), name);
  }
  graph.erase(old);
  ir::Annotations annotations = call->annotations();
  annotations.insert_or_assign(std::string(kRegionAnnotation), annotation_value(key));
  graph.set_annotations(call, std::move(annotations));
  return call;
}

std::vector<std::string> sources_of(const Graph& body) {
  std::vector<std::string> sources;
  for (const Node* node : body.in_order()) {
    const ir::Location& location = node->location();
    if (location.file.empty()) continue;
    std::string source = location.file + ":" + std::to_string(location.line);
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(std::move(source));
  }
  return sources;
}

/// Gives the key for a partition's kind.
using KeyOfKind = std::function<const RegionKey&(const std::string&)>;

void outline_partitions(Graph& graph, std::vector<Partition> partitions, const KeyOfKind& key_of,
                        std::vector<Region>& regions) {
  if (partitions.empty()) return;
  // Numbered by position.
  std::ranges::sort(partitions, [](const Partition& a, const Partition& b) {
    return a.nodes.front()->is_before(*b.nodes.front());
  });
  std::vector<std::string> kinds;
  for (const Partition& partition : partitions) kinds.push_back(partition.kind);
  for (const SplitPart& part : fuse_partitions(graph, partitions, {.prefix = "region_"})) {
    const auto number = static_cast<size_t>(parse_int(part.name).value());
    const RegionKey& key = key_of(kinds.at(number));
    Region region;
    region.graph = part.graph;
    region.key = key;
    region.nodes = part.graph->node_count();
    region.sources = sources_of(*part.graph);
    region.call = make_region(part, key);
    regions.push_back(std::move(region));
  }
}

void outline_marked(Graph& graph, const Keys& keys, std::vector<Region>& regions) {
  std::map<std::string, RegionKey> by_kind;
  const auto kind_of = [&](const Node& node) -> KindOrRefusal {
    const auto found = keys.find(&node);
    if (found == keys.end()) return {std::nullopt, "no annotation marks it"};
    std::string kind = annotation_value(found->second);
    if (found->second.is_backward) kind += " backward";
    by_kind.emplace(kind, found->second);
    return {std::move(kind), ""};
  };
  Proposal proposal = propose_partitions_by_kind(graph, kind_of, {.single_nodes = true});
  outline_partitions(
      graph, std::move(proposal.partitions),
      [&](const std::string& kind) -> const RegionKey& { return by_kind.at(kind); }, regions);
}

}  // namespace

std::vector<Region> outline_regions(Graph& main) {
  const Marks marks(main);
  std::vector<Region> regions;
  for (Graph* graph : marks.graphs()) outline_marked(*graph, marks.keys(), regions);
  return regions;
}

std::vector<Region> outline_recordable(Graph& main, const RecordableOptions& options,
                                       const RegionKey& key) {
  const Support support = recordable(options);
  std::vector<Region> regions;
  for (Graph* graph : ir::post_order(main)) {
    outline_partitions(
        *graph, propose_recordings(*graph, support).partitions,
        [&](const std::string&) -> const RegionKey& { return key; }, regions);
  }
  return regions;
}

}  // namespace litz::passes
