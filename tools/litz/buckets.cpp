// litz buckets: joins the collectives of a program, and shows which, why, and what that changes.

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/graph_file.h"
#include "litz/commands.h"
#include "litz/program_options.h"
#include "machine/cluster.h"
#include "passes/bucketing/bucketing.h"
#include "passes/overlap/timeline.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/text.h"

namespace litz::tools {
namespace {

struct BucketsCommand {
  std::string model;
  std::string model_name;
  std::vector<double> caps;
  std::string scope = "all";
  std::string mode = "plain";
  bool by_key = false;
  bool keeps_order = false;
  std::string cards = "hopper";
  machine::Cluster cluster;
  std::string output;
  bool json = false;
};

/// What a graph's collectives cost.
struct State {
  std::map<std::string, size_t> collectives;  ///< How many, by operator without namespace.
  passes::Timeline line;
  double peak_bytes = 0;
};

State state_of(const ir::Graph& graph, const machine::Cluster& cluster) {
  State state;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!has(node->op().traits, ir::Trait::collective_start)) continue;
    const std::string_view name = node->op().name();
    ++state.collectives[std::string(name.substr(name.find('.') + 1))];
  }
  state.line = passes::timeline(graph, cluster);
  state.peak_bytes = passes::peak_bytes(graph);
  return state;
}

passes::BucketOptions options_of(const BucketsCommand& command) {
  passes::BucketOptions options;
  options.scope = passes::parse_bucket_scope(command.scope);
  options.mode = passes::parse_bucket_mode(command.mode);
  options.counts_by_key = command.by_key;
  options.keeps_order = command.keeps_order;
  for (const double cap : command.caps) {
    require(cap >= 0, "--cap must be a number of megabytes:", cap);
  }
  // The last cap holds for all buckets after it.
  if (!command.caps.empty()) {
    options.cap_mb = [caps = command.caps](size_t index) {
      return caps[std::min(index, caps.size() - 1)];
    };
  }
  return options;
}

void write_counts(JsonWriter& out, std::string_view key, const State& state) {
  out.key(key).begin_object();
  for (const auto& [name, count] : state.collectives) out.member(name, count);
  out.end_object();
}

void print_json(const State& before, const State& after, const passes::BucketReport& report) {
  JsonWriter out;
  out.begin_object();
  write_counts(out, "before", before);
  write_counts(out, "after", after);
  out.key("buckets").begin_array();
  for (const passes::Bucket& bucket : report.buckets) {
    out.begin_object().member("kind", passes::name(bucket.kind)).member("group", bucket.group);
    out.key("members").begin_array();
    for (const std::string& member : bucket.members) out.value(member);
    out.end_array()
        .member("bytes", bucket.bytes)
        .member("round", bucket.round)
        .member("closed", bucket.closed)
        .end_object();
  }
  out.end_array().key("others").begin_array();
  for (const passes::Unbucketed& other : report.others) {
    out.begin_object()
        .member("kind", passes::name(other.kind))
        .member("name", other.name)
        .member("reason", other.reason)
        .end_object();
  }
  out.end_array()
      .member("exposed_us", after.line.exposed_us)
      .member("exposed_us_before", before.line.exposed_us)
      .member("total_us", after.line.total_us)
      .member("total_us_before", before.line.total_us)
      .member("peak_bytes", after.peak_bytes)
      .member("peak_bytes_before", before.peak_bytes);
  std::printf("%s\n", out.end_object().take().c_str());
}

std::string counts_text(const State& state) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : state.collectives) {
    texts.push_back(std::to_string(count) + " " + name);
  }
  return texts.empty() ? "no collectives" : join(texts, ", ");
}

void print_state(const char* when, const State& state) {
  std::printf("%-7s %s\n", when, counts_text(state).c_str());
  std::printf(
      "        %.1f us: %.1f of computation, %.1f of communication, %.1f exposed; peak %s\n",
      state.line.total_us, state.line.compute_us, state.line.communication_us,
      state.line.exposed_us, human_bytes(static_cast<uint64_t>(state.peak_bytes)).c_str());
}

void print_text(const State& before, const State& after, const passes::BucketReport& report) {
  print_state("before", before);
  print_state("after", after);
  for (const passes::Bucket& bucket : report.buckets) {
    std::printf("bucket  %s of group %s, %s: %s\n        %s\n",
                std::string(passes::name(bucket.kind)).c_str(), bucket.group.c_str(),
                human_bytes(static_cast<uint64_t>(bucket.bytes)).c_str(),
                join(bucket.members, " ").c_str(), bucket.closed.c_str());
  }
  for (const passes::Unbucketed& other : report.others) {
    std::printf("alone   %s %s: %s\n", std::string(passes::name(other.kind)).c_str(),
                other.name.c_str(), other.reason.c_str());
  }
}

int buckets(BucketsCommand& command) {
  command.cluster.cards = machine::parse_card_generation(command.cards);
  require(command.cluster.ranks_per_node > 0 && command.cluster.default_ranks > 0,
          "a cluster must have ranks:", command.cluster.ranks_per_node);
  const passes::BucketOptions options = options_of(command);
  ir::Program program = compiler::open_program(command.model, {.model = command.model_name});
  passes::PassContext context{.program = &program};
  passes::run_pipeline(passes::import_pipeline(), *program.module, context);
  const State before = state_of(program.graph(), command.cluster);
  const passes::BucketReport report = passes::bucket_collectives(program.graph(), options);
  const State after = state_of(program.graph(), command.cluster);
  if (command.json) {
    print_json(before, after, report);
  } else {
    print_text(before, after, report);
  }
  if (!command.output.empty()) compiler::write_program(command.output, program);
  return kSuccess;
}

}  // namespace

void add_buckets(CLI::App& app, int& status) {
  auto settings = std::make_shared<BucketsCommand>();
  CLI::App* command = app.add_subcommand(
      "buckets", "Join the collectives of a program of several ranks, and show what that changes");
  command->add_option("model", settings->model, "exported program (.pt2)")->required();
  command->add_option("--model-name", settings->model_name,
                      "which model of an archive with several");
  command
      ->add_option("--cap", settings->caps,
                   "most megabytes of a bucket; several, with commas: of the first bucket, the "
                   "second, ..., and of all after the last")
      ->delimiter(',');
  command->add_option("--scope", settings->scope,
                      "all, or fsdp: only gathers of parameters and scatters of gradients");
  command->add_option("--mode", settings->mode,
                      "plain; packed: one operator packs and converts; multi-dtype: gathers of "
                      "different dtypes are joined; coalesced: scatters without copies");
  command->add_flag("--count-by-key", settings->by_key,
                    "count buckets for --cap per kind, group and dtype, not per run");
  command->add_flag("--keep-order", settings->keeps_order,
                    "let no collective overtake another one of its group");
  command->add_option("--world", settings->cluster.default_ranks,
                      "ranks of groups whose size the program does not tell, for times");
  command->add_option("--ranks-per-node", settings->cluster.ranks_per_node, "for times");
  command->add_option("--cards", settings->cards, "volta, ampere, hopper or blackwell, for times");
  command->add_option("-o,--output", settings->output,
                      "write the program with its buckets: FILE.ir is its text, other files are "
                      "programs that litz run and the others take");
  command->add_flag("--json", settings->json, "print one JSON object");
  command->footer(
      "Times are those of a model of a cluster (docs/distributed.md), not of this machine.");
  command->callback([settings, &status] { status = buckets(*settings); });
}

}  // namespace litz::tools
