// litz partition: shows the sets of nodes that a back end could take as one node each, why the
// other nodes stay outside, and the program in which every set is a call.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "compiler/graph_file.h"
#include "litz/commands.h"
#include "litz/graph_drawing.h"
#include "litz/partition_options.h"
#include "litz/program_options.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

/// Longer lists are shortened for people; --json has all.
constexpr size_t kMostListed = 8;
/// The column where the nodes of a set begin.
constexpr size_t kIndent = 19;

struct PartitionCommand {
  std::string model;
  std::string model_name;
  std::string drawing;
  std::string output;
  PartitionSettings sets;
  bool json = false;
};

struct Answer {
  std::vector<passes::GraphProposal> graphs;
  std::vector<std::string> hints;
  std::string against;  ///< Why a program as a whole is not recorded; or empty.
};

std::string source_of(const ir::Node& node) {
  const ir::Location& location = node.location();
  if (location.file.empty()) return {};
  return location.file + ":" + std::to_string(location.line);
}

std::vector<std::string> names_of(const std::vector<ir::Value>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const ir::Value value : values) names.push_back("%" + value.name());
  return names;
}

std::vector<std::string> names_of(const passes::Partition& partition,
                                  const passes::NodeNames& names) {
  std::vector<std::string> shown;
  shown.reserve(partition.nodes.size());
  for (const ir::Node* node : partition.nodes) shown.push_back(names.shown(*node));
  return shown;
}

std::vector<std::string> operators_of(const passes::Partition& partition) {
  std::vector<std::string> operators;
  operators.reserve(partition.nodes.size());
  for (const ir::Node* node : partition.nodes) operators.emplace_back(node->op().name());
  return operators;
}

/// The first names, and the number of the others.
std::string shortened(const std::vector<std::string>& names) {
  if (names.empty()) return "nothing";
  const size_t shown = names.size() > kMostListed ? kMostListed - 2 : names.size();
  const std::string text = join(std::span(names).first(shown), " ");
  return shown == names.size() ? text
                               : text + " and " + std::to_string(names.size() - shown) + " more";
}

/// "aten.linear (12), aten.view (3)", the most frequent first.
std::string counted_operators(const std::vector<const ir::Node*>& nodes) {
  std::map<std::string_view, size_t> counts;
  for (const ir::Node* node : nodes) ++counts[node->op().name()];
  std::vector<std::pair<std::string_view, size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           &std::pair<std::string_view, size_t>::second);
  std::vector<std::string> texts;
  texts.reserve(sorted.size());
  for (const auto& [name, count] : sorted) {
    texts.push_back(std::string(name) + " (" + std::to_string(count) + ")");
  }
  return join(texts, ", ");
}

/// One line per node, but a single line if many have the same reason.
void print_left_out(const std::vector<passes::LeftOut>& left_out, const passes::NodeNames& names) {
  std::map<std::string_view, std::vector<const ir::Node*>> by_reason;
  for (const passes::LeftOut& each : left_out) by_reason[each.reason].push_back(each.node);
  for (const passes::LeftOut& each : left_out) {
    const std::vector<const ir::Node*>& like = by_reason.at(each.reason);
    if (like.size() > kMostListed) {
      if (like.front() != each.node) continue;
      std::printf("    %-20s %s: %s\n", counted(like.size(), "node").c_str(), each.reason.c_str(),
                  counted_operators(like).c_str());
      continue;
    }
    const std::string source = source_of(*each.node);
    std::printf("    %-20s %-28s %s%s%s\n", names.shown(*each.node).c_str(),
                std::string(each.node->op().name()).c_str(), each.reason.c_str(),
                source.empty() ? "" : "  ", source.c_str());
  }
}

/// Wraps to lines of readable width, indented like the first.
std::string wrapped(const std::vector<std::string>& names) {
  constexpr size_t kWidth = 80;
  std::string text;
  size_t line = 0;
  for (const std::string& name : names) {
    if (line > 0 && line + name.size() > kWidth) {
      text += "\n" + std::string(kIndent, ' ');
      line = 0;
    }
    text += (line == 0 ? "" : " ") + name;
    line += name.size() + 1;
  }
  return text;
}

void print_set(size_t number, const passes::Partition& partition, const passes::NodeNames& names) {
  std::printf("  %-4zu %10s  %s\n", number, counted(partition.nodes.size(), "node").c_str(),
              wrapped(names_of(partition, names)).c_str());
  const passes::Boundary boundary = passes::boundary_of(partition);
  std::printf("       takes %s, gives %s\n", shortened(names_of(boundary.inputs)).c_str(),
              shortened(names_of(boundary.outputs)).c_str());
  if (!partition.barrier) return;
  std::printf("       apart because %s\n", passes::to_string(*partition.barrier, names).c_str());
}

void print_text(const Answer& answer) {
  if (!answer.against.empty()) {
    std::printf("the program as a whole: %s\n", answer.against.c_str());
  }
  for (const auto& [graph, proposal] : answer.graphs) {
    const passes::NodeNames names(*graph);
    size_t inside = 0;
    for (const passes::Partition& partition : proposal.partitions) inside += partition.nodes.size();
    std::printf("@%s: %zu of %s in %s\n", graph->name().c_str(), inside,
                counted(graph->node_count(), "node").c_str(),
                counted(proposal.partitions.size(), "partition").c_str());
    for (size_t i = 0; i < proposal.partitions.size(); ++i) {
      print_set(i, proposal.partitions[i], names);
    }
    if (proposal.left_out.empty()) continue;
    std::printf("  left out\n");
    print_left_out(proposal.left_out, names);
  }
  for (const std::string& hint : answer.hints) std::printf("hint: %s\n", hint.c_str());
}

