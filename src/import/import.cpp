#include "import/import.h"

#include <string>
#include <utility>
#include <vector>

#include "import/archive.h"
#include "import/float8_overflow.h"
#include "import/graph_import.h"
#include "import/guard_import.h"
#include "import/import_archive.h"
#include "import/payloads.h"
#include "import/program_json.h"
#include "import/signature.h"
#include "import/unknown_operators.h"
#include "ir/verifier.h"
#include "ops/random_streams.h"
#include "support/check.h"
#include "support/mapped_file.h"
#include "support/text.h"

namespace litz::import_ {

using ir::InputKind;

namespace {

// Functional dialects guarantee it; nodes of others may write their operands.
bool is_functional(std::string_view dialect) { return dialect == "ATEN"; }

std::string graph_input_name(const JsonValue& argument, const JsonPath& path) {
  const JsonMember& member = argument.as_union(path);
  if (!member.value.is_object()) return {};
  for (const std::string_view key : {"name", "as_name"}) {
    if (const JsonValue* name = member.value.get(key, path)) {
      return std::string(name->as_string(path / key));
    }
  }
  return {};
}

class ProgramImporter {
 public:
  ProgramImporter(const Archive& archive, std::shared_ptr<const ir::OpSet> ops,
                  const ImportOptions& options)
      : options_(options),
        ops_(std::move(ops)),
        json_(read_program_json(archive)),
        archive_(archive) {}

  ir::Program run() {
    const JsonPath root(json_.origin);
    const JsonPath module_path = root / "graph_module";
    const JsonValue& graph_module = json_.root().at("graph_module", root);
    const JsonPath graph_path = module_path / "graph";
    const JsonValue& graph = graph_module.at("graph", module_path);
    program_.module = std::make_unique<ir::Module>(
        with_unknown_operators(graph, graph_path, std::move(ops_), is_functional(json_.dialect)));

    SymbolTable symbols(program_.module->exprs());
    if (const JsonValue* ranges = json_.root().get("range_constraints", root)) {
      symbols.read_ranges(*ranges, root / "range_constraints");
    }
    symbols.fix(options_.fixed_sizes);
    import_graph(graph_module, module_path, graph, graph_path, symbols);
    label_leaves(graph_module, module_path, program_);
    const GuardReport guards = import_guards(json_.root(), root, program_);
    program_.guards.insert(program_.guards.end(), guards.guards.begin(), guards.guards.end());
    state_versions(guards.warnings);
    restore_float8_overflow(*program_.module, program_.torch_version);
    attach_payloads(PayloadTable::load(archive_, with_small_archives_checked()), program_);
    const std::vector<std::string> errors = ir::verification_errors(
        *program_.module, {.level = ir::VerifyLevel::full, .infer_types = false});
    require(errors.empty(), ErrorCode::corrupt,
            "the parts of a program must fit each other:", errors.empty() ? "" : errors.front());
    return std::move(program_);
  }

 private:
  // Reading every page of a small archive has no noticeable cost; beyond this size, startup time
  // wins.
  ImportOptions with_small_archives_checked() const {
    constexpr uint64_t kSmallArchive = uint64_t{16} << 20;
    uint64_t bytes = 0;
    for (const ZipEntry& entry : archive_.zip().entries()) bytes += entry.size;
    ImportOptions options = options_;
    options.check_weights_crc = options.check_weights_crc || bytes <= kSmallArchive;
    return options;
  }

  void import_graph(const JsonValue& graph_module, const JsonPath& module_path,
                    const JsonValue& graph, const JsonPath& graph_path, SymbolTable& symbols) {
    const JsonPath signature_path = module_path / "signature";
    const JsonValue& signature = graph_module.at("signature", module_path);
    const std::vector<RecordedInput> inputs = read_input_specs(signature, signature_path);
    program_.outputs = read_output_specs(signature, signature_path, inputs);

    ir::Graph& main = program_.module->add_graph("main");
    program_.main = {main.id()};
    GraphImportContext context{*program_.module, symbols, options_, {}};
    GraphImporter importer(context, graph, graph_path, main, 0);
    import_inputs(graph, graph_path, inputs, importer);
    importer.import_nodes();
    importer.import_outputs();
    require(main.outputs().size() == program_.outputs.size(), ErrorCode::corrupt,
            "J8: a graph must have as many outputs as its signature:", main.outputs().size(),
            program_.outputs.size());
    for (size_t i = 0; i < program_.outputs.size(); ++i) check_output(main, i);
    program_.guards = std::move(context.assumed_sizes);
  }

