// Higher-order calls that describe an ordinary call, and are rewritten to it.
//
//   auto_functionalized(op, x=%x)      =>   %c = clone(%x); op(%c); new value of x is %c
//   with_effects(%token, op, ...)      =>   op(...), which keeps its position in the node order
//   out_dtype(op, dtype, %a, %b)       =>   op(to(%a, dtype), to(%b, dtype))

#include <algorithm>
#include <optional>
#include <span>

#include "import/graph_import.h"
#include "import/schema_json.h"
#include "import/targets.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {

using ir::Argument;
using ir::OpInfo;
using ir::Value;

namespace {

/// The i-th unnamed input.
const JsonMember* positional_input(const JsonValue& node, size_t position, const JsonPath& path) {
  for (const JsonValue& input : node.at("inputs", path).as_array(path / "inputs")) {
    if (!input.at("name", path).as_string(path / "name").empty()) continue;
    if (position-- == 0) return &input.at("arg", path).as_union(path / "arg");
  }
  return nullptr;
}

std::optional<int64_t> constant_input(const JsonValue& node, const std::string& name,
                                      const JsonPath& path) {
  const JsonMember* member = find_node_input(node, name, path);
  if (member == nullptr || member->key != "as_int") return std::nullopt;
  return member->value.as_int(path / name);
}

}  // namespace

const OpInfo& GraphImporter::called_operator(const JsonValue& node, size_t position,
                                             const JsonPath& path) {
  const JsonMember* member = positional_input(node, position, path);
  require(member != nullptr && member->key == "as_operator", ErrorCode::corrupt,
          "G4: a call of an operator must name it:", path);
  const std::string name = operator_name(member->value.as_string(path / "as_operator"));
  const OpInfo* op = context_.module.ops().find(name);
  require(op != nullptr, ErrorCode::unsupported, "G3: unknown operator:", name);
  return *op;
}

Value GraphImporter::clone_of(Value value) {
  return graph_.create("aten.clone", {Argument(value)})->output();
}

std::vector<Argument> GraphImporter::keyword_arguments(const OpInfo& op, const JsonValue& node,
                                                       const JsonPath& path) {
  std::vector<Argument> arguments(op.schema.arguments.size());
  for (const JsonValue& input : node.at("inputs", path).as_array(path / "inputs")) {
    const std::string_view name = input.at("name", path).as_string(path / "name");
    const int slot = name.empty() ? -1 : op.schema.find(name);
    if (slot < 0) continue;
    const JsonMember& member = input.at("arg", path).as_union(path / name);
    arguments[static_cast<size_t>(slot)] = read_argument(member, path / name, scope_);
  }
  return arguments;
}

// Restores the part of a base that an argument was: `_x_size` etc. describe it, and without them it
// is all of the base.
Argument GraphImporter::restore_view(std::string_view argument, Value base, const JsonValue& node,
                                     const JsonPath& path) {
  const std::string prefix = "_" + std::string(argument) + "_";
  const auto read = [&](const char* key) -> std::optional<Argument> {
    const JsonMember* member = find_node_input(node, prefix + key, path);
    if (member == nullptr) return std::nullopt;
    return read_argument(*member, path / key, scope_);
  };
  if (const auto size = read("size")) {
    const auto stride = read("stride");
    require(stride.has_value(), ErrorCode::corrupt, "G4: a view must have strides:", path);
    return Argument(graph_
                        .create("aten.as_strided", {Argument(base), *size, *stride,
                                                    read("storage_offset").value_or(Argument(0))})
                        ->output());
  }
  if (const auto dim = read("slice_dim")) {
    return Argument(graph_
                        .create("aten.slice.Tensor",
                                {Argument(base), *dim, read("slice_start").value_or(Argument()),
                                 read("slice_end").value_or(Argument()), Argument(1)})
                        ->output());
  }
  return Argument(base);
}

/// What a call writes: parts of the new bases, by number.
Argument GraphImporter::written_operand(const ir::SchemaArgument& slot,
                                        std::span<const Value> bases, const JsonValue& node,
                                        const JsonPath& path) {
  const auto part = [&](const std::string& name) -> Argument {
    const auto index = constant_input(node, "_" + name + "_base_index", path);
    if (!index) return {};  // The argument was None.
    require(*index >= 0 && static_cast<size_t>(*index) < bases.size(), ErrorCode::corrupt,
            "G4: a base index must be in range:", path, *index);
    return restore_view(name, bases[static_cast<size_t>(*index)], node, path);
  };
  if (slot.kind == ir::ArgKind::tensor) return part(slot.name);
  const auto length = constant_input(node, "_" + slot.name + "_length", path);
  if (!length) return {};
  // Each entry has its base index; several may be parts of one base.
  const size_t given = node.at("inputs", path).as_array(path / "inputs").size();
  require(*length >= 0 && static_cast<size_t>(*length) <= given, ErrorCode::corrupt,
          "G4: a list of written tensors must have bases:", path, *length);
  std::vector<Value> parts;
  for (int64_t k = 0; k < *length; ++k) {
    const Argument element = part(slot.name + "_" + std::to_string(k));
    parts.push_back(element.is_value() ? element.value() : Value());
  }
  return Argument(std::move(parts));
}

