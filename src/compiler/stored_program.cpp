#include "compiler/stored_program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <utility>

#include "artifact/program_file.h"
#include "codegen/llvm/cpu_target.h"
#include "codegen/llvm/kernel_compiler.h"
#include "compiler/graph_file.h"
#include "compiler/kernel_cache.h"
#include "compiler/kernel_store.h"
#include "compiler/region_program.h"
#include "support/check.h"
#include "support/mapped_file.h"

namespace litz::compiler {
namespace {

using artifact::ProgramFile;

/// Everything but the code.
ProgramFile file_of(const ir::Program& program, const Weights& weights, const Options& options) {
  const codegen::CpuTarget target = codegen::CpuTarget::named(options.target);
  ProgramFile file = describe_program(program, module_text(program.graph()), [&](size_t input) {
    // Weights that were folded into others are read by nobody.
    return program.graph().input(input).has_uses() ? weights.at(input) : Tensor();
  });
  file.build = build_name();
  file.target = options.target == "host" ? target.cpu : options.target;
  file.triple = target.triple;
  file.features = target.features;
  file.fuse = options.fuse;
  return file;
}

/// The name under which code of the file's target is made here.
std::string target_here(const ProgramFile& file) {
  const codegen::CpuTarget host = codegen::CpuTarget::host();
  const auto is_made_for = [&](const codegen::CpuTarget& target) {
    return target.triple == file.triple && target.features == file.features;
  };
  if (is_made_for(host)) return "host";
  for (const std::string_view name : codegen::CpuTarget::names()) {
    const codegen::CpuTarget target = codegen::CpuTarget::named(name);
    // Wider vectors come with everything that narrower ones have.
    const bool runs_here = target.triple == host.triple && target.vector_bytes <= host.vector_bytes;
    if (is_made_for(target) && runs_here) return std::string(name);
  }
  fail(ErrorCode::unsupported,
       "a compiled program must be made for this processor; compile it again here:", file.target,
       file.triple);
}

Executable executable_of(const ProgramFile& file, const Options& given) {
  Options options = given;
  options.regional = false;
  options.use_cache = false;
  options.fuse = file.fuse;
  options.target = target_here(file);
  KernelTable table;
  for (const auto& [key, payload] : file.kernels) table.add(key, payload);
  return Executable(program_of(file), options,
                    {.kernels = &table, .only_stored = true, .passes_ran = true});
}

}  // namespace

std::string build_name() { return std::string(LITZ_VERSION) + " " + codegen::generator_version(); }

std::vector<std::byte> store_program(const ir::Program& program, const Weights& weights,
                                     const Options& options) {
  require(options.executor == ExecutorKind::cpu, ErrorCode::unsupported,
          "an interpreted program has no code to save");
  ProgramFile file = file_of(program, weights, options);
  std::unique_ptr<KernelCache> cache;
  if (options.use_cache) cache = KernelCache::open(CacheSettings::from_environment());
  KernelTable table(cache.get());
  Options here = options;
  here.keep_report = false;
  here.regional = false;
  // Made from the text as whoever loads it will, so that both ask for the same kernels.
  const Executable made(program_of(file), here, {.kernels = &table, .passes_ran = true});
  const auto payloads = table.payloads();
  file.kernels.assign(payloads.begin(), payloads.end());
  try {
    executable_of(file, here);
  } catch (const InternalError&) {
    throw;
  } catch (Error& error) {
    error.add_note("while trying what was about to be saved");
    throw;
  }
  return artifact::write_program_file(file);
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
  return artifact::is_program_file(bytes, artifact::FileKind::compiled);
}

Executable load_program(std::span<const std::byte> bytes, const std::shared_ptr<const void>& keeper,
                        const Options& options) {
  require(is_stored_program(bytes), ErrorCode::corrupt,
          "Invalid header: a compiled program must begin as one");
  const ProgramFile file = artifact::read_program_file(bytes, keeper);
  require(file.build == build_name(), ErrorCode::unsupported,
          "a compiled program must be made by this build; compile it again:", file.build,
          "instead of", build_name());
  return executable_of(file, options);
}

Executable load_program(const std::string& path, const Options& options) {
  auto file = std::make_shared<MappedFile>(MappedFile::open(path));
  const std::span<const std::byte> bytes = file->bytes();
  try {
    return load_program(bytes, file, options);
  } catch (Error& error) {
    error.add_note("while loading " + path);
    throw;
  }
}

}  // namespace litz::compiler
