#include "import/graph_import.h"

#include <algorithm>
#include <array>
#include <utility>

#include "import/node_metadata.h"
#include "import/schema_json.h"
#include "import/targets.h"
#include "import/type_check.h"
#include "import/unknown_operators.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {

using ir::Argument;
using ir::Node;
using ir::OpInfo;
using ir::ScalarType;
using ir::Value;
using ir::ValueType;

namespace {

constexpr int kMaxDepth = 32;

std::optional<ExprDomain> scalar_domain(std::string_view tag) {
  if (tag == "as_sym_int") return ExprDomain::integer;
  if (tag == "as_sym_float") return ExprDomain::real;
  if (tag == "as_sym_bool") return ExprDomain::boolean;
  return std::nullopt;
}

void add_symbols(const ValueType& type, std::set<SymbolId>& symbols) {
  const auto add = [&](Expr expr) {
    for (const SymbolId id : free_symbols(expr)) symbols.insert(id);
  };
  if (const auto* tensor = std::get_if<TensorType>(&type)) {
    for (const Expr size : tensor->sizes) add(size);
    for (const Expr stride : tensor->strides) add(stride);
    add(tensor->offset);
  } else if (const auto* scalar = std::get_if<ScalarType>(&type)) {
    add(scalar->value);
  }
}

// A node binds the data-dependent symbols that occur alone in its result types: as a scalar, a size
// or, for views, a stride or an offset.
void add_defined_symbols(const ValueType& type, std::set<SymbolId>& symbols) {
  const auto add = [&](Expr expr) {
    if (!expr.is_symbol()) return;
    if (depends_on_data(expr)) symbols.insert(expr.symbol());
  };
  if (const auto* tensor = std::get_if<TensorType>(&type)) {
    for (const Expr size : tensor->sizes) add(size);
    for (const Expr stride : tensor->strides) add(stride);
    add(tensor->offset);
  } else if (const auto* scalar = std::get_if<ScalarType>(&type)) {
    add(scalar->value);
  }
}

// An invalid argument that comes from the file means a corrupt file.
[[noreturn]] void rethrow_as_corrupt(const Error& error, const std::string& note) {
  const bool blame_file =
      error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::out_of_range;
  Error wrapped(blame_file ? ErrorCode::corrupt : error.code(),
                (blame_file ? "G4: " : "") + error.message());
  for (const std::string& inner : error.notes()) wrapped.add_note(inner);
  wrapped.add_note(note);
  throw wrapped;
}

}  // namespace

const JsonMember* find_node_input(const JsonValue& node, std::string_view name,
                                  const JsonPath& path) {
  for (const JsonValue& input : node.at("inputs", path).as_array(path / "inputs")) {
    if (input.at("name", path).as_string(path / "name") != name) continue;
    return &input.at("arg", path).as_union(path / name);
  }
  return nullptr;
}

GraphImporter::GraphImporter(GraphImportContext& context, const JsonValue& json,
                             const JsonPath& path, ir::Graph& graph, int depth)
    : context_(context),
      json_(json),
      path_(path),
      graph_(graph),
      depth_(depth),
      scope_(json, path, context.symbols) {
  require(depth <= kMaxDepth, ErrorCode::limit_exceeded,
          "G6: sub-graphs may nest at most 32 deep:", path);
}

void GraphImporter::import_main_input(const JsonValue& argument, const JsonPath& path,
                                      ir::InputKind kind, const std::string& name) {
  const JsonMember& member = argument.as_union(path);
  ValueType type = ir::NoneType{};
  if (kind == ir::InputKind::constant_value) {
    // A literal has no name and no readers; the slot keeps positions aligned.
    graph_.add_input(name, type);
    return;
  }
  if (const auto domain = scalar_domain(member.key)) {
    const JsonMember& reference = member.value.as_union(path / member.key);
    require(reference.key == "as_name", ErrorCode::corrupt,
            "J8: a host scalar that the caller gives must have a name:", path);
    const std::string_view scalar = reference.value.as_string(path);
    const Expr value = scope_.scalar(scalar, *domain);
    graph_.add_input(std::string(scalar), ScalarType{*domain, value});
    scope_.bind(scalar, value);
    add_symbols(ScalarType{*domain, value}, context_.defined);
    return;
  }
  require(member.key == "as_tensor", ErrorCode::unsupported,
          "inputs must be tensors or numbers:", path, quote(member.key));
  const std::string_view tensor = argument_name(member.value, path / member.key);
  if (kind == ir::InputKind::token) {
    type = ir::TokenType{};
  } else {
    type = scope_.tensor_type(tensor);
    add_symbols(type, context_.defined);
  }
  scope_.bind(tensor, graph_.add_input(std::string(tensor), std::move(type)));
}

