// litz bench: how long a program takes to load, to compile and to run, and how much memory it
// needs.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/inputs.h"
#include "litz/commands.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "runtime/device_tensor.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/progress.h"

namespace litz::tools {
namespace {

using compiler::Executable;
using compiler::Leaf;
using Clock = std::chrono::steady_clock;

// Calls that warm up caches, threads and the sizes to which programs are bound.
constexpr int kWarmUpCalls = 3;
constexpr size_t kFewestCalls = 20;
// Bounds the time for slow programs: a measurement ends early instead of making twenty calls of ten
// seconds.
constexpr double kLongestFactor = 10;
constexpr size_t kMostCalls = 1'000'000;

struct BenchSettings : ProgramSettings {
  std::string executor = "cpu";
  std::string against;
  std::string target = "host";
  double seconds = 2;
  bool json = false;
  bool no_cache = false;
  PassSettings passes;
  RegionSettings regions;
  std::string graphs = "plain";
};

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Peak of the resident memory. The value of getrusage would include the peak of the parent
/// process.
double peak_megabytes() {
  constexpr std::string_view kPeak = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kPeak)) return std::stod(line.substr(kPeak.size())) / 1024;  // From KiB.
  }
  return 0;
}

/// One measured executor.
struct Contestant {
  std::string executor;
  std::optional<Executable> executable;
  std::vector<Leaf> inputs;
  double load_ms = 0;
  double compile_ms = 0;
  double first_ms = 0;             ///< From opening the file to the first result.
  double peak_mb = 0;              ///< Of the process, after the last call.
  std::vector<double> samples_us;  ///< Of calls with a wait for their results.

  // On another device than the host, of calls that follow each other without a wait:
  double back_to_back_us = 0;  ///< The time of a call.
  double host_us = 0;          ///< The host's part of it.
  double device_peak_mb = 0;   ///< Weights, temporaries and results.

  bool is_elsewhere() const { return executable->device() != Device{}; }

  double percentile(double fraction) const {
    const auto last = static_cast<double>(samples_us.size() - 1);
    return samples_us[static_cast<size_t>(last * fraction + 0.5)];
  }
};

void call_and_wait(Contestant& contestant) {
  contestant.executable->run(contestant.inputs);
  contestant.executable->finish();
}

Contestant prepare(const BenchSettings& settings, const std::string& executor, Progress& progress) {
  Contestant contestant;
  contestant.executor = executor;
  compiler::Options options;
  options.executor = compiler::parse_executor(executor);
  options.device = device_option(settings.device);
  options.seed = static_cast<uint64_t>(settings.seed);
  options.threads = settings.threads;
  options.target = settings.target;
  options.use_cache = !settings.no_cache;
  options.passes = driver_options(settings.passes);
  options.verify = settings.passes.verify;
  set_region_options(settings.regions, options);
  set_graphs_option(settings.graphs, options);
  options.results = runtime::ResultPlace::device;
  options.on_phase = [&](std::string_view phase) { progress.set_detail(phase); };
  const Clock::time_point opened = Clock::now();
  if (is_compiled(settings.model)) {
    contestant.executable.emplace(make_executable(settings, options, settings.passes));
    contestant.load_ms = milliseconds_since(opened);
  } else {
    ir::Program program = import_program(settings, settings.passes);
    contestant.load_ms = milliseconds_since(opened);
    const Clock::time_point loaded = Clock::now();
    contestant.executable.emplace(std::move(program), options);
    contestant.compile_ms = milliseconds_since(loaded);
  }
  // Generating inputs does not count as the program's time.
  contestant.inputs = make_inputs(contestant.executable->signature(), settings);
  for (Leaf& input : contestant.inputs) {
    auto* const tensor = std::get_if<Tensor>(&input);
    if (tensor != nullptr) *tensor = contestant.executable->on_device(*tensor);
  }
  const Clock::time_point ready = Clock::now();
  for (const Leaf& result : contestant.executable->run(contestant.inputs)) {
    const auto* const tensor = std::get_if<Tensor>(&result);
    if (tensor != nullptr && tensor->defined()) runtime::wait_for(*tensor);  // Throws failures.
  }
  contestant.first_ms = contestant.load_ms + contestant.compile_ms + milliseconds_since(ready);
  return contestant;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// Rounds of calls with one wait at the end. The device still works when the host has begun them all, so
/// the host's time is its own.
void measure_back_to_back(Contestant& contestant, double seconds) {
  constexpr double kRoundUs = 50e3;
  const auto calls = static_cast<int>(std::clamp(kRoundUs / contestant.percentile(0.5), 5., 500.));
  std::vector<double> rounds_us;
  std::vector<double> host_us;
  const Clock::time_point start = Clock::now();
  while (rounds_us.size() < 3 || milliseconds_since(start) < 1e3 * seconds) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < calls; ++i) contestant.executable->run(contestant.inputs);
    host_us.push_back(1e3 * milliseconds_since(begin) / calls);
    contestant.executable->finish();
    rounds_us.push_back(1e3 * milliseconds_since(begin) / calls);
    if (milliseconds_since(start) > 1e3 * kLongestFactor * seconds) break;
  }
  contestant.back_to_back_us = median(std::move(rounds_us));
  contestant.host_us = median(std::move(host_us));
  contestant.device_peak_mb =
      static_cast<double>(contestant.executable->memory_use().peak_bytes) / (1 << 20);
}

