// The public API of litz/partition.h over passes/partition.

#include "compiler/graph_file.h"
#include "ir/child_graphs.h"
#include "ir/printer.h"
#include "passes/partition/program_partitions.h"
#include "support/check.h"

// After the library's own names.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "compiler/api/public_program.h"
#include "compiler/api/public_support.h"
#include "litz/partition.h"

namespace litz {
inline namespace v1 {

namespace {

ValueInfo describe(ir::Value value) {
  ValueInfo info;
  info.name = value.name();
  info.type = ir::to_string(value.type());
  info.is_tensor = value.is_tensor();
  if (info.is_tensor) {
    info.dtype = shown(value.tensor().dtype);
    info.device = litz::to_string(value.tensor().device);
  }
  return info;
}

std::string source_of(const ir::Node& node) {
  const ir::Location& location = node.location();
  return location.file.empty() ? "" : location.file + ":" + std::to_string(location.line);
}

}  // namespace

NodeInfo node_info(const ir::Node& node, const passes::NodeNames& names) {
  NodeInfo info;
  info.graph = node.graph().name();
  info.name = names(node);
  info.op = node.op().name();
  info.module = node.location().module_path;
  info.source = source_of(node);
  for (size_t i = 0; i < node.input_count(); ++i) info.inputs.push_back(describe(node.input(i)));
  for (const ir::Value output : node.outputs()) info.outputs.push_back(describe(output));
  return info;
}

namespace {

// Each graph computes its names once.
passes::Support support_of(const NodePredicate& predicate) {
  if (predicate == nullptr) return nullptr;
  auto names = std::make_shared<std::map<const ir::Graph*, passes::NodeNames>>();
  return [predicate, names](const ir::Node& node) -> passes::Refusal {
    const ir::Graph& graph = node.graph();
    auto found = names->find(&graph);
    if (found == names->end()) found = names->emplace(&graph, passes::NodeNames(graph)).first;
    std::string reason = predicate(node_info(node, found->second));
    if (reason.empty()) return std::nullopt;
    return reason;
  };
}

passes::LevelChoice own_level(SetLevel level) {
  switch (level) {
    case SetLevel::early:
      return passes::LevelChoice::early;
    case SetLevel::least_memory:
      return passes::LevelChoice::least_memory;
    case SetLevel::late:
      break;
  }
  return passes::LevelChoice::late;
}

passes::PartitionRequest request_of(const PartitionOptions& options) {
  passes::PartitionRequest request{
      .operators = options.operators,
      .excluded_operators = options.excluded_operators,
      .excluded_dtypes = {},
      .nodes = options.nodes,
      .recordable = options.cuda_graphs,
      .recording = {.unsafe = options.unsafe, .has_generator_state = options.random},
      .predicate = support_of(options.predicate),
      .options = {.single_nodes = options.single_nodes,
                  .non_compute = options.non_compute,
                  .may_stand_alone = options.may_stand_alone,
                  .trim_ends = options.trim_ends,
                  .join_unconnected = options.join_unconnected,
                  .level = own_level(options.level)}};
  for (const DType dtype : options.excluded_dtypes) request.excluded_dtypes.push_back(own(dtype));
  return request;
}

std::vector<std::string> names_of(const std::vector<ir::Value>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const ir::Value value : values) names.push_back(value.name());
  return names;
}

NodeSet describe(const passes::Partition& partition, const ir::Graph& graph,
                 const passes::NodeNames& names) {
  NodeSet set;
  set.graph = graph.name();
  for (const ir::Node* node : partition.nodes) {
    set.nodes.push_back(names(*node));
    set.operators.emplace_back(node->op().name());
  }
  const passes::Boundary boundary = passes::boundary_of(partition);
  set.inputs = names_of(boundary.inputs);
  set.outputs = names_of(boundary.outputs);
  if (partition.barrier) set.apart_because = passes::to_string(*partition.barrier, names);
  return set;
}

/// The sets of each graph, with their positions in the given list.
struct GraphSets {
  std::vector<passes::Partition> partitions;
  std::vector<size_t> numbers;
};

std::map<std::string, GraphSets> find_sets(const ir::Program& program,
                                           std::span<const NodeSet> sets) {
  std::map<std::string, GraphSets> by_graph;
  for (size_t i = 0; i < sets.size(); ++i) by_graph[sets[i].graph].numbers.push_back(i);
  for (auto& [name, of] : by_graph) {
    const ir::Graph* graph = program.module->find_graph(name);
    require(graph != nullptr, OwnErrorCode::not_found,
            "sets must name a graph of the program:", name);
    const passes::NodeNames names(*graph);
    std::map<std::string, ir::Node*> nodes;
    for (ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
      nodes.emplace(names(*node), node);
    }
    for (const size_t number : of.numbers) {
      passes::Partition& partition = of.partitions.emplace_back();
      for (const std::string& node : sets[number].nodes) {
        const auto found = nodes.find(node);
        require(found != nodes.end(), OwnErrorCode::not_found, "sets must name nodes of the graph",
                name + ":", node);
        partition.nodes.push_back(found->second);
      }
    }
  }
  return by_graph;
}

std::vector<std::string> fuse_sets(ir::Program& program, std::span<const NodeSet> sets,
                                   const passes::FuseOptions& options) {
  std::vector<std::string> graphs(sets.size());
  for (const auto& [name, of] : find_sets(program, sets)) {
    for (const passes::SplitPart& part :
         passes::fuse_partitions(*program.module->find_graph(name), of.partitions, options)) {
      graphs[of.numbers[std::stoull(part.name)]] = part.graph->name();
    }
  }
  return graphs;
}

bool is_in_one_graph(std::span<const NodeSet> sets) {
  return std::ranges::all_of(sets,
                             [&](const NodeSet& set) { return set.graph == sets.front().graph; });
}

}  // namespace

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Program::Impl& Program::impl() const {
  if (impl_ == nullptr) throw std::logic_error("a program that was moved from cannot be used");
  return *impl_;
}

Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

std::vector<NodeInfo> Program::nodes() const {
  std::vector<NodeInfo> nodes;
  std::vector<ir::Graph*> graphs = ir::post_order(impl().program.graph());
  for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) {
    const passes::NodeNames names(**graph);
    for (const ir::Node* node = (*graph)->first(); node != nullptr; node = node->next()) {
      nodes.push_back(node_info(*node, names));
    }
  }
  return nodes;
}

