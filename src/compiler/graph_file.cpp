// Programs to files and back. See graph_file.h.

#include "compiler/graph_file.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/stored_program.h"
#include "expr/parse.h"
#include "import/import.h"
#include "ir/inferred_types.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/user_operators.h"
#include "support/check.h"
#include "support/mapped_file.h"
#include "support/whole_file.h"

namespace litz::compiler {
namespace {

using artifact::GraphFile;
using artifact::LiteralKind;

void store_literal(const ir::Attribute& literal, artifact::StoredInput& input) {
  if (const auto* text = std::get_if<std::string>(&literal)) {
    input.literal_kind = LiteralKind::text;
    input.literal = *text;
  } else if (const auto* scalar = std::get_if<Expr>(&literal)) {
    input.literal_kind = LiteralKind::scalar;
    input.literal = to_string(*scalar);
  }
}

Expr parse_known(const std::string& text, ExprPool& pool) {
  SymbolResolver resolver;
  resolver.symbol = [&](const std::string& name, bool) {
    const std::optional<Expr> found = pool.find_symbol(name);
    require(found.has_value(), ErrorCode::corrupt,
            "a stored program must declare its symbols:", name);
    return *found;
  };
  return parse_expr(text, pool, resolver);
}

ir::InputSpec input_of(const artifact::StoredInput& stored, const GraphFile& file, ExprPool& pool) {
  require(stored.kind <= static_cast<uint8_t>(ir::InputKind::token), ErrorCode::corrupt,
          "a stored program must have inputs of known kinds:", int{stored.kind});
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
          "a stored program must have outputs of known kinds:", int{stored.kind}, stored.input);
  ir::OutputSpec spec;
  spec.kind = kind;
  spec.input = static_cast<int>(stored.input);
  spec.label = stored.label;
  return spec;
}

/// Checked because kernels trust the types of what they read.
void require_weights(const ir::Program& program) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Tensor& data = program.inputs[i].data;
    if (!data.defined()) continue;
    const ir::Value input = program.graph().input(i);
    bool fits = input.is_tensor() && input.tensor().dtype == data.dtype() &&
                input.tensor().rank() == data.sizes().size();
    for (size_t d = 0; fits && d < data.sizes().size(); ++d) {
      fits = input.tensor().sizes[d].maybe_constant() == data.sizes()[d];
    }
    require(fits, ErrorCode::corrupt,
            "a stored program must hold weights of the types of its inputs:", input.name());
  }
}

/// Checks like the importer: layouts may be what the file says, but dtypes and sizes must be those
/// that operators give. Sizes that may be equal become conditions of the program.
void require_types(const ir::Node& node, std::vector<Guard>& guards) {
  if (node.op().infer == nullptr) return;
  const std::vector<ir::ValueType> types = ir::inferred_types(node);
  for (size_t i = 0; i < types.size(); ++i) {
    const auto* inferred = std::get_if<TensorType>(&types[i]);
    if (inferred == nullptr || !node.output(i).is_tensor()) continue;
    const TensorType& stated = node.output(i).tensor();
    bool fits = inferred->dtype == stated.dtype && inferred->rank() == stated.rank();
    for (size_t d = 0; fits && d < stated.rank(); ++d) {
      const Expr condition = eq(inferred->sizes[d], stated.sizes[d]);
      fits = known(condition) != false;
      if (!fits || known(condition) == true || depends_on_data(condition)) continue;
      if (std::ranges::find(guards, condition, &Guard::condition) != guards.end()) continue;
      guards.push_back({condition, "a size of %" + node.output(i).name() + " is as stored"});
    }
    if (fits) continue;
    // The text of a node takes time in the size of its graph.
    fail(ErrorCode::corrupt,
         "a stored program must state the types that its operators give:", ir::to_string(node),
         "- not", *inferred);
  }
}

void require_sound(ir::Program& program) {
  const std::vector<std::string> errors =
      ir::verification_errors(*program.module, {.infer_types = false});
  require(errors.empty(), ErrorCode::corrupt,
          "a stored program must verify:", errors.empty() ? "" : errors.front());
  for (const ir::Graph* graph : program.module->graphs()) {
    for (const ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
      require_types(*node, program.guards);
    }
  }
  require_weights(program);
}

}  // namespace

GraphFile describe_program(const ir::Program& program, std::string text,
                           const std::function<Tensor(size_t)>& weight) {
  GraphFile file;
  file.functional = program.functional;
  file.weights_missing = program.weights_missing;
  file.torch_version = program.torch_version;
  file.schema_version = program.schema_version;
  file.dialect = program.dialect;
  file.main = program.graph().name();
  file.graph = std::move(text);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ir::InputSpec& spec = program.inputs[i];
    artifact::StoredInput& input = file.inputs.emplace_back();
    input.kind = static_cast<uint8_t>(spec.kind);
    input.persistent = spec.persistent;
    input.target = spec.target;
    input.label = spec.label;
    store_literal(spec.literal, input);
    Tensor data = weight(i);
    if (!data.defined()) continue;
    input.tensor = static_cast<int64_t>(file.tensors.size());
    file.tensors.push_back(std::move(data));
  }
  for (const ir::OutputSpec& spec : program.outputs) {
    file.outputs.push_back({static_cast<uint8_t>(spec.kind), spec.input, spec.label});
  }
  for (const Guard& guard : program.guards) {
    file.guards.push_back({to_string(guard.condition), guard.text});
  }
  return file;
}