/// Calls run alternately, so that other load on the machine affects all alike.
void measure(std::vector<Contestant>& contestants, double seconds) {
  for (Contestant& contestant : contestants) {
    for (int i = 0; i < kWarmUpCalls; ++i) call_and_wait(contestant);
  }
  const Clock::time_point start = Clock::now();
  const double limit_ms = 1e3 * seconds * static_cast<double>(contestants.size());
  for (size_t calls = 0; calls < kMostCalls; ++calls) {
    const double elapsed = milliseconds_since(start);
    if (elapsed > limit_ms && (calls >= kFewestCalls || elapsed > kLongestFactor * limit_ms)) break;
    for (Contestant& contestant : contestants) {
      const Clock::time_point begin = Clock::now();
      call_and_wait(contestant);
      contestant.samples_us.push_back(1e3 * milliseconds_since(begin));
    }
  }
  for (Contestant& contestant : contestants) {
    std::ranges::sort(contestant.samples_us);
    if (contestant.is_elsewhere()) measure_back_to_back(contestant, seconds / 2);
    contestant.peak_mb = peak_megabytes();
  }
}

void write(JsonWriter& out, const Contestant& contestant) {
  const compiler::LaunchCounts counts = contestant.executable->launch_counts();
  out.begin_object()
      .member("executor", contestant.executor)
      .member("load_ms", contestant.load_ms)
      .member("compile_ms", contestant.compile_ms)
      .member("first_ms", contestant.first_ms)
      .member("p50_us", contestant.percentile(0.5))
      .member("p90_us", contestant.percentile(0.9))
      .member("p99_us", contestant.percentile(0.99))
      .member("min_us", contestant.samples_us.front())
      .member("peak_mb", contestant.peak_mb)
      .member("kernels", counts.kernels)
      .member("interpreted", counts.interpreted)
      .member("calls", counts.library_calls)
      .member("samples", static_cast<int64_t>(contestant.samples_us.size()));
  if (!contestant.is_elsewhere()) return;
  out.member("device", to_string(contestant.executable->device()))
      .member("back_to_back_us", contestant.back_to_back_us)
      .member("host_us", contestant.host_us)
      .member("device_peak_mb", contestant.device_peak_mb);
}

