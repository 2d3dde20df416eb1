// litz partition: which sets of nodes a back end could take as one node each, and why the other nodes
// stay outside.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "import/import.h"
#include "ir/child_graphs.h"
#include "litz/commands.h"
#include "litz/graph_drawing.h"
#include "ops/op_table.h"
#include "passes/partition/cuda_graphs.h"
#include "passes/partition/partitioner.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

struct PartitionSettings {
  std::string model;
  std::string model_name;
  std::vector<std::string> operators;
  std::vector<std::string> unsafe;
  std::string device;
  std::string drawing;
  std::string level = "late";
  bool cuda_graphs = false;
  bool single_nodes = false;
  bool connected = false;
  bool json = false;
};

struct GraphPartitions {
  ir::Graph* graph = nullptr;
  passes::Proposal proposal;
};

void require_known(const std::vector<std::string>& names) {
  const std::shared_ptr<const ops::OpTable> table = ops::standard_ops();
  for (const std::string& name : names) {
    const bool is_known = std::ranges::any_of(
        table->all(), [&](const ir::OpInfo* op) { return passes::is_operator(*op, name); });
    if (is_known) continue;
    require(!name.empty(),
            "names of operators must not be empty; they look like aten.add or aten.add.Tensor");
    const std::vector<std::string> close = table->suggestions(name);
    fail(ErrorCode::invalid_argument, "operators to look for must exist:", name,
         close.empty() ? "- names look like aten.add or aten.add.Tensor" : "- did you mean",
         join(close, ", "));
  }
}

passes::LevelChoice parse_level(const std::string& text) {
  if (text == "early") return passes::LevelChoice::early;
  if (text == "memory") return passes::LevelChoice::least_memory;
  require(text == "late", "--level must be late, early or memory, not", text);
  return passes::LevelChoice::late;
}

void place(ir::Module& module, const std::string& text) {
  if (text.empty()) return;
  std::optional<Device> device = parse_device(text);
  require(device.has_value() && device->kind != DeviceKind::meta,
          "--device must be cpu, cuda or cuda:N, not", text);
  if (device->kind == DeviceKind::cuda && device->index < 0) device->index = 0;
  passes::place_on(module, *device);
}

std::vector<GraphPartitions> propose(const ir::Program& program,
                                     const PartitionSettings& settings) {
  require(settings.cuda_graphs != !settings.operators.empty(),
          "choose what partitions are made of: --ops aten.add,aten.mul,... or --cudagraphs");
  require_known(settings.operators);
  require_known(settings.unsafe);
  const passes::Support support = settings.cuda_graphs
                                      ? passes::recordable({.unsafe = settings.unsafe})
                                      : passes::operators(settings.operators);
  const passes::PartitionOptions options{.single_nodes = settings.single_nodes,
                                         .join_unconnected = !settings.connected,
                                         .level = parse_level(settings.level)};
  std::vector<GraphPartitions> all;
  for (ir::Graph* graph : ir::post_order(program.graph())) {
    all.push_back({graph, passes::propose_partitions(*graph, support, options)});
  }
  std::ranges::reverse(all);  // Callers first.
  return all;
}

std::string name_of(const ir::Node& node) {
  if (node.output_count() == 0 || node.output().name().empty()) {
    return "(" + std::string(node.op().name()) + ")";
  }
  return "%" + node.output().name();
}

std::string source_of(const ir::Node& node) {
  const ir::Location& location = node.location();
  if (location.file.empty()) return {};
  return location.file + ":" + std::to_string(location.line);
}

std::vector<std::string> names_of(const passes::Partition& partition) {
  std::vector<std::string> names;
  names.reserve(partition.nodes.size());
  for (const ir::Node* node : partition.nodes) names.push_back(name_of(*node));
  return names;
}

std::string spell(const passes::Barrier& barrier) {
  return "apart because " + name_of(*barrier.from) + " leads to " + name_of(*barrier.to) +
         " through " + name_of(*barrier.through);
}