void GraphImporter::import_child_inputs(std::span<const Value> operands) {
  const JsonPath inputs_path = path_ / "inputs";
  const auto inputs = json_.at("inputs", path_).as_array(inputs_path);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const JsonPath at = inputs_path / i;
    const JsonMember& member = inputs[i].as_union(at);
    if (member.key == "as_tensor") {
      const std::string_view name = argument_name(member.value, at);
      TensorType type = scope_.tensor_type(name);
      const size_t position = graph_.input_count();
      if (context_.distrust_recorded_dtypes && position < operands.size() && operands[position] &&
          operands[position].is_tensor()) {
        type.dtype = operands[position].tensor().dtype;
      }
      add_symbols(type, context_.defined);
      scope_.bind(name, graph_.add_input(std::string(name), std::move(type)));
    } else if (const auto domain = scalar_domain(member.key)) {
      // Symbols belong to the program, not the graph, so the scalar needs no argument.
      const JsonMember& reference = member.value.as_union(at);
      if (reference.key != "as_name") continue;
      const std::string_view name = reference.value.as_string(at);
      scope_.bind(name, scope_.scalar(name, *domain));
    } else {
      const bool literal = member.key == "as_none" || member.key == "as_int" ||
                           member.key == "as_float" || member.key == "as_bool" ||
                           member.key == "as_string";
      require(literal, ErrorCode::unsupported,
              "inputs of sub-graphs must be tensors or numbers:", at, quote(member.key));
    }
  }
}

void GraphImporter::collect_read_names() {
  const auto add = [&](const JsonMember& argument, const JsonPath& at) {
    if (argument.key == "as_tensor") {
      read_names_.insert(argument_name(argument.value, at));
    } else if (argument.key == "as_tensors") {
      for (const JsonValue& item : argument.value.as_array(at)) {
        read_names_.insert(argument_name(item, at));
      }
    } else if (argument.key == "as_optional_tensors") {
      for (const JsonValue& item : argument.value.as_array(at)) {
        const JsonMember& member = item.as_union(at);
        if (member.key == "as_tensor") read_names_.insert(argument_name(member.value, at));
      }
    } else if (argument.key == "as_optional_tensor") {
      const JsonMember& member = argument.value.as_union(at);
      if (member.key == "as_tensor") read_names_.insert(argument_name(member.value, at));
    }
  };
  const JsonPath nodes_path = path_ / "nodes";
  for (const JsonValue& node : json_.at("nodes", path_).as_array(nodes_path)) {
    const JsonPath inputs_path = nodes_path / "inputs";
    for (const JsonValue& input : node.at("inputs", nodes_path).as_array(inputs_path)) {
      add(input.at("arg", inputs_path).as_union(inputs_path), inputs_path);
    }
  }
  const JsonPath outputs_path = path_ / "outputs";
  for (const JsonValue& output : json_.at("outputs", path_).as_array(outputs_path)) {
    add(output.as_union(outputs_path), outputs_path);
  }
}

void GraphImporter::import_nodes() {
  collect_read_names();
  const auto around = std::exchange(
      context_.is_read, [this](std::string_view name) { return read_names_.contains(name); });
  const JsonPath nodes_path = path_ / "nodes";
  const auto nodes = json_.at("nodes", path_).as_array(nodes_path);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const JsonPath at = nodes_path / i;
    static const JsonValue kNoMetadata{};
    const JsonValue* metadata = nodes[i].get("metadata", at);
    metadata_ = metadata == nullptr ? &kNoMetadata : metadata;
    try {
      import_node(nodes[i], at);
    } catch (const Error& error) {
      const JsonValue* target = nodes[i].get("target", at);
      const std::string place = describe(read_location(*metadata_));
      std::string note = "while importing " + at.text();
      if (target != nullptr && target->is_string()) {
        note += " = " + std::string(target->as_string());
      }
      rethrow_as_corrupt(error, place.empty() ? note : note + " (" + place + ")");
    }
  }
  context_.is_read = around;
}

