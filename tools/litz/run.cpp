// litz run: one call of a program, its results shown, saved or compared.

#include <chrono>
#include <cstdio>
#include <memory>

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
};

int run(const RunSettings& settings) {
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
  require_effect(settings.no_passes, settings.passes);
  set_region_options(settings.regions, options);
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
  if (executable.program() != nullptr) {
    for (const std::string& warning : executable.program()->warnings) {
      std::fprintf(stderr, "warning: %s\n", warning.c_str());
    }
  }
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
  command->callback([settings, &status] { status = run(*settings); });
}

}  // namespace litz::tools
