#include "import/archive_info.h"

#include <algorithm>
#include <set>

#include "expr/guard.h"
#include "import/memory_estimate.h"
#include "import/program_json.h"
#include "import/schema_json.h"
#include "import/signature.h"
#include "import/symbols.h"
#include "import/targets.h"
#include "import/value_scope.h"
#include "support/check.h"
#include "support/json.h"
#include "support/text.h"

namespace litz::import_ {

using ir::InputKind;
using ir::OutputKind;

namespace {

class InfoReader {
 public:
  explicit InfoReader(const Archive& archive)
      : archive_(archive), json_(read_program_json(archive)), symbols_(pool_) {}

  ArchiveInfo run() {
    const JsonPath root(json_.origin);
    if (const JsonValue* ranges = json_.root().get("range_constraints", root)) {
      symbols_.read_ranges(*ranges, root / "range_constraints");
    }
    const JsonPath module_path = root / "graph_module";
    const JsonValue& graph_module = json_.root().at("graph_module", root);
    const JsonPath graph_path = module_path / "graph";
    const JsonValue& graph = graph_module.at("graph", module_path);
    state_versions();
    read_leaves(graph_module, module_path, graph, graph_path);
    count_nodes(graph, graph_path, 0);
    list_devices(graph, graph_path);
    estimate_memory(graph, graph_path);
    list_symbols();
    list_guards(root);
    find_weights();
    return std::move(info_);
  }

 private:
  void state_versions() {
    info_.layout = name(archive_.layout());
    info_.model = archive_.model();
    info_.models = archive_.models();
    info_.torch_version = json_.torch_version;
    info_.schema_version =
        std::to_string(json_.schema_major) + "." + std::to_string(json_.schema_minor);
    info_.dialect = json_.dialect;
    info_.warnings = archive_.warnings();
    info_.warnings.insert(info_.warnings.end(), json_.warnings.begin(), json_.warnings.end());
  }

  // A program with specs only, so that labels have one source.
  void read_leaves(const JsonValue& graph_module, const JsonPath& module_path,
                   const JsonValue& graph, const JsonPath& graph_path) {
    const JsonPath signature_path = module_path / "signature";
    const JsonValue& signature = graph_module.at("signature", module_path);
    const std::vector<RecordedInput> inputs = read_input_specs(signature, signature_path);
    ir::Program shell;
    for (const RecordedInput& input : inputs) shell.inputs.push_back(input.spec);
    shell.outputs = read_output_specs(signature, signature_path, inputs);
    label_leaves(graph_module, module_path, shell);
    info_.warnings.insert(info_.warnings.end(), shell.warnings.begin(), shell.warnings.end());
    const ValueScope scope(graph, graph_path, symbols_);
    const JsonPath inputs_path = graph_path / "inputs";
    const auto arguments = graph.at("inputs", graph_path).as_array(inputs_path);
    for (size_t i = 0; i < shell.inputs.size() && i < arguments.size(); ++i) {
      add_input(shell.inputs[i], arguments[i].as_union(inputs_path / i), inputs_path / i, scope);
    }
    const JsonPath outputs_path = graph_path / "outputs";
    const auto results = graph.at("outputs", graph_path).as_array(outputs_path);
    for (size_t i = 0; i < shell.outputs.size() && i < results.size(); ++i) {
      add_output(shell, i, results[i].as_union(outputs_path / i), outputs_path / i, scope);
    }
  }

  void add_input(const ir::InputSpec& spec, const JsonMember& argument, const JsonPath& path,
                 const ValueScope& scope) {
    switch (spec.kind) {
      case InputKind::parameter:
        return add_tensor(info_.parameters, argument, path, scope);
      case InputKind::buffer:
        return add_tensor(info_.buffers, argument, path, scope);
      case InputKind::constant:
        return add_tensor(info_.constants, argument, path, scope);
      case InputKind::user:
      case InputKind::constant_value:
        info_.inputs.push_back({spec.label, describe(argument, path, scope)});
        return;
      case InputKind::token:
        return;
    }
  }

  void add_output(const ir::Program& shell, size_t i, const JsonMember& argument,
                  const JsonPath& path, const ValueScope& scope) {
    const ir::OutputSpec& spec = shell.outputs[i];
    if (spec.input >= 0) {
      const ir::InputSpec& input = shell.inputs[static_cast<size_t>(spec.input)];
      info_.mutated.push_back(input.target.empty() ? input.label : input.target);
    } else if (spec.kind != OutputKind::token) {
      info_.outputs.push_back({spec.label, describe(argument, path, scope)});
    }
  }

  static void add_tensor(ArchiveInfo::Tensors& tensors, const JsonMember& argument,
                         const JsonPath& path, const ValueScope& scope) {
    const TensorType type = scope.tensor_type(argument_name(argument.value, path));
    const auto elements = type.numel().maybe_constant().value_or(0);
    ++tensors.count;
    tensors.elements += elements;
    tensors.bytes += elements * item_size(type.dtype);
  }