void GraphImporter::import_outputs() {
  const JsonPath outputs_path = path_ / "outputs";
  const auto outputs = json_.at("outputs", path_).as_array(outputs_path);
  std::vector<Argument> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const JsonPath at = outputs_path / i;
    const JsonMember& member = outputs[i].as_union(at);
    results.push_back(read_argument(member, at / member.key, scope_));
    require(!results.back().is_value_list(), ErrorCode::unsupported,
            "outputs must be flat, not lists:", at);
  }
  graph_.set_outputs(std::move(results));
}

void GraphImporter::import_node(const JsonValue& node, const JsonPath& path) {
  const std::string name = operator_name(node.at("target", path).as_string(path / "target"));
  if (is_symbolic_computation(name)) return bind_symbolic(node, path);
  if (is_dropped(name)) return;
  if (name == "higher_order.auto_functionalized") {
    return import_auto_functionalized(node, path, false);
  }
  if (name == "higher_order.auto_functionalized_v2") {
    return import_auto_functionalized(node, path, true);
  }
  if (name == "higher_order.with_effects") return import_with_effects(node, path);
  if (name == "higher_order.out_dtype") return import_out_dtype(node, path);
  if (name == "aten._assert_tensor_metadata") check_tensor_assertion(node, path);
  if (drop_assertion(name, node, path)) return;
  const OpInfo* op = context_.module.ops().find(name);
  require(op != nullptr, ErrorCode::unsupported, "G3: unknown operator:", name);
  // Operators outside Litz's table may have effects besides their results.
  if (op->origin == ir::OpOrigin::table && is_already_known(node, path)) return;
  if (ir::has(op->traits, ir::Trait::higher_order)) return import_higher_order(*op, node, path);
  import_call(*op, node, path);
}

void GraphImporter::bind_scalar_result(const JsonMember& output, const JsonPath& path) {
  const auto domain = scalar_domain(output.key);
  require(domain.has_value(), ErrorCode::corrupt, "G5: a host scalar result is expected:", path,
          quote(output.key));
  const JsonMember& reference = output.value.as_union(path);
  if (reference.key != "as_name") return;  // A literal, which cannot be referenced.
  const std::string_view name = reference.value.as_string(path);
  scope_.bind(name, scope_.scalar(name, *domain));
}

void GraphImporter::bind_symbolic(const JsonValue& node, const JsonPath& path) {
  // Resolves operands only to check that they are defined.
  for (const JsonValue& input : node.at("inputs", path).as_array(path / "inputs")) {
    const JsonPath at = path / "inputs";
    const JsonMember& member = input.at("arg", at).as_union(at);
    read_argument(member, at, scope_);
  }
  for (const JsonValue& output : node.at("outputs", path).as_array(path / "outputs")) {
    const JsonPath at = path / "outputs";
    const JsonMember& member = output.as_union(at);
    if (member.key == "as_int" || member.key == "as_float" || member.key == "as_bool") continue;
    bind_scalar_result(member, at);
  }
}

// True for a node whose results are host scalars determined by earlier symbols, such as `item` of a
// size.
bool GraphImporter::is_already_known(const JsonValue& node, const JsonPath& path) {
  const JsonPath at = path / "outputs";
  const auto outputs = node.at("outputs", path).as_array(at);
  if (outputs.empty()) return false;
  for (const JsonValue& output : outputs) {
    const JsonMember& member = output.as_union(at);
    const auto domain = scalar_domain(member.key);
    if (!domain) return false;
    const JsonMember& reference = member.value.as_union(at);
    if (reference.key != "as_name") continue;
    const Expr value = scope_.scalar(reference.value.as_string(at), *domain);
    for (const SymbolId id : free_symbols(value)) {
      if (!context_.defined.contains(id)) return false;
    }
  }
  bind_symbolic(node, path);
  return true;
}

bool GraphImporter::drop_assertion(std::string_view name, const JsonValue& node,
                                   const JsonPath& path) {
  // Ranges of symbols contain this fact; the node that binds a symbol checks its range.
  if (name == "aten.sym_constrain_range" || name == "aten.sym_constrain_range_for_size") {
    return true;
  }
  if (name != "aten._assert_scalar") return false;
  const JsonMember* condition = find_node_input(node, "self", path);
  if (condition == nullptr) return false;
  const Argument value = read_argument(*condition, path / "self", scope_);
  const auto* expr = value.is_attribute() ? std::get_if<Expr>(&value.attribute()) : nullptr;
  return expr != nullptr && expr->domain() == ExprDomain::boolean && known(*expr) == true;
}

