// litz run: one call of a program, its results shown, saved or compared.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "ir/placement.h"
#include "litz/commands.h"
#include "litz/inputs.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "support/check.h"
#include "support/json_writer.h"
#include "support/progress.h"
#include "support/text.h"
#include "types/compare.h"

namespace litz::tools {
namespace {

using compiler::Leaf;
using Clock = std::chrono::steady_clock;

struct RunSettings : ProgramSettings {
  std::string output;
  std::string compare;
  std::string executor = "cpu";
  std::string test_modes;
  double rtol = 1e-4;
  double atol = 1e-5;
  int64_t repeat = 1;
  bool json = false;
  bool no_passes = false;
  PassSettings passes;
  RegionSettings regions;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string output_name(const ir::Program& program, size_t k) {
  size_t user = 0;
  for (const ir::OutputSpec& spec : program.outputs) {
    if (!ir::is_user_output(spec.kind)) continue;
    if (user++ == k && !spec.label.empty()) return spec.label;
  }
  return "out" + std::to_string(k);
}

std::string leaf_text(const Leaf& leaf) {
  if (const auto* tensor = std::get_if<Tensor>(&leaf)) return to_string(*tensor);
  if (const auto* integer = std::get_if<int64_t>(&leaf)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&leaf)) return format_double(*real);
  if (const auto* flag = std::get_if<bool>(&leaf)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&leaf)) return quote(*text);
  return "none";
}

// Tensor results under the names out0, out1, ... that recorded files use.
std::vector<NamedTensor> result_arrays(const std::vector<Leaf>& outputs) {
  std::vector<NamedTensor> arrays;
  for (const Leaf& leaf : outputs) {
    if (const auto* tensor = std::get_if<Tensor>(&leaf)) {
      arrays.emplace_back("out" + std::to_string(arrays.size()), *tensor);
    }
  }
  return arrays;
}

struct Compared {
  std::string name;
  Comparison comparison;
};

std::vector<Compared> compare_results(const RunSettings& settings,
                                      const std::vector<NamedTensor>& results) {
  std::vector<DType> dtypes;
  dtypes.reserve(results.size());
  for (const NamedTensor& result : results) dtypes.push_back(result.second.dtype());
  const std::vector<Tensor> expected = read_expected(settings.compare, dtypes);
  std::vector<Compared> compared;
  compared.reserve(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    const auto& [name, actual] = results[k];
    compared.push_back({name, compare(actual, expected[k], settings.rtol, settings.atol)});
  }
  return compared;
}

void print_json(const ir::Program& program, const std::vector<Device>& exported_on,
                const std::vector<Leaf>& outputs, const std::vector<Compared>& compared,
                double load_s, double first_s, double last_s) {
  JsonWriter out;
  out.begin_object()
      .member("load_ms", load_s * 1e3)
      .member("first_ms", first_s * 1e3)
      .member("last_ms", last_s * 1e3)
      .member("exported_on", ir::to_string(exported_on))
      .member("device", to_string(Device{}));
  out.key("outputs").begin_array();
  for (size_t k = 0; k < outputs.size(); ++k) {
    out.begin_object().member("name", output_name(program, k));
    if (const auto* tensor = std::get_if<Tensor>(&outputs[k])) {
      out.member("dtype", torch_name(tensor->dtype())).key("sizes").begin_array();
      for (const int64_t size : tensor->sizes()) out.value(size);
      out.end_array();
    } else {
      out.member("value", leaf_text(outputs[k]));
    }
    out.end_object();
  }
  out.end_array().key("compared").begin_array();
  for (const Compared& entry : compared) {
    out.begin_object()
        .member("name", entry.name)
        .member("matches", entry.comparison.matches())
        .member("worst_absolute", entry.comparison.worst_absolute)
        .member("worst_relative", entry.comparison.worst_relative())
        .member("mismatches", entry.comparison.mismatch_count)
        .end_object();
  }
  std::printf("%s\n", out.end_array().end_object().take().c_str());
}

void print_text(const ir::Program& program, const std::vector<Leaf>& outputs,
                const std::vector<Compared>& compared, double load_s, double first_s) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    std::printf("%s = %s\n", output_name(program, k).c_str(), leaf_text(outputs[k]).c_str());
  }
  for (const Compared& entry : compared) {
    std::printf("%s: %s\n", entry.name.c_str(), entry.comparison.message().c_str());
  }
  std::printf("loaded in %s, ran in %s\n", human_seconds(load_s).c_str(),
              human_seconds(first_s).c_str());
}

