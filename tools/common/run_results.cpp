#include "common/run_results.h"

#include <chrono>
#include <cstdio>

#include "common/exit_status.h"
#include "common/inputs.h"
#include "support/json_writer.h"
#include "support/text.h"
#include "types/compare.h"

namespace litz::tools {
namespace {

using runtime::Value;
using Clock = std::chrono::steady_clock;

constexpr int64_t kMostCalls = 1'000'000'000;  // Also keeps the message of the check readable.

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of the outputs that callers get.
std::vector<std::string> output_names(const artifact::Signature& signature) {
  std::vector<std::string> names;
  for (const artifact::ProgramOutput& output : signature.outputs) {
    if (!is_user_output(output.kind)) continue;
    names.push_back(output.label.empty() ? "out" + std::to_string(names.size()) : output.label);
  }
  return names;
}

std::string value_text(const Value& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) return to_string(*tensor);
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return format_double(*real);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return quote(*text);
  return "none";
}

// Tensor results under the names out0, out1, ..., as in recorded files.
std::vector<NamedTensor> result_arrays(const std::vector<Value>& outputs) {
  std::vector<NamedTensor> arrays;
  for (const Value& value : outputs) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
      arrays.emplace_back("out" + std::to_string(arrays.size()), *tensor);
    }
  }
  return arrays;
}

struct Compared {
  std::string name;
  Comparison comparison;
};

std::vector<Compared> compare_results(const ResultSettings& settings,
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

void print_json(const artifact::Signature& signature, const std::string& exported_on,
                const std::vector<Value>& outputs, const std::vector<Compared>& compared,
                const RunTimes& times) {
  const std::vector<std::string> names = output_names(signature);
  JsonWriter out;
  out.begin_object()
      .member("load_ms", times.load_s * 1e3)
      .member("first_ms", times.first_s * 1e3)
      .member("last_ms", times.last_s * 1e3)
      .member("exported_on", exported_on)
      .member("device", to_string(Device{}));
  out.key("outputs").begin_array();
  for (size_t k = 0; k < outputs.size(); ++k) {
    out.begin_object().member("name", names[k]);
    if (const auto* tensor = std::get_if<Tensor>(&outputs[k])) {
      out.member("dtype", torch_name(tensor->dtype())).key("sizes").begin_array();
      for (const int64_t size : tensor->sizes()) out.value(size);
      out.end_array();
    } else {
      out.member("value", value_text(outputs[k]));
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

void print_text(const artifact::Signature& signature, const std::vector<Value>& outputs,
                const std::vector<Compared>& compared, const RunTimes& times) {
  const std::vector<std::string> names = output_names(signature);
  for (size_t k = 0; k < outputs.size(); ++k) {
    std::printf("%s = %s\n", names[k].c_str(), value_text(outputs[k]).c_str());
  }
  for (const Compared& entry : compared) {
    std::printf("%s: %s\n", entry.name.c_str(), entry.comparison.message().c_str());
  }
  std::printf("loaded in %s, ran in %s\n", human_seconds(times.load_s).c_str(),
              human_seconds(times.first_s).c_str());
}

}  // namespace

CLI::Validator number_within(double least, double most, const std::string& description) {
  return {[least, most, description](const std::string& text) {
            double number = 0;
            const bool is_number = CLI::detail::lexical_cast(text, number);
            // The comparisons are false for NaN.
            if (is_number && number >= least && number <= most) return std::string();
            return "must be a " + description + ", got " + text;
          },
          description};
}

void add_tolerance_options(CLI::App& command, double& rtol, double& atol, CLI::Option* compare) {
  const CLI::Validator tolerance = number_within(0, 1e300, "NUMBER >= 0");
  CLI::Option* const relative =
      command.add_option("--rtol", rtol, "relative tolerance of comparisons")
          ->check(tolerance)
          ->capture_default_str();
  CLI::Option* const absolute =
      command.add_option("--atol", atol, "absolute tolerance of comparisons")
          ->check(tolerance)
          ->capture_default_str();
  if (compare == nullptr) return;
  relative->needs(compare);
  absolute->needs(compare);
}

void add_result_options(CLI::App& command, ResultSettings& settings) {
  command.add_option("--output", settings.output, "save results to .npz, .npy or .safetensors");
  CLI::Option* const compare = command.add_option("--compare", settings.compare,
                                                  "compare results with the arrays of a file");
  add_tolerance_options(command, settings.rtol, settings.atol, compare);
  command.add_option("--repeat", settings.repeat, "calls; state carries over")
      ->check(CLI::Range(int64_t{1}, kMostCalls))
      ->capture_default_str();
  command.add_flag("--json", settings.json, "print one JSON object");
}

std::vector<Value> timed_calls(const ResultSettings& settings,
                               const std::function<std::vector<Value>()>& call, RunTimes& times) {
  std::vector<Value> outputs;
  for (int64_t i = 0; i < settings.repeat; ++i) {
    const Clock::time_point start = Clock::now();
    outputs = call();
    times.last_s = seconds_since(start);
    if (i == 0) times.first_s = times.last_s;
  }
  return outputs;
}

int finish_run(const ResultSettings& settings, const artifact::Signature& signature,
               const std::string& exported_on, const std::vector<Value>& outputs,
               const RunTimes& times) {
  const std::vector<NamedTensor> results = result_arrays(outputs);
  if (!settings.output.empty()) write_arrays(settings.output, results);
  std::vector<Compared> compared;
  if (!settings.compare.empty()) compared = compare_results(settings, results);
  if (settings.is_quiet) {
    // Another rank prints.
  } else if (settings.json) {
    print_json(signature, exported_on, outputs, compared, times);
  } else {
    print_text(signature, outputs, compared, times);
  }
  for (const Compared& entry : compared) {
    if (!entry.comparison.matches()) return kMismatch;
  }
  return kSuccess;
}

}  // namespace litz::tools
