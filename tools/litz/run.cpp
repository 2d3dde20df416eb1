// litz run: one call of a program, its results shown, saved or compared.

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/rank_options.h"
#include "common/run_results.h"
#include "ir/placement.h"
#include "litz/commands.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "support/check.h"
#include "support/progress.h"

namespace litz::tools {
namespace {

using Clock = std::chrono::steady_clock;

struct RunSettings : ProgramSettings {
  ResultSettings results;
  std::string executor = "cpu";
  std::string target = "host";
  std::string test_modes;
  bool no_cache = false;
  bool no_passes = false;
  PassSettings passes;
  RegionSettings regions;
  std::string graphs = "plain";
  RankSettings ranks;
  std::string buckets;
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
  if (!settings.buckets.empty()) {
    options.buckets.emplace();
    options.buckets->mode = passes::parse_bucket_mode(settings.buckets);
  }
  require_effect(settings.no_passes, settings.passes);
  set_region_options(settings.regions, options);
  set_graphs_option(settings.graphs, options);
  return options;
}

void print_warnings(const compiler::Executable& executable) {
  if (executable.program() == nullptr) return;
  for (const std::string& warning : executable.program()->warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
}

/// One rank's call: its program, inputs and results.
struct RankRun {
  std::unique_ptr<compiler::Executable> executable;
  std::vector<compiler::Leaf> outputs;
  RunTimes times;
};

RankRun run_rank(const RunSettings& settings, compiler::Options options,
                 const std::shared_ptr<distributed::Communicator>& communicator) {
  const int rank = communicator->rank();
  RunSettings own = settings;
  own.model = for_rank(settings.model, rank);
  for (std::string& input : own.inputs) input = for_rank(input, rank);
  own.seed += rank;  // Generated inputs differ from rank to rank.
  options.communicator = communicator;
  options.device = device_option(for_rank(settings.device, rank));
  RankRun result;
  const Clock::time_point start = Clock::now();
  result.executable =
      std::make_unique<compiler::Executable>(make_executable(own, options, settings.passes));
  result.times.load_s = std::chrono::duration<double>(Clock::now() - start).count();
  const std::vector<compiler::Leaf> inputs = make_inputs(result.executable->signature(), own);
  result.outputs = timed_calls(
      settings.results, [&] { return result.executable->run(inputs); }, result.times);
  return result;
}

int run_all_ranks(const RunSettings& settings) {
  const auto work = [&](const auto& communicator, const ResultSettings& results) {
    RunSettings own = settings;
    own.device.clear();
    const auto result =
        std::make_shared<RankRun>(run_rank(settings, options_of(own), communicator));
    return [result, results] {
      const compiler::Executable& executable = *result->executable;
      if (!results.is_quiet) print_warnings(executable);
      return finish_run(results, executable.signature(), ir::to_string(executable.exported_on()),
                        result->outputs, result->times);
    };
  };
  return run_ranks(settings.ranks, settings, settings.results, work);
}

int run(const RunSettings& settings) {
  require_use(settings.ranks);
  if (has_ranks(settings.ranks)) return run_all_ranks(settings);
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
  add_graphs_option(*command, settings->graphs);
  add_rank_options(*command, settings->ranks);
  command->add_option("--buckets", settings->buckets,
                      "join collectives: plain, packed, multi-dtype or coalesced");
  command->callback([settings, &status] { status = run(*settings); });
}

}  // namespace litz::tools
