#include "litz/partition_options.h"

#include <optional>

#include "support/check.h"

namespace litz::tools {
namespace {

constexpr const char* kGroup = "Sets of nodes";

passes::LevelChoice parse_level(const std::string& text) {
  if (text == "early") return passes::LevelChoice::early;
  if (text == "memory") return passes::LevelChoice::least_memory;
  require(text == "late", "--level must be late, early or memory, not", text);
  return passes::LevelChoice::late;
}

std::vector<DType> parse_dtypes(const std::vector<std::string>& names) {
  std::vector<DType> dtypes;
  for (const std::string& name : names) {
    const std::optional<DType> dtype = parse_dtype(name);
    require(dtype.has_value(), "--not-dtypes must name dtypes such as f64 or i32, not", name);
    dtypes.push_back(*dtype);
  }
  return dtypes;
}

passes::PartitionRequest request_of(const PartitionSettings& settings) {
  return {.operators = settings.operators,
          .excluded_operators = settings.excluded_operators,
          .excluded_dtypes = parse_dtypes(settings.excluded_dtypes),
          .nodes = settings.nodes,
          .recordable = settings.cuda_graphs,
          .recording = {.unsafe = settings.unsafe, .has_generator_state = !settings.no_random},
          .predicate = nullptr,
          .options = {.single_nodes = settings.single_nodes,
                      .non_compute = settings.non_compute,
                      .may_stand_alone = settings.may_stand_alone,
                      .trim_ends = settings.trim_ends,
                      .join_unconnected = !settings.connected,
                      .level = parse_level(settings.level)}};
}

CLI::Option* add_names(CLI::App& command, const std::string& flag, std::vector<std::string>& names,
                       const std::string& what) {
  return command.add_option(flag, names, what)->delimiter(',')->group(kGroup);
}

}  // namespace

void add_partition_options(CLI::App& command, PartitionSettings& settings) {
  add_names(command, "--ops", settings.operators,
            "operators to take, separated by commas; aten.add means all its overloads");
  add_names(command, "--not-ops", settings.excluded_operators, "operators to leave out");
  add_names(command, "--not-dtypes", settings.excluded_dtypes,
            "leave out what reads tensors of these dtypes (f64, i32, ...)");
  add_names(command, "--nodes", settings.nodes,
            "nodes to take, by the names that litz print shows, without %");
  CLI::Option* const cuda_graphs = command
                                       .add_flag("--cudagraphs", settings.cuda_graphs,
                                                 "take what can be recorded in a CUDA graph")
                                       ->group(kGroup);
  add_names(command, "--unsafe", settings.unsafe,
            "with --cudagraphs: operators that must not be recorded")
      ->needs(cuda_graphs);
  command
      .add_flag("--no-random", settings.no_random,
                "with --cudagraphs: what draws random numbers must not be recorded")
      ->group(kGroup)
      ->needs(cuda_graphs);
  command
      .add_option("--device", settings.device,
                  "judge as if the model had been exported on this device: cpu, cuda, cuda:N")
      ->group(kGroup);
  command
      .add_flag("--single-nodes", settings.single_nodes,
                "keep sets with fewer than two nodes that compute")
      ->group(kGroup);
  add_names(command, "--non-compute", settings.non_compute,
            "operators that compute nothing, besides views");
  add_names(command, "--stand-alone", settings.may_stand_alone,
            "operators that are worth a set of their own");
  command
      .add_flag("--trim-ends", settings.trim_ends,
                "take --non-compute operators off the ends of sets")
      ->group(kGroup);
  command
      .add_flag("--connected", settings.connected,
                "put nodes into one set only if edges inside connect them")
      ->group(kGroup);
  command
      .add_option("--level", settings.level,
                  "nodes that could be in several sets go: late, early, or memory (by bytes alive)")
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--prefix", settings.prefix, "fused sets are graphs @main.PREFIX0, ...")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--boundary", settings.boundary,
                  "arguments and results of fused sets: place (as they stand in the program) or "
                  "first-use (as they are read)")
      ->check(CLI::IsMember({"place", "first-use"}))
      ->capture_default_str()
      ->group(kGroup);
}

bool asks_for_partitions(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() == kGroup && option->count() > 0) return true;
  }
  return false;
}

std::vector<passes::GraphProposal> propose(ir::Program& program,
                                           const PartitionSettings& settings) {
  const passes::PartitionRequest request = request_of(settings);
  if (!settings.device.empty()) {
    passes::place_on(*program.module, passes::parse_place(settings.device));
  }
  return passes::propose_in_program(program.graph(), request);
}

passes::FuseOptions fuse_options(const PartitionSettings& settings) {
  passes::require_prefix(settings.prefix);
  return {.prefix = settings.prefix,
          .boundary = settings.boundary == "place" ? passes::BoundaryOrder::place
                                                   : passes::BoundaryOrder::first_use};
}

std::vector<std::string> hints(const std::vector<passes::GraphProposal>& proposals,
                               const PartitionSettings& settings) {
  return passes::partition_hints(proposals, request_of(settings));
}

}  // namespace litz::tools