ir::Program program_of(const GraphFile& file) {
  ir::Program program;
  program.functional = file.functional;
  program.weights_missing = file.weights_missing;
  program.torch_version = file.torch_version;
  program.schema_version = file.schema_version;
  program.dialect = file.dialect;
  ir::ParseResult parsed = ir::parse_module(file.graph, ops::known_ops());
  require(parsed.ok(), ErrorCode::corrupt, "a stored program must hold a graph that can be read:",
          parsed.ok() ? "" : parsed.errors.front().message);
  program.module = std::move(parsed.module);
  const ir::Graph* main = program.module->find_graph(file.main);
  require(main != nullptr, ErrorCode::corrupt,
          "a stored program must hold its main graph:", file.main);
  program.main = {main->id()};
  require(
      file.inputs.size() == main->input_count() && file.outputs.size() == main->outputs().size(),
      ErrorCode::corrupt,
      "a stored program must describe its inputs and outputs:", file.inputs.size(),
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

namespace {

GraphFile describe_graph(const ir::Program& program) {
  return describe_program(program, ir::to_string(*program.module),
                          [&](size_t input) { return program.inputs[input].data; });
}

}  // namespace

std::vector<std::byte> store_graph(const ir::Program& program) {
  return artifact::write_graph_file(describe_graph(program));
}

size_t write_program(const std::string& path, const ir::Program& program) {
  if (!path.ends_with(".ir")) {
    const std::vector<std::byte> bytes = store_graph(program);
    write_whole_file(path, bytes);
    return bytes.size();
  }
  const std::string text = ir::to_string(*program.module);
  write_whole_file(path, std::as_bytes(std::span(text)));
  return text.size();
}

bool is_graph_file(std::span<const std::byte> bytes) {
  return artifact::is_file_of(bytes, artifact::kGraphFile);
}

ir::Program copy_program(const ir::Program& program) {
  ir::Program copy = program_of(describe_graph(program));
  copy.warnings = program.warnings;
  return copy;
}

namespace {

/// A program of text alone, whose callers give all arguments.
ir::Program program_of_text(std::string_view text, const std::string& path) {
  ir::Program program;
  program.module = ir::read_module(text, ops::known_ops(), path);
  const ir::Graph* main = program.module->find_graph("main");
  require(main != nullptr, ErrorCode::corrupt, "the text of a program must have a graph @main");
  program.main = {main->id()};
  for (const ir::Value input : program.graph().inputs()) {
    program.inputs.emplace_back().label = input.name();
  }
  const size_t count = program.graph().outputs().size();
  for (size_t i = 0; i < count; ++i) {
    program.outputs.emplace_back().label = count == 1 ? "out" : "out" + std::to_string(i);
  }
  return program;
}

ir::Program read_program(const std::shared_ptr<const MappedFile>& file) {
  const std::span<const std::byte> bytes = file->bytes();
  if (is_graph_file(bytes)) return program_of(artifact::read_graph_file(bytes, file));
  return program_of_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file->path());
}

}  // namespace

ir::Program open_program(const std::string& path, const OpenOptions& options) {
  return open_program(std::make_shared<const MappedFile>(MappedFile::open(path)), options);
}

ir::Program open_program(const std::shared_ptr<const MappedFile>& file,
                         const OpenOptions& options) {
  if (!is_graph_file(file->bytes()) && !file->path().ends_with(".ir")) {
    return import_::import_program(
        file, ops::known_ops(),
        {.model = options.model, .check_weights_crc = options.verify_checksums});
  }
  try {
    require(options.model.empty(), "only archives have models of several names:", options.model);
    ir::Program program = file->reading([&] { return read_program(file); });
    require_sound(program);
    return program;
  } catch (Error& error) {
    error.add_note("while loading " + file->path());
    throw;
  }
}

ir::Program open_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                         const OpenOptions& options) {
  if (!is_graph_file(bytes)) {
    return import_::import_program(
        bytes, std::move(owner), ops::known_ops(),
        {.model = options.model, .check_weights_crc = options.verify_checksums});
  }
  require(options.model.empty(), "only archives have models of several names:", options.model);
  ir::Program program = program_of(artifact::read_graph_file(bytes, owner));
  require_sound(program);
  return program;
}

}  // namespace litz::compiler
