#include "litz/program_options.h"

#include <cstdio>
#include <utility>

#include "common/inputs.h"
#include "common/keys.h"
#include "compiler/empty_sizes.h"
#include "compiler/graph_file.h"
#include "compiler/operator_library.h"
#include "compiler/stored_program.h"
#include "machine/cpu_targets.h"
#include "machine/executors.h"
#include "runtime/placement.h"
#include "runtime/trees/context.h"
#include "support/check.h"
#include "support/mapped_file.h"

namespace litz::tools {

void add_compiled_option(CLI::App& command, ProgramSettings& settings) {
  command.add_flag("--compiled", settings.compiled,
                   "run the machine code of a compiled program that is not named .litz");
  add_trust_option(command, settings.trusted);
}

void add_program_options(CLI::App& command, ProgramSettings& settings, const std::string& inputs) {
  command
      .add_option("model", settings.model,
                  "exported program (.pt2), compiled one, or what litz partition -o wrote")
      ->required();
  command.add_option("--model-name", settings.model_name, "which model of an archive with several");
  command.add_option("--input", settings.inputs, inputs);
  add_checksums_option(command, settings);
  add_operators_option(command);
  add_call_options(command, settings, kDevices);
}

void add_checksums_option(CLI::App& command, ProgramSettings& settings) {
  command.add_flag("--verify-checksums", settings.verify_checksums,
                   "verify the checksums of all weights first, also of a large archive");
}

void add_operators_option(CLI::App& command) {
  add_operators_option(command,
                       [](const std::string& path) { compiler::register_operators(path); });
}

void add_target_option(CLI::App& command, std::string& target) {
  command.add_option("--target", target, "processor to make code for: " + machine::target_list())
      ->capture_default_str();
}

void add_executor_option(CLI::App& command, std::string& executor) {
  command.add_option("--executor", executor, machine::executor_list())->capture_default_str();
}

void add_region_options(CLI::App& command, RegionSettings& settings) {
  command.add_flag("--regional", settings.regional,
                   "compile only what annotations mark, each region by its own options");
  command.add_flag("--region-fallback", settings.tolerant,
                   "run regions that cannot be compiled operator by operator, with a warning");
  command.add_flag("--cudagraphs", settings.cuda_graphs,
                   "record what a CUDA graph can hold, as exported; the rest runs operator by "
                   "operator");
}

void set_region_options(const RegionSettings& settings, compiler::Options& options) {
  options.regional |= settings.regional;
  require(!settings.tolerant || options.regional || settings.cuda_graphs,
          "--region-fallback is about regions: give --regional too");
  options.cuda_graphs = settings.cuda_graphs;
  options.region_failure =
      settings.tolerant ? compiler::RegionFailure::run_plain : compiler::RegionFailure::raise;
}

void add_graphs_option(CLI::App& command, std::string& graphs) {
  command
      .add_option("--graphs", graphs,
                  "plain: the program keeps graphs of its launches; trees: and is in a context, as "
                  "several programs that share memory are; off: every call makes its graphs anew")
      ->capture_default_str();
}

void set_graphs_option(const std::string& graphs, compiler::Options& options) {
  require(graphs == "trees" || graphs == "plain" || graphs == "off",
          "--graphs must be trees, plain or off, not", graphs);
  options.keeps_graphs = graphs != "off";
  if (graphs != "trees") return;
  if (options.pool == nullptr && options.threads != 1) {
    options.pool = std::make_shared<ThreadPool>(options.threads);
  }
  options.graphs = std::make_shared<runtime::trees::Context>(
      runtime::make_device(options.device, options.pool.get()));
}

void refuse_code_options(const std::string& target, bool use_cache) {
  require(target == "host", "--target chooses code, and the interpreter makes none");
  require(use_cache, "--no-cache is about compiled kernels, and the interpreter has none");
}

bool is_compiled(const std::string& path) {
  return compiler::is_stored_program(MappedFile::open(path).bytes());
}

void refuse_unsigned(const std::string& path) {
  fail(ErrorCode::untrusted,
       "--trust runs only compiled programs that a trusted key signed, and this is not compiled:",
       path);
}

namespace {

void require_exported(const ProgramSettings& settings) {
  if (!settings.trusted.empty()) refuse_unsigned(settings.model);
  require(!settings.compiled,
          "--compiled runs what `litz compile` wrote, which this is not:", settings.model);
}

compiler::OpenOptions opening(const ProgramSettings& settings, const PassSettings& passes) {
  return {.model = settings.model_name,
          .verify_checksums = settings.verify_checksums || passes.verify,
          .copies = settings.copy_file};
}

}  // namespace

compiler::Executable make_executable(const ProgramSettings& settings,
                                     const compiler::Options& options, const PassSettings& passes) {
  if (is_compiled(settings.model)) {
    // Its only checksum, over all of it, is always verified.
    require(
        settings.compiled || settings.model.ends_with(".litz"), ErrorCode::unsupported,
        "a compiled program holds machine code, so it runs only from a file that is named .litz "
        "or with --compiled:",
        settings.model);
    require(
        !asks_for_passes(passes),
        "passes run when a program is compiled, so options of passes do not fit:", settings.model);
    require(options.target == "host",
            "a compiled program holds code for the processor that it was compiled for:",
            settings.model);
    require(!options.regional && !options.cuda_graphs,
            "regions are told apart when a program is compiled:", settings.model);
    require(options.optimize && options.use_cache && settings.model_name.empty(),
            "--no-passes, --no-cache and --model-name are about compiling, which is done:",
            settings.model);
    compiler::Options trusting = options;
    trusting.trusted_keys = read_trusted(settings.trusted);
    trusting.copies_file = settings.copy_file;
    return compiler::load_program(settings.model, trusting);
  }
  if (options.executor == compiler::ExecutorKind::interpreter) {
    refuse_code_options(options.target, options.use_cache);
  }
  require_exported(settings);
  compiler::OpenedFile opened = compiler::open_file(settings.model, opening(settings, passes));
  compiler::Executable executable(std::move(opened.program), options,
                                  {.read_again = std::move(opened.read_again)});
  if (options.regional && executable.regions().empty()) {
    std::fprintf(stderr, "note: no annotation marks a node, so all run operator by operator\n");
  }
  return executable;
}

ir::Program import_program(const ProgramSettings& settings, const PassSettings& passes) {
  require_exported(settings);
  return compiler::open_file(settings.model, opening(settings, passes)).program;
}

std::vector<compiler::Leaf> make_inputs(const artifact::Signature& signature,
                                        const ProgramSettings& settings) {
  return make_inputs(signature, settings.inputs, static_cast<uint64_t>(settings.seed));
}

}  // namespace litz::tools
