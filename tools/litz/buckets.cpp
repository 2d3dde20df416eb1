// litz buckets: joins and overlaps the collectives of a program, and shows which, why, and what that
// changes.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph_file.h"
#include "ir/child_graphs.h"
#include "litz/buckets_report.h"
#include "litz/commands.h"
#include "litz/program_options.h"
#include "machine/cluster.h"
#include "passes/bucketing/bucketing.h"
#include "passes/overlap/join_overlapped.h"
#include "passes/overlap/module_schedule.h"
#include "passes/overlap/timeline_picture.h"
#include "passes/overlap/world_curve.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "support/text.h"
#include "support/whole_file.h"

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
  bool schedules = false;
  bool joins_after = false;
  bool exposed_first = false;
  bool joins_regions = false;
  double extra_mb = 1024;
  double in_flight_mb = 5120;
  std::vector<std::string> modules;
  std::string machine = "hopper";
  int64_t world = 0;
  int64_t nodes = 0;
  int64_t ranks_per_node = 0;
  std::string measured;
  std::string output;
  std::string svg;
  bool json = false;
};

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

passes::PriceOptions prices_of(const BucketsCommand& command) {
  for (const int64_t count : {command.world, command.nodes, command.ranks_per_node}) {
    require(count >= 0, "a cluster must have ranks and nodes:", count);
  }
  require(command.nodes == 0 || command.world >= command.nodes,
          "--nodes needs --world with a rank for each:", command.nodes);
  passes::PriceOptions prices = machine::open_cluster(command.machine);
  if (command.ranks_per_node > 0) prices.cluster.ranks_per_node = command.ranks_per_node;
  if (command.nodes > 0) {
    prices.cluster.ranks_per_node = (command.world + command.nodes - 1) / command.nodes;
  }
  prices.world = command.world;
  if (!command.measured.empty()) {
    prices.measured = std::make_shared<const machine::MeasuredTimes>(
        machine::MeasuredTimes::open(command.measured));
  }
  return prices;
}

passes::JoinOptions join_options_of(const BucketsCommand& command) {
  constexpr double kMegabyte = 1024 * 1024;
  require(command.extra_mb >= 0 && command.in_flight_mb >= 0,
          "--extra-memory and --in-flight must be numbers of megabytes:", command.extra_mb);
  passes::JoinOptions options;
  options.buckets = options_of(command);
  options.exposed_first = command.exposed_first;
  options.overlap.prices = prices_of(command);
  options.overlap.keeps_order = command.keeps_order;
  options.overlap.joins_regions = command.joins_regions;
  options.overlap.extra_bytes = command.extra_mb * kMegabyte;
  options.overlap.in_flight_bytes = command.in_flight_mb * kMegabyte;
  return options;
}

/// "layers.0,layers.1+head": groups of modules.
std::vector<passes::ModuleGroup> module_groups(const std::vector<std::string>& texts) {
  std::vector<passes::ModuleGroup> groups;
  for (const std::string& text : texts) {
    passes::ModuleGroup& group = groups.emplace_back();
    for (const std::string_view part : split(text, '+')) group.emplace_back(part);
  }
  return groups;
}

void transform(ir::Graph& graph, const BucketsCommand& command, passes::JoinOptions options,
               BucketsResult& result) {
  if (command.nodes > 0) {
    const std::vector<int64_t> worlds =
        passes::worlds_up_to(command.world, options.overlap.prices.cluster.ranks_per_node);
    result.curve = passes::world_curve(graph, options, worlds);
    if (command.caps.empty()) {
      options.buckets->cap_mb = [cap = result.curve.back().cap_mb](size_t /*index*/) {
        return cap;
      };
    }
  }
  if (!command.modules.empty()) {
    result.buckets =
        passes::schedule_modules(graph, module_groups(command.modules), options.buckets->mode);
    result.overlap = passes::describe_overlap(graph, options.overlap.prices);
    passes::keep_overlap(graph, *result.overlap);
    return;
  }
  if (!command.joins_after) result.buckets = passes::bucket_collectives(graph, *options.buckets);
  if (!command.schedules && !command.joins_after && command.nodes == 0) return;
  if (!command.joins_after) options.buckets.reset();
  auto [overlap, buckets] = passes::overlap_collectives(graph, options);
  result.overlap = std::move(overlap);
  if (command.joins_after) result.buckets = std::move(buckets);
}