constexpr int64_t kMostCalls = 1'000'000'000;  // Also keeps the message of the check readable.

int run(const RunSettings& settings) {
  compiler::Options options;
  options.executor = compiler::parse_executor(settings.executor);
  options.device = device_option(settings.device);
  options.seed = static_cast<uint64_t>(settings.seed);
  options.threads = settings.threads;
  options.optimize = !settings.no_passes;
  options.use_cache = true;
  if (!settings.test_modes.empty()) {
    options.test_modes = compiler::parse_test_modes(settings.test_modes);
    require(!options.test_modes.fault || options.test_modes.fail_call > 0,
            "--test-mode fault needs the number of the device call that shall fail, counted from "
            "1: fault=N");
  }
  options.passes = driver_options(settings.passes);
  options.verify = settings.passes.verify;
  set_region_options(settings.regions, options);
  const Progress progress("running " + settings.model, 0,
                          settings.json ? ProgressMode::off : ProgressMode::automatic);
  Clock::time_point start = Clock::now();
  compiler::Executable executable = make_executable(settings, options, settings.passes);
  const double load_s = seconds_since(start);
  std::vector<Leaf> inputs = make_inputs(executable.program(), settings);
  std::vector<Leaf> outputs;
  double first_s = 0;
  double last_s = 0;
  for (int64_t i = 0; i < settings.repeat; ++i) {
    start = Clock::now();
    outputs = executable.run(inputs);
    last_s = seconds_since(start);
    if (i == 0) first_s = last_s;
  }
  for (const std::string& warning : executable.program().warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  const std::vector<NamedTensor> results = result_arrays(outputs);
  if (!settings.output.empty()) write_arrays(settings.output, results);
  std::vector<Compared> compared;
  if (!settings.compare.empty()) compared = compare_results(settings, results);
  if (settings.json) {
    print_json(executable.program(), executable.exported_on(), outputs, compared, load_s, first_s,
               last_s);
  } else {
    print_text(executable.program(), outputs, compared, load_s, first_s);
  }
  for (const Compared& entry : compared) {
    if (!entry.comparison.matches()) return kMismatch;
  }
  return kSuccess;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto settings = std::make_shared<RunSettings>();
  CLI::App* command = app.add_subcommand("run", "Run a program once and show its results");
  add_program_options(*command, *settings,
                      "FILE.npz|.npy|.safetensors, SIZES:DTYPE[:FILL] such as 2x3:f32:rand, or a "
                      "number; repeat for several inputs");
  command->add_option("--output", settings->output, "save results to .npz, .npy or .safetensors");
  command->add_option("--compare", settings->compare, "compare results with the arrays of a file");
  add_tolerance_options(*command, settings->rtol, settings->atol);
  command
      ->add_option("--executor", settings->executor,
                   "cpu, interpreter (the reference) or cudagraphs (recorded)")
      ->capture_default_str();
  command->add_option("--repeat", settings->repeat, "calls; state carries over")
      ->check(CLI::Range(int64_t{1}, kMostCalls))
      ->capture_default_str();
  command->add_option("--test-mode", settings->test_modes,
                      "poison, access, order[=SEED] or fault=N, several with commas: run in ways "
                      "that show what is wrong now and then");
  command->add_flag("--json", settings->json, "print one JSON object");
  command->add_flag("--no-passes", settings->no_passes,
                    "run the program as imported, without optimising passes");
  add_pass_options(*command, settings->passes);
  add_region_options(*command, settings->regions);
  command->callback([settings, &status] { status = run(*settings); });
}

}  // namespace litz::tools