void GraphImporter::check_tensor_assertion(const JsonValue& node, const JsonPath& path) {
  const JsonMember* tensor = find_node_input(node, "a", path);
  require(tensor != nullptr && tensor->key == "as_tensor", ErrorCode::corrupt,
          "G4: an assertion must have a tensor:", path);
  const TensorType& type = scope_.value(argument_name(tensor->value, path)).tensor();
  const JsonMember* dtype = find_node_input(node, "dtype", path);
  if (dtype != nullptr && dtype->key == "as_scalar_type") {
    const DType expected = read_dtype(dtype->value, path / "dtype");
    require(type.dtype == expected, ErrorCode::corrupt,
            "G10: the asserted dtype must be the tensor's:", path, litz::name(expected),
            litz::name(type.dtype));
  }
  const JsonMember* device = find_node_input(node, "device", path);
  if (device != nullptr && device->key == "as_device") {
    const Device expected = read_device(device->value, path / "device");
    const bool fits = expected.kind == type.device.kind &&
                      (expected.index < 0 || expected.index == type.device.index);
    require(fits, ErrorCode::corrupt, "G10: the asserted device must be the tensor's:", path,
            to_string(expected), to_string(type.device));
  }
  const JsonMember* size = find_node_input(node, "size", path);
  if (size == nullptr || size->key == "as_none") return;
  const Argument sizes = read_argument(*size, path / "size", scope_);
  const auto* list = sizes.is_attribute() ? std::get_if<ir::Scalars>(&sizes.attribute()) : nullptr;
  bool same = list != nullptr && list->size() == type.rank();
  for (size_t i = 0; same && i < type.rank(); ++i) {
    same = !known_not_equal((*list)[i], type.sizes[i]);
  }
  require(same, ErrorCode::corrupt, "G10: the asserted size must be the tensor's:", path, type);
}

std::vector<Argument> GraphImporter::match_arguments(const OpInfo& op, const JsonValue& node,
                                                     const JsonPath& path) {
  const std::vector<ir::SchemaArgument>& schema = op.schema.arguments;
  std::vector<Argument> arguments(schema.size());
  std::vector<bool> given(schema.size(), false);
  const JsonPath inputs_path = path / "inputs";
  const auto inputs = node.at("inputs", path).as_array(inputs_path);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const JsonPath at = inputs_path / i;
    const std::string_view recorded = inputs[i].at("name", at).as_string(at / "name");
    const std::string name = operand_name(recorded, i);
    int slot = op.schema.find(name);
    // In-place forms name the written operand `self`, whatever the functional form's name is.
    if (slot < 0 && name == "self" && !schema.empty() && schema.front().mutated) slot = 0;
    // Calls of Python functions have no argument names.
    if (recorded.empty() && i < schema.size()) slot = static_cast<int>(i);
    if (slot < 0) {
      fail(ErrorCode::corrupt, "G4: an argument must be one of the operator's:", op.name(),
           quote(name));
    }
    const auto index = static_cast<size_t>(slot);
    if (given[index]) {
      fail(ErrorCode::corrupt, "G4: an argument must be given once:", op.name(), quote(name));
    }
    given[index] = true;
    const JsonMember& member = inputs[i].at("arg", at).as_union(at / "arg");
    arguments[index] = read_argument(member, at / member.key, scope_);
  }
  return arguments;
}

std::vector<RecordedResult> GraphImporter::read_results(const JsonValue& node,
                                                        const JsonPath& path) {
  std::vector<RecordedResult> results;
  const JsonPath outputs_path = path / "outputs";
  const auto outputs = node.at("outputs", path).as_array(outputs_path);
  const auto add_tensor = [&](const JsonValue& argument, const JsonPath& at) {
    const std::string_view name = argument_name(argument, at);
    results.push_back({name, scope_.tensor_type(name), {}});
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    const JsonPath at = outputs_path / i;
    const JsonMember& member = outputs[i].as_union(at);
    if (member.key == "as_tensor") {
      add_tensor(member.value, at);
    } else if (member.key == "as_tensors") {
      for (const JsonValue& item : member.value.as_array(at)) add_tensor(item, at);
    } else if (member.key == "as_none") {
      results.push_back({{}, ir::NoneType{}, {}});
    } else if (const auto domain = scalar_domain(member.key)) {
      const JsonMember& reference = member.value.as_union(at);
      if (reference.key == "as_name") {
        const std::string_view name = reference.value.as_string(at);
        results.push_back({name, ScalarType{*domain, scope_.scalar(name, *domain)}, {}});
      } else {
        results.push_back({{}, ir::NoneType{}, {}});
      }
    } else {
      fail(ErrorCode::unsupported, "results must be tensors or numbers:", at, quote(member.key));
    }
  }
  return results;
}

