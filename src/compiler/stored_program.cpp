#include "compiler/stored_program.h"

#include <utility>

#include "artifact/program_file.h"
#include "compiler/graph_file.h"
#include "runtime/program/program_loader.h"
#include "support/check.h"

namespace litz::compiler {

std::vector<std::byte> store_program(const artifact::Program& program, const ExprPool& symbols,
                                     std::span<const Tensor> weights,
                                     std::span<const artifact::PackedConstant> packed) {
  artifact::Program current = program;
  current.packed.assign(packed.begin(), packed.end());
  for (size_t i = 0; i < current.signature.inputs.size(); ++i) {
    current.signature.inputs[i].data = weights[i];
  }
  return artifact::write_program_file(current, symbols, runtime::build_name());
}

std::vector<std::byte> store_program(const ir::Program& program, std::span<const Tensor> weights,
                                     std::span<const artifact::PackedConstant> packed,
                                     const Options& options) {
  Options here = options;
  here.keep_code = true;
  here.keep_report = false;
  here.test_modes = {};
  const Executable made(copy_program(program), here, {.passes_ran = true});
  check(made.compiled() != nullptr, "what was compiled once must compile again");
  return store_program(*made.compiled(), made.program()->module->exprs(), weights, packed);
}

bool is_stored_program(std::span<const std::byte> bytes) {
  return runtime::is_compiled_program(bytes);
}

namespace {

void require_compiled(const Options& options) {
  require(options.executor == ExecutorKind::cpu, ErrorCode::unsupported,
          "a compiled program holds code and no graph, so it must run on cpu");
}

}  // namespace

Executable load_program(std::span<const std::byte> bytes, const std::shared_ptr<const void>& keeper,
                        const Options& options) {
  require_compiled(options);
  return Executable(runtime::load_program(bytes, keeper, options.trusted_keys), options);
}

Executable load_program(const std::string& path, const Options& options) {
  require_compiled(options);
  return Executable(runtime::load_program(path, options.trusted_keys, options.copies_file),
                    options);
}

}  // namespace litz::compiler
