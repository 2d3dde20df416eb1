// Turns requests into predicates, proposes and fuses for every graph, and gives hints. See
// program_partitions.h.

#include "passes/partition/program_partitions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "graph_tools/fx_rows.h"
#include "ir/child_graphs.h"
#include "ir/names.h"
#include "ir/operator_names.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

constexpr size_t kOperatorsInHint = 8;

/// The program's operators with their node counts, the most frequent first.
std::string operators_of(std::span<const GraphProposal> graphs) {
  std::map<std::string, size_t> counts;
  for (const GraphProposal& each : graphs) {
    for (const Node* node = each.graph->first(); node != nullptr; node = node->next()) {
      ++counts[std::string(node->op().name())];
    }
  }
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), &std::pair<std::string, size_t>::second);
  std::vector<std::string> names;
  for (const auto& [name, count] : sorted) {
    if (names.size() == kOperatorsInHint) {
      names.emplace_back("...");
      break;
    }
    names.push_back(name + " (" + std::to_string(count) + ")");
  }
  return join(names, ", ");
}

bool is_called(std::span<const GraphProposal> graphs, const std::string& name) {
  return std::ranges::any_of(graphs, [&](const GraphProposal& each) {
    for (const Node* node = each.graph->first(); node != nullptr; node = node->next()) {
      if (is_operator(node->op(), name)) return true;
    }
    return false;
  });
}

/// The request with operator names spelled as in the program's set.
PartitionRequest resolved(PartitionRequest request, const ir::OpSet& ops) {
  for (std::vector<std::string>* names :
       {&request.operators, &request.excluded_operators, &request.recording.unsafe}) {
    for (std::string& name : *names) name = ir::resolve_operator(ops, name);
  }
  return request;
}

/// The nodes with these names. A name applies to every graph, or to one graph whose name precedes
/// it.
std::unordered_set<const Node*> named_nodes(const std::vector<std::string>& names,
                                            std::span<const GraphProposal> graphs) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::set<std::string> missing = wanted;
  std::unordered_set<const Node*> found;
  for (const GraphProposal& each : graphs) {
    const NodeNames name_of(*each.graph);
    for (const Node* node = each.graph->first(); node != nullptr; node = node->next()) {
      const std::string name = name_of(*node);
      for (const std::string& spelling : {name, each.graph->name() + "." + name}) {
        if (!wanted.contains(spelling)) continue;
        missing.erase(spelling);
        found.insert(node);
      }
    }
  }
  require(missing.empty(), "nodes must have the names that litz print shows:",
          missing.empty() ? "" : *missing.begin());
  return found;
}

void require_choice(const PartitionRequest& request, std::span<const GraphProposal> graphs) {
  const bool chooses = request.recordable || request.predicate != nullptr ||
                       !request.operators.empty() || !request.excluded_operators.empty() ||
                       !request.excluded_dtypes.empty() || !request.nodes.empty();
  require(chooses,
          "choose what partitions are made of: --ops aten.add,aten.mul,... or --cudagraphs - the "
          "program calls",
          operators_of(graphs));
}

Support support_of(const PartitionRequest& request, std::span<const GraphProposal> graphs) {
  std::vector<Support> parts;
  if (!request.operators.empty()) parts.push_back(operators(request.operators));
  if (!request.excluded_operators.empty()) {
    parts.push_back(no_operators(request.excluded_operators));
  }
  for (const DType dtype : request.excluded_dtypes) parts.push_back(no_operand_of(dtype));
  if (!request.nodes.empty()) {
    parts.push_back([nodes = named_nodes(request.nodes, graphs)](const Node& node) -> Refusal {
      if (nodes.contains(&node)) return std::nullopt;
      return "its name is not listed";
    });
  }
  if (request.recordable) parts.push_back(recordable(request.recording));
  if (request.predicate) parts.push_back(request.predicate);
  return all_of(std::move(parts));
}

}  // namespace

NodeNames::NodeNames(const Graph& graph) {
  const ir::FxRows rows(graph, ir::Spelling::repr);
  for (const ir::FxRow& row : rows.rows()) {
    if (row.node == nullptr || !row.is_call() || row.is_item()) continue;
    const bool has_name = row.node->output_count() == 1 && !row.node->output().name().empty();
    if (!has_name) others_.emplace(row.node, row.name);
  }
}

std::string NodeNames::operator()(const Node& node) const {
  const auto found = others_.find(&node);
  return found != others_.end() ? found->second : node.output().name();
}