void GraphImporter::import_auto_functionalized(const JsonValue& node, const JsonPath& path,
                                               bool second_version) {
  const OpInfo& op = called_operator(node, 0, path);
  std::vector<Argument> arguments = keyword_arguments(op, node, path);
  std::vector<Value> fresh;  // The new values in the order of the results; null for None.
  if (second_version) {
    const JsonMember* bases = find_node_input(node, "_all_bases", path);
    require(bases != nullptr, ErrorCode::corrupt, "G4: _all_bases must be given:", path);
    const Argument list = read_argument(*bases, path / "_all_bases", scope_);
    for (const Value base : list.values()) fresh.push_back(clone_of(base));
  }
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    const ir::SchemaArgument& slot = op.schema.arguments[i];
    if (!slot.mutated) continue;
    if (second_version) {
      arguments[i] = written_operand(slot, fresh, node, path);
    } else if (arguments[i].is_value_list()) {
      std::vector<Value> copies;
      for (const Value value : arguments[i].values()) {
        copies.push_back(value ? clone_of(value) : value);
        if (value) fresh.push_back(copies.back());
      }
      arguments[i] = Argument(std::move(copies));
    } else if (arguments[i].is_value()) {
      fresh.push_back(clone_of(arguments[i].value()));
      arguments[i] = Argument(fresh.back());
    } else {
      fresh.emplace_back();  // None yields None.
    }
  }
  const std::vector<RecordedResult> results = read_results(node, path);
  const std::vector<ir::SchemaReturn>& returns = op.schema.returns;
  // An operator without results returns None; a list of tensors becomes one result per tensor.
  const bool has_list = std::ranges::any_of(
      returns, [](const ir::SchemaReturn& one) { return one.kind == ir::ArgKind::tensor_list; });
  const size_t leading = results.size() - std::min(results.size(), fresh.size());
  require(leading == std::max<size_t>(returns.size(), 1) || has_list, ErrorCode::corrupt,
          "G5: results must be those of the operator and the written tensors:", op.name(),
          results.size());
  const size_t returned = returns.empty() ? 0 : leading;
  const auto split = results.begin() + static_cast<std::ptrdiff_t>(returned);
  add_node(op, std::move(arguments), {results.begin(), split}, path);
  for (size_t i = 0; i < fresh.size(); ++i) {
    const RecordedResult& result = results[leading + i];
    if (fresh[i] && !result.name.empty()) scope_.bind(result.name, fresh[i]);
  }
}

void GraphImporter::import_with_effects(const JsonValue& node, const JsonPath& path) {
  const JsonMember* token = positional_input(node, 0, path);
  require(token != nullptr && token->key == "as_tensor", ErrorCode::corrupt,
          "G4: an ordered call must have a token:", path);
  const Value order = scope_.value(argument_name(token->value, path));
  const OpInfo& op = called_operator(node, 1, path);
  std::vector<Argument> arguments = keyword_arguments(op, node, path);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const JsonMember* member = positional_input(node, i + 2, path);
    if (member == nullptr) break;
    arguments[i] = read_argument(*member, path / "arg", scope_);
  }
  std::vector<RecordedResult> results = read_results(node, path);
  require(!results.empty() && !results.front().name.empty(), ErrorCode::corrupt,
          "G5: an ordered call must give a token:", path);
  scope_.bind(results.front().name, order);
  results.erase(results.begin());
  results.resize(std::min(results.size(), op.schema.returns.size()));
  add_node(op, std::move(arguments), results, path);
}

void GraphImporter::import_out_dtype(const JsonValue& node, const JsonPath& path) {
  const OpInfo& op = called_operator(node, 0, path);
  const JsonMember* dtype = positional_input(node, 1, path);
  require(dtype != nullptr && dtype->key == "as_scalar_type", ErrorCode::corrupt,
          "G4: out_dtype must have a dtype:", path);
  const Argument wanted(read_dtype(dtype->value, path / "as_scalar_type"));
  std::vector<Argument> arguments(op.schema.arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const JsonMember* member = positional_input(node, i + 2, path);
    if (member == nullptr) break;
    arguments[i] = read_argument(*member, path / "arg", scope_);
    if (arguments[i].is_value() && arguments[i].value().is_tensor()) {
      // Casting first is exact for integers, and equals a wide accumulator for floats.
      arguments[i] = Argument(graph_.create("aten._to_copy", {arguments[i], wanted})->output());
    }
  }
  add_node(op, std::move(arguments), read_results(node, path), path);
}

}  // namespace litz::import_