int buckets(const BucketsCommand& command) {
  const passes::JoinOptions options = join_options_of(command);
  const passes::PriceOptions& prices = options.overlap.prices;
  ir::Program program = compiler::open_program(command.model, {.model = command.model_name});
  passes::PassContext context{.program = &program};
  passes::run_pipeline(passes::import_pipeline(), *program.module, context);
  ir::Graph& graph = program.graph();
  BucketsResult result;
  // Its nodes are drawn after others took their places.
  ir::Graph& old = ir::clone_graph(graph, graph.name() + "_before");
  result.before = state_of(old, prices);
  transform(graph, command, options, result);
  result.after = state_of(graph, prices);
  if (!command.svg.empty()) {
    const std::string picture =
        passes::timeline_svg({{"before", &result.before.line}, {"after", &result.after.line}});
    write_whole_file(command.svg, std::as_bytes(std::span(picture)));
  }
  const std::string text = command.json ? json_of(result) : text_of(result);
  std::fputs(text.c_str(), stdout);
  program.module->erase_graph({old.id()});
  if (!command.output.empty()) compiler::write_program(command.output, program);
  return kSuccess;
}

void add_bucket_options(CLI::App& command, BucketsCommand& settings) {
  command
      .add_option("--cap", settings.caps,
                  "most megabytes of a bucket; several, with commas: of the first bucket, the "
                  "second, ..., and of all after the last")
      ->delimiter(',');
  command.add_option(
      "--scope", settings.scope,
      "all; fsdp: only gathers of parameters and scatters of gradients; fsdp-recursive: "
      "also through other operators of one operand");
  command.add_option("--mode", settings.mode,
                     "plain; packed: one operator packs and converts; multi-dtype: gathers of "
                     "different dtypes are joined; coalesced: scatters without copies");
  command.add_flag("--count-by-key", settings.by_key,
                   "count buckets for --cap per kind, group and dtype, not per run");
  command.add_flag("--keep-order", settings.keeps_order,
                   "let no collective overtake another one of its group");
}

void add_schedule_options(CLI::App& command, BucketsCommand& settings) {
  command.add_flag("--schedule", settings.schedules,
                   "then order nodes so that computation hides collectives");
  command.add_flag("--join-after", settings.joins_after,
                   "schedule first, and join only what stays hidden");
  command.add_flag("--exposed-first", settings.exposed_first,
                   "with --join-after: begin with collectives that are exposed most");
  command.add_flag("--regions", settings.joins_regions,
                   "what fusion makes one kernel has its price, and stays together");
  command.add_option("--extra-memory", settings.extra_mb,
                     "megabytes by which a schedule may raise the peak");
  command.add_option("--in-flight", settings.in_flight_mb,
                     "most megabytes of collectives at the same time");
  command
      .add_option("--modules", settings.modules,
                  "one bucket per module and kind, each gather one module ahead: paths with "
                  "commas, several of one bucket with +")
      ->delimiter(',');
}

void add_cluster_options(CLI::App& command, BucketsCommand& settings) {
  command.add_option("--machine", settings.machine,
                     "volta, ampere, hopper, blackwell, or a file that describes a cluster");
  command.add_option("--world", settings.world,
                     "ranks of the program's largest groups, in place of their own; for times");
  command.add_option("--nodes", settings.nodes,
                     "of --world: choose caps and show what they give from one node to all");
  command.add_option("--ranks-per-node", settings.ranks_per_node, "for times");
  command.add_option("--measured", settings.measured, "file of measured times");
}

}  // namespace

void add_buckets(CLI::App& app, int& status) {
  auto settings = std::make_shared<BucketsCommand>();
  CLI::App* command = app.add_subcommand(
      "buckets",
      "Join and overlap the collectives of a program of several ranks, and show what "
      "that changes");
  command->add_option("model", settings->model, "exported program (.pt2)")->required();
  command->add_option("--model-name", settings->model_name,
                      "which model of an archive with several");
  add_bucket_options(*command, *settings);
  add_schedule_options(*command, *settings);
  add_cluster_options(*command, *settings);
  command->add_option("-o,--output", settings->output,
                      "write the program with its buckets: FILE.ir is its text, other files are "
                      "programs that litz run and the others take");
  command->add_option("--svg", settings->svg, "draw time lines before and after");
  command->add_flag("--json", settings->json, "print one JSON object");
  command->footer(
      "Times are those of a model of a cluster (docs/distributed.md), not of this machine.");
  command->callback([settings, &status] { status = buckets(*settings); });
}

}  // namespace litz::tools