Result<bool> Program::place_on(const std::string& device) {
  return guarded<bool>([&] {
    passes::place_on(*impl().program.module, passes::parse_place(device));
    return true;
  });
}

Result<Proposal> Program::propose(const PartitionOptions& options) const {
  return guarded<Proposal>([&] {
    const passes::PartitionRequest request = request_of(options);
    const std::vector<passes::GraphProposal> proposals =
        passes::propose_in_program(impl().program.graph(), request);
    Proposal answer;
    for (const auto& [graph, proposal] : proposals) {
      const passes::NodeNames names(*graph);
      for (const passes::Partition& partition : proposal.partitions) {
        answer.sets.push_back(describe(partition, *graph, names));
      }
      for (const passes::LeftOut& left_out : proposal.left_out) {
        answer.left_out.push_back({graph->name(), names(*left_out.node),
                                   std::string(left_out.node->op().name()), left_out.reason,
                                   source_of(*left_out.node)});
      }
    }
    answer.hints = passes::partition_hints(proposals, request);
    if (options.cuda_graphs) answer.against = passes::reason_not_recorded(impl().program);
    return answer;
  });
}

Result<std::vector<std::string>> Program::fuse(std::span<const NodeSet> sets,
                                               const FuseOptions& options) {
  return guarded<std::vector<std::string>>([&] {
    const passes::FuseOptions how{.prefix = options.prefix,
                                  .boundary = options.boundary == SetBoundary::place
                                                  ? passes::BoundaryOrder::place
                                                  : passes::BoundaryOrder::first_use};
    passes::require_prefix(how.prefix);
    if (is_in_one_graph(sets)) return fuse_sets(impl().program, sets, how);
    // A copy, so that a failure in a later graph leaves earlier ones unchanged.
    ir::Program copy = compiler::copy_program(impl().program);
    std::vector<std::string> graphs = fuse_sets(copy, sets, how);
    impl().program = std::move(copy);
    return graphs;
  });
}

Result<size_t> Program::inline_graphs(std::span<const std::string> graphs) {
  return guarded<size_t>([&] {
    ir::Module& module = *impl().program.module;
    std::vector<ir::Graph*> found;
    for (const std::string& name : graphs) {
      found.push_back(module.find_graph(name));
      require(found.back() != nullptr && found.back() != &impl().program.graph(),
              OwnErrorCode::not_found, "graphs that are inlined must be child graphs:", name);
    }
    return passes::inline_calls(found);
  });
}

std::string Program::text() const { return ir::to_string(*impl().program.module); }

Result<size_t> Program::save(const std::string& path) const {
  return guarded<size_t>([&] { return compiler::write_program(path, impl().program); });
}

Result<Executable> Program::prepare(const Options& options) const {
  return guarded<Executable>([&] {
    return Executable(Executable::Impl::make(std::make_shared<compiler::Executable>(
        compiler::copy_program(impl().program), own_options(options))));
  });
}

Result<Program> open_program(const std::string& path, const std::string& model) {
  return guarded<Program>([&] {
    return Program(std::make_unique<Program::Impl>(
        Program::Impl{compiler::open_program(path, {.model = model})}));
  });
}

}  // namespace v1
}  // namespace litz
