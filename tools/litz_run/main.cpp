// litz-run: runs files that `litz compile` wrote, with the runtime alone.

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <optional>

#include <CLI/CLI.hpp>

#include "common/exit_status.h"
#include "common/inputs.h"
#include "common/keys.h"
#include "common/rank_options.h"
#include "common/run_options.h"
#include "common/run_results.h"
#include "kernels/operator_library.h"
#include "runtime/placement.h"
#include "runtime/program/collective_starts.h"
#include "runtime/program/program_loader.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"

namespace {

namespace tools = litz::tools;
namespace runtime = litz::runtime;
using Clock = std::chrono::steady_clock;

struct Settings : tools::CallSettings {
  std::string model;
  std::vector<std::string> inputs;
  std::string test_modes;
  std::vector<std::string> trusted;
  tools::ResultSettings results;
  tools::RankSettings ranks;
};

void add_options(CLI::App& app, Settings& settings) {
  app.set_version_flag("--version", LITZ_VERSION);
  app.add_option("model", settings.model, "compiled program (.litz)")->required();
  app.add_option("--input", settings.inputs, tools::kInputHelp);
  tools::add_operators_option(
      app, [](const std::string& path) { litz::kernels::register_operators(path); });
  tools::add_call_options(app, settings, "cpu");
  tools::add_trust_option(app, settings.trusted);
  tools::add_result_options(app, settings.results);
  tools::add_test_mode_option(app, settings.test_modes);
  tools::add_rank_options(app, settings.ranks);
}

std::string device_names(const std::vector<litz::Device>& devices) {
  std::string names;
  for (const litz::Device& device : devices)
    names += (names.empty() ? "" : ", ") + litz::to_string(device);
  return names;
}

using Communicator = std::shared_ptr<litz::distributed::Communicator>;

/// The program's call; what it returns shows and saves the results. `rank` may be null.
std::function<int()> call(const Settings& settings, const Communicator& rank,
                          const tools::ResultSettings& results) {
  const int number = rank != nullptr ? rank->rank() : 0;
  tools::RunTimes times;
  const Clock::time_point start = Clock::now();
  std::optional<litz::ThreadPool> pool;
  if (settings.threads != 1) pool.emplace(settings.threads);
  runtime::RunnerOptions options;
  options.communicator = rank;
  litz::artifact::Program loaded =
      runtime::load_program(tools::for_rank(settings.model, number),
                            tools::read_trusted(settings.trusted), settings.copy_file);
  options.device = runtime::make_device_for(
      loaded.target, tools::device_option(tools::for_rank(settings.device, number)),
      pool ? &*pool : nullptr);
  const runtime::TestModes modes = tools::test_mode_option(settings.test_modes);
  options.device->set_modes(runtime::device_modes(modes));
  options.calls.seed = static_cast<uint64_t>(settings.seed);
  runtime::ProgramRunner program(std::move(loaded), options);
  if (rank != nullptr && rank->world() > 1) {
    litz::distributed::require_agreement(runtime::collective_starts(program.program()), *rank);
  }
  program.fail_call(modes.fail_call);
  times.load_s = std::chrono::duration<double>(Clock::now() - start).count();
  const litz::artifact::Signature signature = program.program().signature;
  std::vector<std::string> given = settings.inputs;
  for (std::string& input : given) input = tools::for_rank(input, number);
  // Generated inputs differ from rank to rank.
  const std::vector<runtime::Value> inputs =
      tools::make_inputs(signature, given, static_cast<uint64_t>(settings.seed + number));
  const std::vector<runtime::Value> outputs = tools::timed_calls(
      settings.results, [&] { return program.run(inputs); }, times);
  const std::string exported_on = device_names(program.program().exported_on);
  return [=] { return tools::finish_run(results, signature, exported_on, outputs, times); };
}

int run(const Settings& settings) {
  tools::require_use(settings.ranks);
  if (!tools::has_ranks(settings.ranks)) return call(settings, nullptr, settings.results)();
  return tools::run_ranks(settings.ranks, settings, settings.results,
                          [&](const Communicator& rank, const tools::ResultSettings& results) {
                            return call(settings, rank, results);
                          });
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
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "litz-run: memory must be available\n");
    return tools::kNoMemory;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "litz-run: %s\n", error.what());
    return tools::kInternal;
  }
}