void print_text(const std::vector<GraphPartitions>& all, const std::string& against) {
  if (!against.empty()) std::printf("the program as a whole: %s\n", against.c_str());
  for (const auto& [graph, proposal] : all) {
    size_t inside = 0;
    for (const passes::Partition& partition : proposal.partitions) inside += partition.nodes.size();
    std::printf("@%s: %zu of %s in %s\n", graph->name().c_str(), inside,
                counted(graph->node_count(), "node").c_str(),
                counted(proposal.partitions.size(), "partition").c_str());
    for (size_t i = 0; i < proposal.partitions.size(); ++i) {
      const passes::Partition& partition = proposal.partitions[i];
      std::printf("  %-4zu %10s  %s\n", i, counted(partition.nodes.size(), "node").c_str(),
                  join(names_of(partition), " ").c_str());
      if (partition.barrier) std::printf("       %s\n", spell(*partition.barrier).c_str());
    }
    if (proposal.left_out.empty()) continue;
    std::printf("  left out\n");
    for (const auto& [node, reason] : proposal.left_out) {
      const std::string source = source_of(*node);
      std::printf("    %-20s %-28s %s%s%s\n", name_of(*node).c_str(),
                  std::string(node->op().name()).c_str(), reason.c_str(),
                  source.empty() ? "" : "  ", source.c_str());
    }
  }
}

void write_proposal(JsonWriter& out, const GraphPartitions& of) {
  out.begin_object().member("graph", of.graph->name());
  out.key("partitions").begin_array();
  for (const passes::Partition& partition : of.proposal.partitions) {
    out.begin_object().key("nodes").begin_array();
    for (const std::string& name : names_of(partition)) out.value(name);
    out.end_array();
    if (partition.barrier) {
      out.key("apart_because")
          .begin_object()
          .member("from", name_of(*partition.barrier->from))
          .member("through", name_of(*partition.barrier->through))
          .member("to", name_of(*partition.barrier->to))
          .end_object();
    }
    out.end_object();
  }
  out.end_array().key("left_out").begin_array();
  for (const auto& [node, reason] : of.proposal.left_out) {
    out.begin_object()
        .member("node", name_of(*node))
        .member("operator", node->op().name())
        .member("reason", reason)
        .member("source", source_of(*node))
        .end_object();
  }
  out.end_array().end_object();
}

void print_json(const std::vector<GraphPartitions>& all, const std::string& against) {
  JsonWriter out;
  out.begin_object().member("against", against).key("graphs").begin_array();
  for (const GraphPartitions& each : all) write_proposal(out, each);
  std::printf("%s\n", out.end_array().end_object().take().c_str());
}

int partition(const PartitionSettings& settings) {
  const ir::Program program =
      import_::import_program(settings.model, ops::standard_ops(), {.model = settings.model_name});
  place(*program.module, settings.device);
  const std::vector<GraphPartitions> all = propose(program, settings);
  const std::string against =
      settings.cuda_graphs ? passes::reason_not_recorded(program) : std::string();
  if (settings.json) {
    print_json(all, against);
  } else {
    print_text(all, against);
  }
  if (settings.drawing.empty()) return kSuccess;
  ir::DrawOptions options;
  for (const auto& [graph, proposal] : all) {
    for (size_t i = 0; i < proposal.partitions.size(); ++i) {
      const std::vector<ir::Node*>& nodes = proposal.partitions[i].nodes;
      options.groups.push_back({"partition " + std::to_string(i), {nodes.begin(), nodes.end()}});
    }
  }
  write_drawing(settings.drawing, program.graph(), options);
  return kSuccess;
}

}  // namespace

void add_partition(CLI::App& app, int& status) {
  auto settings = std::make_shared<PartitionSettings>();
  CLI::App* command =
      app.add_subcommand("partition", "List sets of nodes that can be taken out, and what cannot");
  command->add_option("model", settings->model, "exported program (.pt2)")->required();
  command->add_option("--model-name", settings->model_name,
                      "which model of an archive with several");
  command
      ->add_option("--ops", settings->operators,
                   "operators to take, separated by commas; aten.add means all its overloads")
      ->delimiter(',');
  command->add_flag("--cudagraphs", settings->cuda_graphs,
                    "take what can be recorded in a CUDA graph");
  command
      ->add_option("--unsafe", settings->unsafe,
                   "with --cudagraphs: operators that must not be recorded, separated by commas")
      ->delimiter(',');
  command->add_option("--device", settings->device,
                      "judge as if the model had been exported on this device: cpu, cuda, cuda:N");
  command->add_flag("--single-nodes", settings->single_nodes,
                    "keep partitions of one node that computes");
  command->add_flag("--connected", settings->connected,
                    "put nodes into one partition only if a path inside connects them");
  command
      ->add_option("--level", settings->level,
                   "nodes that could be in several go: late, early, or memory (by bytes alive)")
      ->capture_default_str();
  command->add_flag("--json", settings->json, "print one JSON object");
  command->add_option("--draw", settings->drawing,
                      "draw the graph with its partitions: FILE.svg, FILE.html or FILE.dot");
  command->callback([settings, &status] { status = partition(*settings); });
}

}  // namespace litz::tools