Node* GraphImporter::add_node(const OpInfo& op, std::vector<Argument> arguments,
                              const std::vector<RecordedResult>& results, const JsonPath& path) {
  std::vector<ValueType> types;
  types.reserve(results.size());
  for (const RecordedResult& result : results) {
    types.push_back(result.type);
    auto* tensor = std::get_if<TensorType>(&types.back());
    if (tensor == nullptr || has(op.traits, ir::Trait::view)) continue;
    // A result that is not a view starts where its producer places it; loops record parts of
    // stacks.
    const bool is_known = std::ranges::all_of(
        free_symbols(tensor->offset), [&](SymbolId id) { return context_.defined.contains(id); });
    if (!is_known) tensor->offset = 0;
  }
  Node* node = graph_.create_typed(op, std::move(arguments), std::move(types));
  finish_node(node, results, path);
  return node;
}

void GraphImporter::finish_node(Node* node, const std::vector<RecordedResult>& results,
                                const JsonPath& path) {
  graph_.set_location(node, read_location(*metadata_));
  graph_.set_annotations(node, read_annotations(*metadata_));
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string_view name = results[i].name;
    if (name.empty()) continue;
    graph_.set_name(node->output(i), name);
    if (const auto* scalar = std::get_if<ScalarType>(&results[i].type)) {
      scope_.bind(name, results[i].meaning.value_or(scalar->value));
    } else {
      scope_.bind(name, node->output(i));
    }
  }
  check_symbols(*node, path);
}

void GraphImporter::check_symbols(const Node& node, const JsonPath& path) {
  std::set<SymbolId> used;
  std::set<SymbolId>& own = context_.defined_by_node;
  own.clear();
  for (const Value output : node.outputs()) {
    add_symbols(output.type(), used);
    add_defined_symbols(output.type(), own);
  }
  std::erase_if(own, [&](SymbolId id) { return context_.defined.contains(id); });
  context_.defined.insert(own.begin(), own.end());
  for (const SymbolId id : used) {
    require(context_.defined.contains(id), ErrorCode::corrupt,
            "G11: a symbol must be bound by an input or an earlier node:", path,
            context_.symbols.pool().symbol(id).name);
  }
}

// A data-dependent bool is recorded as a condition on a new symbol, such as u0 == 1. The node
// defines the symbol, and its readers get the condition.
void GraphImporter::read_symbol_of_item(RecordedResult& result) const {
  auto* scalar = std::get_if<ScalarType>(&result.type);
  if (scalar == nullptr || scalar->value.is_symbol()) return;
  for (const SymbolId id : free_symbols(scalar->value)) {
    if (context_.defined.contains(id)) continue;
    result.meaning = scalar->value;
    result.type = ScalarType{ExprDomain::integer, context_.symbols.pool().symbol_expr(id)};
    return;
  }
}

void GraphImporter::import_call(const OpInfo& op, const JsonValue& node, const JsonPath& path) {
  std::vector<RecordedResult> results = read_results(node, path);
  if (op.name() == "aten.item" || op.name() == "aten._local_scalar_dense") {
    for (RecordedResult& result : results) read_symbol_of_item(result);
  }
  std::vector<Argument> arguments = match_arguments(op, node, path);
  if (context_.autocast.is_enabled()) {
    std::vector<ValueType> recorded;
    recorded.reserve(results.size());
    for (const RecordedResult& result : results) recorded.push_back(result.type);
    context_.autocast.cast(op, graph_, arguments, recorded, context_.is_traced_uncast);
  }
  Node* added = add_node(op, std::move(arguments), results, path);
  keep_node_name(added, node, path);
  check_inferred_types(*added, context_);
}

// A node with one result has the result's name.
void GraphImporter::keep_node_name(Node* added, const JsonValue& node, const JsonPath& path) {
  if (added->output_count() == 1) return;
  const JsonValue* name = node.get("name", path);
  if (name == nullptr || !name->is_string()) return;
  ir::Annotations annotations = added->annotations();
  annotations.insert_or_assign("exported_name", std::string(name->as_string()));
  graph_.set_annotations(added, std::move(annotations));
}

}  // namespace litz::import_