std::string NodeNames::shown(const Node& node) const {
  return (others_.contains(&node) ? "" : "%") + (*this)(node);
}

std::vector<GraphProposal> propose_in_program(Graph& main, const PartitionRequest& given) {
  std::vector<GraphProposal> all;
  for (Graph* graph : ir::post_order(main)) all.push_back({graph, {}});
  std::ranges::reverse(all);
  require_choice(given, all);
  const PartitionRequest request = resolved(given, main.module().ops());
  const Support support = support_of(request, all);
  for (GraphProposal& each : all) {
    each.proposal = request.recordable ? propose_recordings(*each.graph, support, request.options)
                                       : propose_partitions(*each.graph, support, request.options);
  }
  return all;
}

std::vector<std::vector<SplitPart>> fuse_in_program(const std::vector<GraphProposal>& proposals,
                                                    const FuseOptions& options) {
  std::vector<std::vector<SplitPart>> parts;
  parts.reserve(proposals.size());
  for (const GraphProposal& each : proposals) {
    parts.push_back(fuse_partitions(*each.graph, each.proposal.partitions, options));
  }
  return parts;
}

std::vector<std::string> partition_hints(const std::vector<GraphProposal>& proposals,
                                         const PartitionRequest& request) {
  std::vector<std::string> hints;
  for (const std::string& name : request.operators) {
    if (proposals.empty()) break;
    const ir::OpSet& ops = proposals.front().graph->module().ops();
    if (is_called(proposals, ir::resolve_operator(ops, name))) continue;
    hints.push_back("no node calls " + name + "; the program calls " + operators_of(proposals));
    break;
  }
  size_t elsewhere = 0;
  size_t alone = 0;
  for (const GraphProposal& each : proposals) {
    for (const LeftOut& left_out : each.proposal.left_out) {
      if (left_out.cause == LeftOut::Cause::too_small) ++alone;
    }
    for (const Node* node = each.graph->first(); node != nullptr; node = node->next()) {
      const bool is_elsewhere = std::ranges::any_of(node->outputs(), [&](Value output) {
        return output.is_tensor() && output.tensor().device.kind != request.recording.device;
      });
      if (is_elsewhere) ++elsewhere;
    }
  }
  const bool has_sets = std::ranges::any_of(
      proposals, [](const GraphProposal& each) { return !each.proposal.partitions.empty(); });
  if (!has_sets && request.recordable && elsewhere > 0) {
    hints.push_back(counted(elsewhere, "node") + (elsewhere == 1 ? " is" : " are") + " not on " +
                    to_string(Device{request.recording.device}) +
                    "; --device cuda judges as if the model had been exported on a GPU");
  }
  if (alone > 0) {
    hints.push_back(counted(alone, "node") + " in sets of less than two nodes that compute; " +
                    "--single-nodes keeps these sets");
  }
  return hints;
}

std::string to_string(const Barrier& barrier, const NodeNames& names) {
  return names.shown(*barrier.from) + " leads to " + names.shown(*barrier.to) + " through " +
         names.shown(*barrier.through);
}

Device parse_place(const std::string& text) {
  std::optional<Device> device = parse_device(text);
  require(
      device.has_value() && (device->kind == DeviceKind::cpu || device->kind == DeviceKind::cuda),
      "a device must be cpu, cuda or cuda:N, not", text);
  if (device->kind == DeviceKind::cuda && device->index < 0) device->index = 0;
  return *device;
}

void require_prefix(const std::string& prefix) {
  require(ir::legal_name(prefix) == prefix, "a prefix must be a name of letters, digits and _, not",
          prefix);
}

Boundary boundary_of(const Partition& partition) {
  const std::unordered_set<const Node*> members(partition.nodes.begin(), partition.nodes.end());
  Boundary boundary;
  std::unordered_set<const ir::ValueData*> seen;
  for (const Node* node : partition.nodes) {
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Value input = node->input(i);
      if (members.contains(input.producer()) || !seen.insert(input.data()).second) continue;
      boundary.inputs.push_back(input);
    }
    for (const Value output : node->outputs()) {
      const bool is_read = std::ranges::any_of(
          output.users(), [&](const Node* user) { return !members.contains(user); });
      if (is_read) boundary.outputs.push_back(output);
    }
  }
  std::ranges::sort(boundary.inputs, stands_before);
  return boundary;
}

}  // namespace litz::passes
