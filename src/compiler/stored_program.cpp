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
#include "compiler/kernel_cache.h"
#include "compiler/kernel_store.h"
#include "compiler/region_program.h"
#include "ir/parser.h"
#include "ir/printed_symbols.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "support/mapped_file.h"
#include "types/expr_parse.h"

namespace litz::compiler {
namespace {

using artifact::LiteralKind;
using artifact::ProgramFile;

void store_literal(const ir::Attribute& literal, artifact::StoredInput& input) {
  if (const auto* text = std::get_if<std::string>(&literal)) {
    input.literal_kind = LiteralKind::text;
    input.literal = *text;
  } else if (const auto* scalar = std::get_if<Expr>(&literal)) {
    input.literal_kind = LiteralKind::scalar;
    input.literal = to_string(*scalar);
  }
}

/// Everything but the code.
ProgramFile file_of(const ir::Program& program, const Weights& weights, const Options& options) {
  const codegen::CpuTarget target = codegen::CpuTarget::named(options.target);
  ProgramFile file;
  file.build = build_name();
  file.target = options.target == "host" ? target.cpu : options.target;
  file.triple = target.triple;
  file.features = target.features;
  file.fuse = options.fuse;
  file.main = program.graph().name();
  file.graph = module_text(program.graph());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ir::InputSpec& spec = program.inputs[i];
    artifact::StoredInput& input = file.inputs.emplace_back();
    input.kind = static_cast<uint8_t>(spec.kind);
    input.persistent = spec.persistent;
    input.target = spec.target;
    input.label = spec.label;
    store_literal(spec.literal, input);
    // Weights that were folded into others are read by nobody.
    if (!weights.at(i).defined() || !program.graph().input(i).has_uses()) continue;
    input.tensor = static_cast<int64_t>(file.tensors.size());
    file.tensors.push_back(weights.at(i));
  }
  for (const ir::OutputSpec& spec : program.outputs) {
    file.outputs.push_back({static_cast<uint8_t>(spec.kind), spec.input, spec.label});
  }
  for (const Guard& guard : program.guards) {
    file.guards.push_back({to_string(guard.condition), guard.text});
  }
  return file;
}

Expr parse_known(const std::string& text, ExprPool& pool) {
  SymbolResolver resolver;
  resolver.symbol = [&](const std::string& name, bool) {
    const std::optional<Expr> found = pool.find_symbol(name);
    require(found.has_value(), ErrorCode::corrupt,
            "a compiled program must declare its symbols:", name);
    return *found;
  };
  return parse_expr(text, pool, resolver);
}

ir::InputSpec input_of(const artifact::StoredInput& stored, const ProgramFile& file,
                       ExprPool& pool) {
  require(stored.kind <= static_cast<uint8_t>(ir::InputKind::token), ErrorCode::corrupt,
          "a compiled program must have inputs of known kinds:", int{stored.kind});
  ir::InputSpec spec;
  spec.kind = static_cast<ir::InputKind>(stored.kind);
  spec.target = stored.target;
  spec.label = stored.label;
  spec.persistent = stored.persistent;
  if (stored.tensor >= 0) spec.data = file.tensors[static_cast<size_t>(stored.tensor)];
  if (stored.literal_kind == LiteralKind::text) spec.literal = stored.literal;
  if (stored.literal_kind == LiteralKind::scalar) spec.literal = parse_known(stored.literal, pool);
  return spec;
}

ir::OutputSpec output_of(const artifact::StoredOutput& stored, size_t inputs) {
  const auto kind = static_cast<ir::OutputKind>(stored.kind);
  const bool is_known = stored.kind <= static_cast<uint8_t>(ir::OutputKind::token);
  const bool has_input = stored.input >= 0 && stored.input < static_cast<int64_t>(inputs);
  require(is_known && (has_input || !ir::is_mutation(kind)), ErrorCode::corrupt,
          "a compiled program must have outputs of known kinds:", int{stored.kind}, stored.input);
  ir::OutputSpec spec;
  spec.kind = kind;
  spec.input = static_cast<int>(stored.input);
  spec.label = stored.label;
  return spec;
}

ir::Program program_of(const ProgramFile& file) {
  ir::Program program;
  program.functional = true;
  ir::ParseResult parsed = ir::parse_module(file.graph, ops::standard_ops());
  require(parsed.ok(), ErrorCode::corrupt, "a compiled program must hold a graph that can be read:",
          parsed.ok() ? "" : parsed.errors.front().message);
  program.module = std::move(parsed.module);
  const ir::Graph* main = program.module->find_graph(file.main);
  require(main != nullptr, ErrorCode::corrupt,
          "a compiled program must hold its main graph:", file.main);
  program.main = {main->id()};
  require(
      file.inputs.size() == main->input_count() && file.outputs.size() == main->outputs().size(),
      ErrorCode::corrupt,
      "a compiled program must describe its inputs and outputs:", file.inputs.size(),
      file.outputs.size());
  ExprPool& pool = program.module->exprs();
  for (const artifact::StoredInput& stored : file.inputs) {
    program.inputs.push_back(input_of(stored, file, pool));
  }
  for (const artifact::StoredOutput& stored : file.outputs) {
    program.outputs.push_back(output_of(stored, file.inputs.size()));
  }
  for (const artifact::StoredGuard& guard : file.guards) {
    program.guards.push_back({parse_known(guard.condition, pool), guard.text});
  }
  return program;
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
          "a compiled program is written to a new or a regular file:", path);
  const std::string unfinished = path + ".writing";
  std::FILE* file = std::fopen(unfinished.c_str(), "wb");
  require(file != nullptr, ErrorCode::io, "a compiled program must be writable:", path,
          std::strerror(errno));
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool is_closed = std::fclose(file) == 0;
  const bool is_whole =
      is_written && is_closed && std::rename(unfinished.c_str(), path.c_str()) == 0;
  if (is_whole) return;
  const int error = errno;
  std::remove(unfinished.c_str());
  fail(ErrorCode::io, "a compiled program must be written whole:", path, std::strerror(error));
}

bool is_stored_program(std::span<const std::byte> bytes) {
  return artifact::is_program_file(bytes);
}

Executable load_program(std::span<const std::byte> bytes, const std::shared_ptr<const void>& keeper,
                        const Options& options) {
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
