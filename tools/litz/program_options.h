// Options of commands that call a program: which, on what, with how many threads.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "artifact/signature.h"
#include "common/run_results.h"
#include "compiler/executable.h"
#include "ir/program.h"
#include "litz/pass_options.h"

namespace litz::tools {

struct ProgramSettings {
  std::string model;
  std::string model_name;
  std::vector<std::string> inputs;
  int threads = 0;
  int64_t seed = 0;
  bool compiled = false;
  std::string device;  ///< Empty: wherever programs run that nobody places.
};

/// `inputs` describes --input.
void add_program_options(CLI::App& command, ProgramSettings& settings, const std::string& inputs);
/// --compiled: the model is what `litz compile` wrote, whatever its name is.
void add_compiled_option(CLI::App& command, ProgramSettings& settings);
void add_device_option(CLI::App& command, std::string& device);
/// What an option of that name says; nothing where it is left out.
std::optional<Device> device_option(const std::string& text);
/// --operators: registers those of shared objects while options are read.
void add_operators_option(CLI::App& command);
/// Which processor code is made for.
void add_target_option(CLI::App& command, std::string& target);
void add_executor_option(CLI::App& command, std::string& executor);

struct RegionSettings {
  bool regional = false;
  bool tolerant = false;
  bool cuda_graphs = false;
};

/// --regional and what belongs to it, and --cudagraphs.
void add_region_options(CLI::App& command, RegionSettings& settings);
void set_region_options(const RegionSettings& settings, compiler::Options& options);

/// True for a file that `litz compile` wrote.
bool is_compiled(const std::string& path);
/// The program of the settings ready to run: a compiled one, or one that is compiled now.
compiler::Executable make_executable(const ProgramSettings& settings,
                                     const compiler::Options& options, const PassSettings& passes);

/// As import_program.
ir::Program import_program(const ProgramSettings& settings);
/// Those of the settings, made up where left out. Throws as make_inputs.
std::vector<compiler::Leaf> make_inputs(const artifact::Signature& signature,
                                        const ProgramSettings& settings);

}  // namespace litz::tools