  static std::string describe(const JsonMember& argument, const JsonPath& path,
                              const ValueScope& scope) {
    if (argument.key == "as_tensor") {
      return to_string(scope.tensor_type(argument_name(argument.value, path)));
    }
    if (argument.key == "as_sym_int") return "int";
    if (argument.key == "as_sym_float") return "float";
    if (argument.key == "as_sym_bool") return "bool";
    if (argument.key == "as_none") return "None";
    if (argument.key == "as_int") return std::to_string(argument.value.as_int(path));
    if (argument.key == "as_float") return format_double(argument.value.as_double(path));
    if (argument.key == "as_bool") return argument.value.as_bool(path) ? "True" : "False";
    if (argument.key == "as_string") return quote(argument.value.as_string(path));
    return argument.key.starts_with("as_") ? std::string(argument.key.substr(3)) : "?";
  }

  void count_nodes(const JsonValue& graph, const JsonPath& path, int depth) {
    require(depth <= 32, ErrorCode::limit_exceeded,
            "G6: sub-graphs may nest at most 32 deep:", path);
    for (const JsonValue& node : graph.at("nodes", path).as_array(path / "nodes")) {
      const JsonPath at = path / "nodes";
      ++info_.nodes;
      ++info_.operators[operator_name(node.at("target", at).as_string(at / "target"))];
      for (const JsonValue& input : node.at("inputs", at).as_array(at / "inputs")) {
        const JsonMember& argument = input.at("arg", at).as_union(at / "arg");
        if (argument.key != "as_graph") continue;
        ++info_.child_graphs;
        count_nodes(argument.value.at("graph", at), at / "graph", depth + 1);
      }
    }
  }

  void list_devices(const JsonValue& graph, const JsonPath& path) {
    const JsonPath at = path / "tensor_values";
    for (const JsonMember& tensor : graph.at("tensor_values", path).as_object(at)) {
      const JsonPath tensor_path = at / tensor.key;
      const Device device =
          read_device(tensor.value.at("device", tensor_path), tensor_path / "device");
      const bool is_known = std::ranges::find(info_.devices, device) != info_.devices.end();
      if (!is_known) info_.devices.push_back(device);
    }
  }

  void estimate_memory(const JsonValue& graph, const JsonPath& path) {
    const ValueScope scope(graph, path, symbols_);
    Bindings sizes;
    for (SymbolId id = 0; id < pool_.symbol_count(); ++id) {
      const SymbolInfo& symbol = pool_.symbol(id);
      sizes.set(id, symbol.hint.value_or(std::max<int64_t>(symbol.range.lo, 1)));
    }
    info_.result_bytes = peak_of_results(graph, path, scope, sizes);
  }

  void list_symbols() {
    for (SymbolId id = 0; id < pool_.symbol_count(); ++id) {
      const SymbolInfo& symbol = pool_.symbol(id);
      info_.symbols.push_back(describe_range(symbol.name, symbol.range));
    }
  }

  void list_guards(const JsonPath& root) {
    const JsonValue* guards = json_.root().get("guards_code", root);
    if (guards == nullptr) return;
    for (const JsonValue& guard : guards->as_array(root / "guards_code")) {
      info_.guards.emplace_back(guard.as_string(root / "guards_code"));
    }
  }

  // Finds payloads that the index names but that are absent, or empty although they have elements.
  void find_weights() {
    const ZipEntry* samples = archive_.sample_inputs();
    info_.has_sample_inputs = samples != nullptr && samples->size > 0;
    if (archive_.layout() != ArchiveLayout::config_files) return;
    check_index(archive_.weights_config(), "data/weights/");
    check_index(archive_.constants_config(), "data/constants/");
  }

  void check_index(const ZipEntry* config, const std::string& folder) {
    if (config == nullptr) return;
    const ZipContent content = archive_.zip().read_verified(*config);
    const JsonDocument document = JsonDocument::parse(content.bytes(), config->name);
    const JsonPath path(config->name);
    for (const JsonMember& member : document.root().at("config", path).as_object(path)) {
      const JsonPath at = path / member.key;
      const std::string file =
          folder + std::string(member.value.at("path_name", at).as_string(at / "path_name"));
      if (archive_.zip().find_path(file) == nullptr) info_.weights_missing = true;
    }
  }

  const Archive& archive_;
  ProgramJson json_;
  ExprPool pool_;
  SymbolTable symbols_;
  ArchiveInfo info_;
};

}  // namespace

ArchiveInfo read_archive_info(const Archive& archive) {
  try {
    return InfoReader(archive).run();
  } catch (Error& error) {
    error.add_note("while reading " + archive.zip().origin());
    throw;
  }
}

ArchiveInfo read_archive_info(const std::string& path, const std::string& model) {
  return read_archive_info(Archive::open_file(path, model));
}

}  // namespace litz::import_