  void import_inputs(const JsonValue& graph, const JsonPath& graph_path,
                     const std::vector<RecordedInput>& inputs, GraphImporter& importer) {
    const JsonPath inputs_path = graph_path / "inputs";
    const auto arguments = graph.at("inputs", graph_path).as_array(inputs_path);
    require(arguments.size() == inputs.size(), ErrorCode::corrupt,
            "J8: a graph must have as many inputs as its signature:", arguments.size(),
            inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const JsonPath at = inputs_path / i;
      const std::string name = graph_input_name(arguments[i], at);
      const bool literal = inputs[i].spec.kind == InputKind::constant_value;
      require(literal || name == inputs[i].name, ErrorCode::corrupt,
              "J8: an input must have the name of its spec:", at, quote(name),
              quote(inputs[i].name));
      importer.import_main_input(arguments[i], at, inputs[i].spec.kind,
                                 literal ? inputs[i].spec.label : name);
      program_.inputs.push_back(inputs[i].spec);
    }
  }

  // A mutation must write a tensor with the input's dtype and sizes.
  void check_output(const ir::Graph& main, size_t i) const {
    const ir::OutputSpec& spec = program_.outputs[i];
    if (spec.input < 0) return;
    const ir::Argument& output = main.outputs()[i];
    const ir::Value input = main.input(static_cast<size_t>(spec.input));
    bool same = output.is_value() && output.value().is_tensor() && input.is_tensor() &&
                output.value().tensor().dtype == input.tensor().dtype &&
                output.value().tensor().rank() == input.tensor().rank();
    for (size_t k = 0; same && k < input.tensor().rank(); ++k) {
      same = !known_not_equal(output.value().tensor().sizes[k], input.tensor().sizes[k]);
    }
    require(same, ErrorCode::corrupt,
            "J8: a mutation must write a tensor of the input's dtype and sizes:", i);
  }

  void state_versions(const std::vector<std::string>& guard_warnings) {
    program_.functional = is_functional(json_.dialect);
    program_.torch_version = json_.torch_version;
    program_.schema_version =
        std::to_string(json_.schema_major) + "." + std::to_string(json_.schema_minor);
    program_.dialect = json_.dialect;
    ops::assign_streams(*program_.module);
    for (const std::vector<std::string>* list :
         {&archive_.warnings(), &std::as_const(json_.warnings), &guard_warnings}) {
      program_.warnings.insert(program_.warnings.end(), list->begin(), list->end());
    }
  }

  const ImportOptions& options_;
  std::shared_ptr<const ir::OpSet> ops_;
  ProgramJson json_;
  const Archive& archive_;
  ir::Program program_;
};

}  // namespace

ir::Program import_archive(const Archive& archive, std::shared_ptr<const ir::OpSet> ops,
                           const ImportOptions& options) {
  const auto read = [&] { return ProgramImporter(archive, ops, options).run(); };
  const MappedFile* const file = archive.zip().file();
  try {
    return file != nullptr ? file->reading(read) : read();
  } catch (Error& error) {
    error.add_note("while reading " + archive.zip().origin());
    throw;
  }
}

ir::Program import_program(const std::string& path, std::shared_ptr<const ir::OpSet> ops,
                           const ImportOptions& options) {
  return import_archive(Archive::open_file(path, options.model), std::move(ops), options);
}

ir::Program import_program(std::shared_ptr<const MappedFile> file,
                           std::shared_ptr<const ir::OpSet> ops, const ImportOptions& options) {
  return import_archive(Archive::open(std::move(file), options.model), std::move(ops), options);
}

ir::Program import_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                           std::shared_ptr<const ir::OpSet> ops, const ImportOptions& options) {
  return import_archive(Archive::open(bytes, "archive in memory", options.model, std::move(owner)),
                        std::move(ops), options);
}

}  // namespace litz::import_
