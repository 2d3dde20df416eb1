// litz compile: a program, or a region of it, as a file that runs without the exported program.

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "artifact/file_signature.h"
#include "artifact/program_file.h"
#include "artifact/program_json.h"
#include "common/keys.h"
#include "compiler/cuda_backend.h"
#include "compiler/report/compile_report.h"
#include "compiler/stored_program.h"
#include "litz/commands.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "runtime/program/program_loader.h"
#include "support/check.h"
#include "support/mapped_file.h"
#include "support/progress.h"
#include "support/text.h"
#include "support/whole_file.h"

namespace litz::tools {
namespace {

constexpr int64_t kWhole = -1;

struct CompileSettings : ProgramSettings {
  std::string output;
  std::string target = "host";
  int64_t region = kWhole;
  bool no_cache = false;
  bool no_packing = false;
  std::string key;
  PassSettings passes;
  RegionSettings regions;
};

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::shared_ptr<compiler::Executable> compiled(const CompileSettings& settings,
                                               const compiler::Options& options) {
  ir::Program program = import_program(settings, settings.passes);
  if (settings.region == kWhole) {
    return std::make_shared<compiler::Executable>(std::move(program), options);
  }
  return compiler::Executable::compile_region(std::move(program), options,
                                              static_cast<size_t>(settings.region));
}

/// The file of a program that `litz print --form json --weights` wrote.
std::vector<std::byte> assembled(std::string_view json) {
  const artifact::Program program = artifact::read_program_json(json, runtime::build_name());
  return artifact::write_program_file(program, *program.symbols, runtime::build_name());
}

int compile(const CompileSettings& settings) {
  require(!is_compiled(settings.model), ErrorCode::unsupported,
          "the program is compiled already:", settings.model);
  std::error_code none;
  require(!std::filesystem::equivalent(settings.model, settings.output, none),
          "--output must not be the model itself:", settings.output);
  require(settings.region == kWhole || !(settings.regions.regional || settings.regions.cuda_graphs),
          "--region writes one region, and --regional and --cudagraphs the whole program");
  require(!settings.output.ends_with(".pt2"),
          "--output must not be named .pt2, as exported programs are, but for example .litz, not",
          settings.output);
  compiler::Options options;
  options.device = device_option(settings.device);
  const bool is_for_host = options.device && options.device->kind != DeviceKind::cuda;
  require(!is_for_host || !compiler::is_cuda_target(settings.target),
          "--target names a card, and --device does not:", settings.target, "and", settings.device);
  options.threads = settings.threads;
  options.target = settings.target;
  options.use_cache = !settings.no_cache;
  options.passes = driver_options(settings.passes);
  options.verify = settings.passes.verify;
  options.keep_code = true;
  // A card need not be here if its architecture is named.
  options.runs = !compiler::is_cuda_target(settings.target);
  set_region_options(settings.regions, options);
  std::optional<SecretKey> key;  // First, so that a wrong one costs no compilation.
  if (!settings.key.empty()) key = read_secret_key(settings.key);
  std::vector<std::byte> bytes;
  const MappedFile file = MappedFile::open(settings.model);
  if (const std::string_view text = text_of(file); artifact::is_program_json(text)) {
    bytes = assembled(text);
  } else {
    Progress progress("compiling " + settings.model, 0, ProgressMode::automatic);
    options.on_phase = [&](std::string_view phase) { progress.set_detail(phase); };
    progress.set_detail("reading");
    const std::shared_ptr<compiler::Executable> executable = compiled(settings, options);
    progress.set_detail("writing");
    if (!settings.no_packing) executable->pack_constants();
    bytes = executable->to_bytes();
  }
  std::vector<std::byte> signature;
  if (key) signature = artifact::signature_bytes(bytes, *key);
  write_whole_parts(settings.output, std::array<std::span<const std::byte>, 2>{bytes, signature});
  const size_t size = bytes.size() + signature.size();
  std::printf("%s: %s%s\n", settings.output.c_str(), human_bytes(size).c_str(),
              key ? (", signed by " + to_string(key->public_key)).c_str() : "");
  return kSuccess;
}

}  // namespace

void add_compile(CLI::App& app, int& status) {
  auto settings = std::make_shared<CompileSettings>();
  CLI::App* command = app.add_subcommand(
      "compile", "Write a program, or a region of it, as a file that `litz run` takes");
  command
      ->add_option("model", settings->model,
                   "exported program (.pt2), or a compiled one as JSON (litz print --form json)")
      ->required();
  command->add_option("-o,--output", settings->output, "the file to write")->required();
  command->add_option("--region", settings->region, "the number of a region: it alone is written")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000}));
  add_checksums_option(*command, *settings);
  add_operators_option(*command);
  command->add_option("--model-name", settings->model_name,
                      "which model of an archive with several");
  add_device_option(*command, settings->device, kDevices);
  add_target_option(*command, settings->target);
  command->add_option("--threads", settings->threads, "threads that compile; 0: one for each CPU")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_flag("--no-cache", settings->no_cache, "compile every kernel anew, and keep none");
  command->add_flag("--no-packing", settings->no_packing,
                    "leave packing weights to the first call: a smaller file, a later result");
  command->add_option("--sign", settings->key,
                      "sign with this secret key: NAME.key of `litz key new`");
  add_pass_options(*command, settings->passes);
  add_region_options(*command, settings->regions);
  command->callback([settings, &status] { status = compile(*settings); });
}

}  // namespace litz::tools
