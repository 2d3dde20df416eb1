#include "litz/program_options.h"

#include "import/import.h"
#include "litz/inputs.h"
#include "ops/op_table.h"

namespace litz::tools {

void add_program_options(CLI::App& command, ProgramSettings& settings, const std::string& inputs) {
  command.add_option("model", settings.model, "exported program (.pt2)")->required();
  command.add_option("--model-name", settings.model_name, "which model of an archive with several");
  command.add_option("--input", settings.inputs, inputs);
  command.add_option("--threads", settings.threads, "threads; 0: one for each CPU")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_option("--seed", settings.seed, "seed of made-up inputs")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 62).description("INTEGER >= 0"))
      ->capture_default_str();
}

void add_target_option(CLI::App& command, std::string& target) {
  command.add_option("--target", target, "processor to make code for: host, avx2, avx512, neon")
      ->capture_default_str();
}

void add_tolerance_options(CLI::App& command, double& rtol, double& atol) {
  command.add_option("--rtol", rtol, "relative tolerance of comparisons")
      ->check(CLI::Range(0.0, 1e300).description("NUMBER >= 0"))
      ->capture_default_str();
  command.add_option("--atol", atol, "absolute tolerance of comparisons")
      ->check(CLI::Range(0.0, 1e300).description("NUMBER >= 0"))
      ->capture_default_str();
}

ir::Program import_program(const ProgramSettings& settings) {
  return import_::import_program(settings.model, ops::standard_ops(),
                                 {.model = settings.model_name});
}

std::vector<compiler::Leaf> make_inputs(const ir::Program& program,
                                        const ProgramSettings& settings) {
  return make_inputs(program, settings.inputs, static_cast<uint64_t>(settings.seed));
}

}  // namespace litz::tools
