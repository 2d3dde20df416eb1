#include "litz/stored_info.h"

#include <memory>
#include <set>
#include <span>
#include <variant>

#include "artifact/file_signature.h"
#include "artifact/program_file.h"
#include "common/keys.h"
#include "compiler/graph_file.h"
#include "compiler/program_signature.h"
#include "expr/guard.h"
#include "ir/placement.h"
#include "litz/program_options.h"
#include "runtime/program/program_loader.h"
#include "runtime/program/required_guards.h"
#include "support/check.h"
#include "support/mapped_file.h"
#include "support/text.h"

namespace litz::tools {
namespace {

using artifact::HostScalar;
using artifact::ProgramInput;
using artifact::ProgramOutput;
using artifact::SignedFile;
using import_::ArchiveInfo;

std::string_view word(ExprDomain domain) {
  switch (domain) {
    case ExprDomain::integer:
      return "int";
    case ExprDomain::real:
      return "float";
    case ExprDomain::boolean:
      return "bool";
  }
  return "";
}

std::string text_of(const artifact::ValueType& type) {
  if (const auto* const tensor = std::get_if<TensorType>(&type)) return to_string(*tensor);
  const auto* const scalar = std::get_if<HostScalar>(&type);
  if (scalar == nullptr) return "None";
  return std::string(word(scalar->domain)) + " " + to_string(scalar->value);
}

std::string text_of(const ProgramInput& input) {
  if (input.kind != InputKind::constant_value) return text_of(input.type);
  if (const auto* const text = std::get_if<std::string>(&input.literal)) return quote(*text);
  if (const auto* const number = std::get_if<Expr>(&input.literal)) return to_string(*number);
  return "None";
}

ArchiveInfo::Tensors& tensors_of(ArchiveInfo& info, InputKind kind) {
  if (kind == InputKind::parameter) return info.parameters;
  return kind == InputKind::buffer ? info.buffers : info.constants;
}

void add_input(const ProgramInput& input, ArchiveInfo& info) {
  if (is_given_by_caller(input.kind)) {
    info.inputs.push_back({input.label, text_of(input)});
  } else if (input.data.defined()) {
    ArchiveInfo::Tensors& tensors = tensors_of(info, input.kind);
    ++tensors.count;
    tensors.elements += input.data.numel();
    tensors.bytes += input.data.numel() * item_size(input.data.dtype());
  }
}

/// The symbols of what callers see. Programs have others, of their kernels.
class SymbolList {
 public:
  void add(const artifact::ValueType& type) {
    if (const auto* const tensor = std::get_if<TensorType>(&type)) {
      for (const Expr size : tensor->sizes) add(size);
    } else if (const auto* const scalar = std::get_if<HostScalar>(&type)) {
      add(scalar->value);
    }
  }

  void add(Expr expr) {
    for (const SymbolId symbol : free_symbols(expr)) symbols_.insert(symbol);
  }

  std::vector<std::string> texts(const ExprPool& pool) const {
    std::vector<std::string> texts;
    for (const SymbolId id : symbols_) {
      const SymbolInfo& symbol = pool.symbol(id);
      texts.push_back(describe_range(symbol.name, symbol.range));
    }
    return texts;
  }

 private:
  std::set<SymbolId> symbols_;
};

void describe(const artifact::Signature& signature, const ExprPool& pool, ArchiveInfo& info) {
  SymbolList symbols;
  for (const ProgramInput& input : signature.inputs) {
    add_input(input, info);
    if (is_given_by_caller(input.kind)) symbols.add(input.type);
  }
  for (const ProgramOutput& output : signature.outputs) {
    if (is_mutation(output.kind)) {
      info.mutated.push_back(signature.inputs[static_cast<size_t>(output.input)].label);
    }
    if (!is_user_output(output.kind)) continue;
    const std::string number = "out" + std::to_string(info.outputs.size());
    info.outputs.push_back({output.label.empty() ? number : output.label, text_of(output.type)});
    symbols.add(output.type);
  }
  for (const Guard& guard : signature.guards) {
    info.guards.push_back(runtime::in_names_of_inputs(
        guard.text.empty() ? to_string(guard.condition) : guard.text, signature));
    symbols.add(guard.condition);
  }
  info.symbols = symbols.texts(pool);
}

void add_contents(const artifact::Program& program, StoredInfo& info) {
  info.kernels += program.kernels.size();
  for (const artifact::KernelCode& kernel : program.kernels) {
    info.code_bytes += static_cast<int64_t>(kernel.object.size());
  }
  for (const artifact::PackedConstant& packed : program.packed) {
    info.packed_bytes += packed.data.numel();
  }
}

StoredInfo info_of_compiled(const std::shared_ptr<MappedFile>& file,
                            std::span<const PublicKey> trusted) {
  const SignedFile parts = artifact::split_signature(artifact::kProgramFile, file->bytes());
  if (!trusted.empty()) artifact::require_signed_by(parts, trusted);
  require(!parts.signature || artifact::is_genuine(parts), ErrorCode::corrupt,
          "a signature must fit its file, which was changed after it was signed");
  const artifact::ProgramOfBuild read = artifact::read_any_program_file(file->bytes(), file);
  const artifact::Program& program = read.program;
  StoredInfo info;
  info.compiled = true;
  info.program.layout = "compiled program";
  info.program.torch_version = program.source;
  info.program.devices = program.exported_on;
  info.build = read.build;
  info.target = program.target.name;
  info.reason_not_runnable = read.build == runtime::build_name()
                                 ? runtime::reason_not_runnable(program.target)
                                 : "another build of Litz made it";
  if (parts.signature) info.signed_by = to_string(parts.signature->key);
  add_contents(program, info);
  for (const artifact::Program& part : program.parts) add_contents(part, info);
  describe(program.signature, *program.symbols, info.program);
  return info;
}

StoredInfo info_of_graph(const std::string& path) {
  const ir::Program program = compiler::open_program(path);
  StoredInfo info;
  info.program.layout = "graph of litz partition";
  info.program.torch_version = program.torch_version;
  info.program.schema_version = program.schema_version;
  info.program.dialect = program.dialect;
  info.program.devices = ir::devices_of(*program.module);
  describe(compiler::signature_of(program), program.module->exprs(), info.program);
  return info;
}

}  // namespace

bool is_stored(const std::string& path) {
  return is_compiled(path) || compiler::is_graph_file(MappedFile::open(path).bytes());
}

StoredInfo read_stored_info(const std::string& path, const std::vector<std::string>& trusted) {
  const std::vector<PublicKey> keys = read_trusted(trusted);
  auto file =
      std::make_shared<MappedFile>(keys.empty() ? MappedFile::open(path) : MappedFile::read(path));
  if (!artifact::is_file_of(file->bytes(), artifact::kProgramFile)) {
    if (!keys.empty()) refuse_unsigned(path);
    return info_of_graph(path);
  }
  try {
    return info_of_compiled(file, keys);
  } catch (Error& error) {
    error.add_note("while reading " + path);
    throw;
  }
}

}  // namespace litz::tools
