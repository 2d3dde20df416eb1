#include "compiler/stored_program.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
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

void write_stored_program(const std::string& path, std::span<const std::byte> bytes) {
  // A rename would put a file in the place of a device or a pipe.
  struct stat there = {};
  require(::lstat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode), ErrorCode::io,
          "a program is written to a new or a regular file:", path);
  const std::string unfinished = path + ".writing";
  std::FILE* file = std::fopen(unfinished.c_str(), "wb");
  require(file != nullptr, ErrorCode::io, "a program must be writable:", path,
          std::strerror(errno));
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool is_closed = std::fclose(file) == 0;
  const bool is_whole =
      is_written && is_closed && std::rename(unfinished.c_str(), path.c_str()) == 0;
  if (is_whole) return;
  const int error = errno;
  std::remove(unfinished.c_str());
  fail(ErrorCode::io, "a program must be written whole:", path, std::strerror(error));
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
  return Executable(runtime::load_program(bytes, keeper), options);
}

Executable load_program(const std::string& path, const Options& options) {
  require_compiled(options);
  return Executable(runtime::load_program(path), options);
}

}  // namespace litz::compiler
