// litz-run: runs files that `litz compile` wrote, with the runtime alone.

#include <chrono>
#include <cstdio>
#include <optional>

#include <CLI/CLI.hpp>

#include "common/exit_status.h"
#include "common/inputs.h"
#include "common/run_results.h"
#include "runtime/program/program_loader.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"

namespace {

namespace tools = litz::tools;
namespace runtime = litz::runtime;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::string model;
  std::vector<std::string> inputs;
  int threads = 0;
  int64_t seed = 0;
  tools::ResultSettings results;
};

void add_options(CLI::App& app, Settings& settings) {
  app.set_version_flag("--version", LITZ_VERSION);
  app.add_option("model", settings.model, "compiled program (.litz)")->required();
  app.add_option("--input", settings.inputs,
                 "FILE.npz|.npy|.safetensors, SIZES:DTYPE[:FILL] such as 2x3:f32:rand, or a "
                 "number; repeat for several inputs");
  app.add_option("--threads", settings.threads, "threads; 0: one for each CPU")
      ->check(CLI::Range(0, litz::ThreadPool::kMostThreads))
      ->capture_default_str();
  app.add_option("--seed", settings.seed,
                 "seed of made-up inputs, and of the random numbers that calls draw")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 62).description("INTEGER >= 0"))
      ->capture_default_str();
  tools::add_result_options(app, settings.results);
}

std::string device_names(const std::vector<litz::Device>& devices) {
  std::string names;
  for (const litz::Device& device : devices)
    names += (names.empty() ? "" : ", ") + litz::to_string(device);
  return names;
}

int run(const Settings& settings) {
  tools::RunTimes times;
  const Clock::time_point start = Clock::now();
  std::optional<litz::ThreadPool> pool;
  if (settings.threads != 1) pool.emplace(settings.threads);
  runtime::RunnerOptions options;
  options.pool = pool ? &*pool : nullptr;
  options.calls.seed = static_cast<uint64_t>(settings.seed);
  runtime::ProgramRunner program(runtime::load_program(settings.model), options);
  times.load_s = std::chrono::duration<double>(Clock::now() - start).count();
  const litz::artifact::Signature& signature = program.program().signature;
  const std::vector<runtime::Value> inputs =
      tools::make_inputs(signature, settings.inputs, static_cast<uint64_t>(settings.seed));
  const std::vector<runtime::Value> outputs = tools::timed_calls(
      settings.results, [&] { return program.run(inputs); }, times);
  return tools::finish_run(settings.results, signature, device_names(program.program().exported_on),
                           outputs, times);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs compiled programs (.litz)."};
  Settings settings;
  add_options(app, settings);
  try {
    app.parse(argc, argv);
    return run(settings);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? tools::kSuccess : tools::kBadUsage;
  } catch (const litz::Error& error) {
    std::fprintf(stderr, "litz-run: %s\n", error.what());
    return tools::status_of(error);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "litz-run: %s\n", error.what());
    return tools::kInternal;
  }
}
