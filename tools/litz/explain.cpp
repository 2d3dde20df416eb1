// litz explain: how a program was compiled and why, and the time of its parts.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/inputs.h"
#include "compiler/report/compile_report.h"
#include "litz/commands.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "runtime/trees/context.h"
#include "support/progress.h"

namespace litz::tools {
namespace {

// Calls that warm up caches, threads and packed constants before any is timed.
constexpr int kWarmUpCalls = 3;

struct ExplainSettings : ProgramSettings {
  std::string executor = "cpu";
  std::string target = "host";
  std::string drawing;
  int64_t calls = 10;
  size_t width = 100;
  bool profile = false;
  bool json = false;
  bool no_cache = false;
  bool no_passes = false;
  bool no_fusion = false;
  PassSettings passes;
  RegionSettings regions;
  std::string graphs = "plain";
  bool only_regions = false;
};

int explain(const ExplainSettings& settings) {
  compiler::Options options;
  options.executor = compiler::parse_executor(settings.executor);
  options.device = device_option(settings.device);
  options.seed = static_cast<uint64_t>(settings.seed);
  options.threads = settings.threads;
  options.target = settings.target;
  options.optimize = !settings.no_passes;
  options.fuse = !settings.no_fusion;
  options.use_cache = !settings.no_cache;
  options.keep_report = true;
  options.passes = driver_options(settings.passes);
  options.verify = settings.passes.verify;
  options.regional = settings.only_regions;
  set_region_options(settings.regions, options);
  set_graphs_option(settings.graphs, options);
  require(settings.drawing.empty() || settings.drawing.ends_with(".svg"),
          "--draw takes FILE.svg, not", settings.drawing);
  require(!settings.json || options.graphs == nullptr, "--json does not tell of --graphs trees");
  compiler::CompileReport report;
  std::string graphs;
  {
    Progress progress("explaining " + settings.model, 0,
                      settings.json ? ProgressMode::off : ProgressMode::automatic);
    options.on_phase = [&](std::string_view phase) { progress.set_detail(phase); };
    // Names the commands that accept such files.
    if (is_compiled(settings.model)) import_program(settings, settings.passes);
    require_effect(settings.no_passes, settings.passes);
    compiler::Executable executable = make_executable(settings, options, settings.passes);
    const std::vector<compiler::Leaf> inputs = make_inputs(executable.signature(), settings);
    compiler::Profile profile;
    if (settings.profile) {
      for (int i = 0; i < kWarmUpCalls; ++i) executable.run(inputs);
      for (int64_t i = 0; i < settings.calls; ++i) executable.run_profiled(inputs, profile);
    }
    report = executable.report(inputs, &profile);
    if (options.graphs) graphs = runtime::trees::to_string(options.graphs->report());
  }
  if (!settings.drawing.empty()) write_text(settings.drawing, memory_drawing(report));
  if (settings.json) {
    std::printf("%s\n", to_json(report).c_str());
  } else if (settings.only_regions) {
    std::printf("%s", regions_text(report, settings.width).c_str());
  } else {
    std::printf("%s", to_text(report, {.width = settings.width}).c_str());
  }
  std::printf("%s", graphs.c_str());
  return kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto settings = std::make_shared<ExplainSettings>();
  CLI::App* command = app.add_subcommand(
      "explain", "Tell what became of a program: passes, kernels, fusions, memory, time");
  add_program_options(*command, *settings,
                      "as for `litz run`; made up where left out. Sizes decide bytes and memory");
  CLI::Option* const profile =
      command->add_flag("--profile", settings->profile, "run it and tell the time of every step");
  command->add_option("--calls", settings->calls, "timed calls of --profile")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
      ->capture_default_str()
      ->needs(profile);
  command->add_option("--draw", settings->drawing, "write the memory plan as a picture, FILE.svg");
  add_executor_option(*command, settings->executor);
  add_target_option(*command, settings->target);
  CLI::Option* const width =
      command->add_option("--width", settings->width, "columns of the listing")
          ->check(CLI::Range(size_t{40}, size_t{1000}))
          ->capture_default_str();
  command->add_flag("--no-cache", settings->no_cache, "compile every kernel anew, and keep none");
  command->add_flag("--no-passes", settings->no_passes, "without optimising passes");
  command->add_flag("--no-fusion", settings->no_fusion, "one kernel an operator");
  add_pass_options(*command, settings->passes);
  add_region_options(*command, settings->regions);
  add_graphs_option(*command, settings->graphs);
  command->add_flag("--regions", settings->only_regions, "--regional, and list the regions only")
      ->excludes(profile);
  command->add_flag("--json", settings->json, "print one JSON object")->excludes(width);
  command->callback([settings, &status] { status = explain(*settings); });
}

}  // namespace litz::tools