void write_texts(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void write_set(JsonWriter& out, const passes::Partition& partition,
               const passes::NodeNames& names) {
  const passes::Boundary boundary = passes::boundary_of(partition);
  out.begin_object();
  write_texts(out, "nodes", names_of(partition, names));
  write_texts(out, "operators", operators_of(partition));
  write_texts(out, "inputs", names_of(boundary.inputs));
  write_texts(out, "outputs", names_of(boundary.outputs));
  if (partition.barrier) {
    out.key("apart_because")
        .begin_object()
        .member("from", names.shown(*partition.barrier->from))
        .member("through", names.shown(*partition.barrier->through))
        .member("to", names.shown(*partition.barrier->to))
        .end_object();
  }
  out.end_object();
}

void write_proposal(JsonWriter& out, const passes::GraphProposal& of) {
  const passes::NodeNames names(*of.graph);
  out.begin_object().member("graph", of.graph->name());
  out.key("partitions").begin_array();
  for (const passes::Partition& partition : of.proposal.partitions) {
    write_set(out, partition, names);
  }
  out.end_array().key("left_out").begin_array();
  for (const passes::LeftOut& left_out : of.proposal.left_out) {
    out.begin_object()
        .member("node", names.shown(*left_out.node))
        .member("operator", left_out.node->op().name())
        .member("reason", left_out.reason)
        .member("source", source_of(*left_out.node))
        .end_object();
  }
  out.end_array().end_object();
}

void print_json(const Answer& answer) {
  JsonWriter out;
  out.begin_object().member("against", answer.against).key("graphs").begin_array();
  for (const passes::GraphProposal& each : answer.graphs) write_proposal(out, each);
  out.end_array();
  write_texts(out, "hints", answer.hints);
  std::printf("%s\n", out.end_object().take().c_str());
}

void draw(const PartitionCommand& command, const ir::Program& program, const Answer& answer) {
  ir::DrawOptions options;
  for (const auto& [graph, proposal] : answer.graphs) {
    for (size_t i = 0; i < proposal.partitions.size(); ++i) {
      const std::vector<ir::Node*>& nodes = proposal.partitions[i].nodes;
      options.groups.push_back({"partition " + std::to_string(i), {nodes.begin(), nodes.end()}});
    }
  }
  write_drawing(command.drawing, program.graph(), options);
}

// Edits the program, so this comes last.
void write_fused(const PartitionCommand& command, const ir::Program& program, const Answer& answer,
                 const passes::FuseOptions& how) {
  passes::fuse_in_program(answer.graphs, how);
  compiler::write_program(command.output, program);
}

int partition(const PartitionCommand& command) {
  ir::Program program = compiler::open_program(command.model, {.model = command.model_name});
  std::error_code none;
  require(
      command.output.empty() || !std::filesystem::equivalent(command.model, command.output, none),
      "--output must not be the model itself:", command.output);
  require(!command.output.ends_with(".pt2"),
          "--output must not be named .pt2, as exported programs are, but for example .litz, not",
          command.output);
  const passes::FuseOptions how = fuse_options(command.sets);
  Answer answer;
  answer.graphs = propose(program, command.sets);
  answer.hints = hints(answer.graphs, command.sets);
  if (command.sets.cuda_graphs) answer.against = passes::reason_not_recorded(program);
  if (command.json) {
    print_json(answer);
  } else {
    print_text(answer);
  }
  if (!command.drawing.empty()) draw(command, program, answer);
  if (!command.output.empty()) write_fused(command, program, answer, how);
  return kSuccess;
}

}  // namespace

void add_partition(CLI::App& app, int& status) {
  auto settings = std::make_shared<PartitionCommand>();
  CLI::App* command =
      app.add_subcommand("partition", "List sets of nodes that can be taken out, and what cannot");
  command->add_option("model", settings->model, "exported program (.pt2), or what -o wrote")
      ->required();
  add_operators_option(*command);
  command->add_option("--model-name", settings->model_name,
                      "which model of an archive with several");
  command->add_flag("--json", settings->json, "print one JSON object");
  command->add_option("--draw", settings->drawing,
                      "draw the graph with its partitions: FILE.svg, FILE.html or FILE.dot");
  command->add_option(
      "-o,--output", settings->output,
      "write the program with every set as a call: FILE.ir is its text, other files "
      "are programs that litz run, print and the others take");
  add_partition_options(*command, settings->sets);
  for (const char* option : {"--prefix", "--boundary"}) {
    command->get_option(option)->needs(command->get_option("--output"));
  }
  command->footer(
      "Examples:\n"
      "  litz partition model.pt2 --ops aten.relu,aten.add -o fused.litz\n"
      "      what PyTorch's CapabilityBasedPartitioner would fuse, and the program that has it "
      "fused;\n"
      "      litz print fused.litz shows it, litz run fused.litz runs it\n"
      "  litz print model.pt2 --stage partition --ops aten.relu,aten.add\n"
      "      every node with the number of its set; --stage fused-partition: the sets as calls\n"
      "  litz partition model.pt2 --cudagraphs --single-nodes\n"
      "      what PyTorch's CUDA-graph partitioner takes; --device cuda for a model that was\n"
      "      exported on the CPU");
  command->callback([settings, &status] { status = partition(*settings); });
}

}  // namespace litz::tools
