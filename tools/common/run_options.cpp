#include "common/run_options.h"

#include <utility>
#include <vector>

#include "runtime/placement.h"
#include "support/check.h"
#include "support/thread_pool.h"

namespace litz::tools {

void add_call_options(CLI::App& command, CallSettings& settings, const std::string& devices) {
  command.add_option("--threads", settings.threads, "threads; 0: one for each CPU")
      ->check(CLI::Range(0, ThreadPool::kMostThreads))
      ->capture_default_str();
  command
      .add_option("--seed", settings.seed,
                  "seed of made-up inputs, and of the random numbers that calls draw")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 62).description("INTEGER >= 0"))
      ->capture_default_str();
  command.add_flag("--copy-file", settings.copy_file,
                   "copy the program to memory instead of mapping its file, which may then change");
  add_device_option(command, settings.device, devices);
}

void add_device_option(CLI::App& command, std::string& device, const std::string& devices) {
  command.add_option("--device", device,
                     "where the program runs, wherever it was exported: " + devices +
                         ", or sim, which simulates a device to find mistakes");
}

std::optional<Device> device_option(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return runtime::parse_placement(text);
}

void add_test_mode_option(CLI::App& command, std::string& text) {
  command.add_option("--test-mode", text,
                     "poison, access, order[=SEED] or fault=N, several with commas: run in ways "
                     "that show what is wrong now and then");
}

runtime::TestModes test_mode_option(const std::string& text) {
  if (text.empty()) return {};
  const runtime::TestModes modes = runtime::parse_test_modes(text);
  require(!modes.fault || modes.fail_call > 0,
          "--test-mode fault needs the number of the device call that shall fail, counted from "
          "1: fault=N");
  return modes;
}

void add_operators_option(CLI::App& command, std::function<void(const std::string& path)> add) {
  command
      .add_option_function<std::vector<std::string>>(
          "--operators",
          [add = std::move(add)](const std::vector<std::string>& paths) {
            for (const std::string& path : paths) add(path);
          },
          "shared object with operators of your own (docs/operators.md); repeat for several")
      ->type_name("FILE.so")
      ->allow_extra_args(false);  // Otherwise the model after it would be another file.
}

}  // namespace litz::tools
