// Options of commands that call a program: the program, its inputs, how it runs.

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "artifact/signature.h"
#include "common/run_options.h"
#include "common/run_results.h"
#include "compiler/executable.h"
#include "ir/program.h"
#include "litz/pass_options.h"

namespace litz::tools {

struct ProgramSettings : CallSettings {
  std::string model;
  std::string model_name;
  std::vector<std::string> inputs;
  bool compiled = false;
  std::vector<std::string> trusted;
  bool verify_checksums = false;
};

/// The devices that programs may be meant for.
inline constexpr const char* kDevices = "cpu, cuda, cuda:N";

/// `inputs` describes --input.
void add_program_options(CLI::App& command, ProgramSettings& settings, const std::string& inputs);
/// --compiled: the model is a file of `litz compile`, whatever its name is. --trust: who must have
/// signed it.
void add_compiled_option(CLI::App& command, ProgramSettings& settings);
void add_checksums_option(CLI::App& command, ProgramSettings& settings);
/// --operators: registers the operators of shared objects while options are parsed.
void add_operators_option(CLI::App& command);
/// Chooses the target processor.
void add_target_option(CLI::App& command, std::string& target);
void add_executor_option(CLI::App& command, std::string& executor);

struct RegionSettings {
  bool regional = false;
  bool tolerant = false;
  bool cuda_graphs = false;
};

/// --regional and its options, and --cudagraphs.
void add_region_options(CLI::App& command, RegionSettings& settings);
void set_region_options(const RegionSettings& settings, compiler::Options& options);

/// --graphs: whether programs share a context of graphs, are alone, or make graphs anew for each call.
void add_graphs_option(CLI::App& command, std::string& graphs);
/// Throws Error for another word.
void set_graphs_option(const std::string& graphs, compiler::Options& options);

/// Throws Error for options about code, where the interpreter runs alone.
void refuse_code_options(const std::string& target, bool use_cache);

/// True for a file that `litz compile` wrote.
bool is_compiled(const std::string& path);
/// Throws Error{untrusted}: exported programs are not signed.
[[noreturn]] void refuse_unsigned(const std::string& path);
/// The program of the settings ready to run: a compiled one, or one that is compiled now.
compiler::Executable make_executable(const ProgramSettings& settings,
                                     const compiler::Options& options, const PassSettings& passes);

/// The program of the settings before passes, whose weights are verified if everything is.
ir::Program import_program(const ProgramSettings& settings, const PassSettings& passes);

/// Returns the inputs of the settings; missing ones are generated. Throws like make_inputs.
std::vector<compiler::Leaf> make_inputs(const artifact::Signature& signature,
                                        const ProgramSettings& settings);

}  // namespace litz::tools