void print_json(const std::vector<Contestant>& contestants) {
  JsonWriter out;
  write(out, contestants[0]);
  if (contestants.size() > 1) {
    out.key("against");
    write(out, contestants[1]);
    out.end_object().member("ratio",
                            contestants[0].percentile(0.5) / contestants[1].percentile(0.5));
  }
  std::printf("%s\n", out.end_object().take().c_str());
}

void print_table(const std::vector<Contestant>& contestants) {
  std::printf("%-12s %9s %10s %9s %11s %11s %11s %11s %8s %8s %6s\n", "executor", "load ms",
              "compile ms", "first ms", "p50 us", "p90 us", "p99 us", "min us", "peak MB",
              "kernels", "calls");
  for (const Contestant& c : contestants) {
    const compiler::LaunchCounts counts = c.executable->launch_counts();
    std::printf("%-12s %9.1f %10.1f %9.1f %11.1f %11.1f %11.1f %11.1f %8.0f %8lld %6lld\n",
                c.executor.c_str(), c.load_ms, c.compile_ms, c.first_ms, c.percentile(0.5),
                c.percentile(0.9), c.percentile(0.99), c.samples_us.front(), c.peak_mb,
                static_cast<long long>(counts.kernels),
                static_cast<long long>(counts.library_calls));
    if (c.is_elsewhere()) {
      std::printf(
          "%-12s on %s: %.1f us a call back to back, of which the host takes %.1f; peak %.0f MB\n",
          "", to_string(c.executable->device()).c_str(), c.back_to_back_us, c.host_us,
          c.device_peak_mb);
    }
    if (counts.interpreted > 0 && c.executor != "interpreter") {
      std::printf("%-12s %lld of the kernels cannot be compiled yet and are interpreted\n", "",
                  static_cast<long long>(counts.interpreted));
    }
  }
  if (contestants.size() > 1) {
    std::printf("%s takes %.3f of the time of %s (p50)\n", contestants[0].executor.c_str(),
                contestants[0].percentile(0.5) / contestants[1].percentile(0.5),
                contestants[1].executor.c_str());
  }
}

bool is_interpreter(const std::string& executor) {
  return compiler::parse_executor(executor) == compiler::ExecutorKind::interpreter;
}

int run(const BenchSettings& settings) {
  if (is_interpreter(settings.executor) &&
      (settings.against.empty() || is_interpreter(settings.against))) {
    refuse_code_options(settings.target, !settings.no_cache);
  }
  std::vector<Contestant> contestants;
  {
    Progress progress("measuring " + settings.model, 0,
                      settings.json ? ProgressMode::off : ProgressMode::automatic);
    contestants.push_back(prepare(settings, settings.executor, progress));
    if (!settings.against.empty()) {
      BenchSettings second = settings;
      second.device = "cpu";  // The first one has logged the device.
      contestants.push_back(prepare(second, settings.against, progress));
    }
    measure(contestants, settings.seconds);
  }
  if (settings.json) {
    print_json(contestants);
  } else {
    print_table(contestants);
  }
  return kSuccess;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto settings = std::make_shared<BenchSettings>();
  CLI::App* command = app.add_subcommand("bench", "Measure loading, compiling, calls and memory");
  add_compiled_option(*command, *settings);
  add_program_options(*command, *settings, "as for `litz run`; made up where left out");
  add_executor_option(*command, settings->executor);
  command->add_option("--against", settings->against,
                      "another executor, called in turn with the first");
  add_target_option(*command, settings->target);
  command->add_option("--seconds", settings->seconds, "how long to call each executor")
      ->check(number_within(0.01, 3600, "NUMBER in [0.01, 3600]"))
      ->capture_default_str();
  command->add_flag("--no-cache", settings->no_cache, "compile every kernel anew, and keep none");
  add_pass_options(*command, settings->passes);
  add_region_options(*command, settings->regions);
  add_graphs_option(*command, settings->graphs);
  command->add_flag("--json", settings->json, "print one JSON object");
  command->callback([settings, &status] { status = run(*settings); });
}

}  // namespace litz::tools
