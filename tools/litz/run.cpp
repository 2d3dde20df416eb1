// litz run: one call of a program, its results shown, saved or compared.

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/run_results.h"
#include "distributed/simulated_world.h"
#include "ir/placement.h"
#include "litz/commands.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "support/check.h"
#include "support/progress.h"

namespace litz::tools {
namespace {

using Clock = std::chrono::steady_clock;

/// Several ranks in this process.
struct WorldSettings {
  int ranks = 1;
  int shown = 0;
  std::vector<std::string> groups;
  int64_t delay_us = 0;
  std::string buckets;
};

struct RunSettings : ProgramSettings {
  ResultSettings results;
  std::string executor = "cpu";
  std::string target = "host";
  std::string test_modes;
  bool no_cache = false;
  bool no_passes = false;
  PassSettings passes;
  RegionSettings regions;
  WorldSettings world;
};

compiler::Options options_of(const RunSettings& settings) {
  compiler::Options options;
  options.executor = compiler::parse_executor(settings.executor);
  options.device = device_option(settings.device);
  options.seed = static_cast<uint64_t>(settings.seed);
  options.threads = settings.threads;
  options.optimize = !settings.no_passes;
  options.use_cache = !settings.no_cache;
  options.target = settings.target;
  options.test_modes = test_mode_option(settings.test_modes);
  options.passes = driver_options(settings.passes);
  options.verify = settings.passes.verify;
  if (!settings.world.buckets.empty()) {
    options.buckets.emplace();
    options.buckets->mode = passes::parse_bucket_mode(settings.world.buckets);
  }
  require_effect(settings.no_passes, settings.passes);
  set_region_options(settings.regions, options);
  return options;
}

void print_warnings(const compiler::Executable& executable) {
  if (executable.program() == nullptr) return;
  for (const std::string& warning : executable.program()->warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
}

std::string for_rank(std::string text, int rank) {
  constexpr std::string_view kPlace = "{rank}";
  for (size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace)) {
    text.replace(at, kPlace.size(), std::to_string(rank));
  }
  return text;
}

/// One rank's call: its program, inputs and results.
struct RankRun {
  std::unique_ptr<compiler::Executable> executable;
  std::vector<compiler::Leaf> outputs;
  RunTimes times;
};

void run_rank(const RunSettings& settings, compiler::Options options,
              const std::shared_ptr<distributed::Communicator>& communicator, RankRun& result) {
  const int rank = communicator->rank();
  RunSettings own = settings;
  own.model = for_rank(settings.model, rank);
  for (std::string& input : own.inputs) input = for_rank(input, rank);
  own.seed += rank;  // Generated inputs differ from rank to rank.
  options.communicator = communicator;
  const Clock::time_point start = Clock::now();
  result.executable =
      std::make_unique<compiler::Executable>(make_executable(own, options, settings.passes));
  result.times.load_s = std::chrono::duration<double>(Clock::now() - start).count();
  const std::vector<compiler::Leaf> inputs = make_inputs(result.executable->signature(), own);
  result.outputs = timed_calls(
      settings.results, [&] { return result.executable->run(inputs); }, result.times);
}

int run_world(const RunSettings& settings) {
  const WorldSettings& world = settings.world;
  require(world.ranks > 0 && world.shown >= 0 && world.shown < world.ranks,
          "--rank must be one of the world's:", world.shown, world.ranks);
  distributed::SimulationOptions simulation{.ranks = world.ranks};
  for (const std::string& group : world.groups) {
    simulation.groups.insert(distributed::parse_group(group, world.ranks));
  }
  simulation.most_delay = std::chrono::microseconds(world.delay_us);
  simulation.seed = static_cast<uint64_t>(settings.seed);
  const compiler::Options options = options_of(settings);
  std::vector<RankRun> results(static_cast<size_t>(world.ranks));
  distributed::SimulatedWorld(std::move(simulation)).run([&](const auto& communicator) {
    run_rank(settings, options, communicator, results[static_cast<size_t>(communicator->rank())]);
  });
  const RankRun& shown = results[static_cast<size_t>(world.shown)];
  print_warnings(*shown.executable);
  return finish_run(settings.results, shown.executable->signature(),
                    ir::to_string(shown.executable->exported_on()), shown.outputs, shown.times);
}

int run(const RunSettings& settings) {
  if (settings.world.ranks != 1) return run_world(settings);
  compiler::Options options = options_of(settings);
  Progress progress("running " + settings.model, 0,
                    settings.results.json ? ProgressMode::off : ProgressMode::automatic);
  options.on_phase = [&](std::string_view phase) { progress.set_detail(phase); };
  progress.set_detail("reading");
  RunTimes times;
  const Clock::time_point start = Clock::now();
  compiler::Executable executable = make_executable(settings, options, settings.passes);
  times.load_s = std::chrono::duration<double>(Clock::now() - start).count();
  progress.set_detail("");
  const std::vector<compiler::Leaf> inputs = make_inputs(executable.signature(), settings);
  const std::vector<compiler::Leaf> outputs = timed_calls(
      settings.results, [&] { return executable.run(inputs); }, times);
  print_warnings(executable);
  return finish_run(settings.results, executable.signature(),
                    ir::to_string(executable.exported_on()), outputs, times);
}

void add_world_options(CLI::App& command, WorldSettings& settings) {
  command.add_option("--world", settings.ranks,
                     "run so many ranks in this process; {rank} in the model's and the inputs' "
                     "files stands for the rank");
  command.add_option("--rank", settings.shown, "whose results are shown");
  command.add_option("--group", settings.groups,
                     "NAME=RANK,RANK,...: the ranks of a group; repeat for several. Group 0 is the "
                     "world");
  command.add_option("--delay", settings.delay_us,
                     "ranks sleep for random times of at most so many microseconds");
  command.add_option("--buckets", settings.buckets,
                     "join collectives: plain, packed, multi-dtype or coalesced");
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto settings = std::make_shared<RunSettings>();
  CLI::App* command = app.add_subcommand("run", "Run a program once and show its results");
  add_compiled_option(*command, *settings);
  add_program_options(*command, *settings, kInputHelp);
  add_result_options(*command, settings->results);
  add_executor_option(*command, settings->executor);
  add_target_option(*command, settings->target);
  command->add_flag("--no-cache", settings->no_cache, "compile every kernel anew, and keep none");
  add_test_mode_option(*command, settings->test_modes);
  command->add_flag("--no-passes", settings->no_passes,
                    "run the program as imported, without optimising passes");
  add_pass_options(*command, settings->passes);
  add_region_options(*command, settings->regions);
  add_world_options(*command, settings->world);
  command->callback([settings, &status] { status = run(*settings); });
}

}  // namespace litz::tools
