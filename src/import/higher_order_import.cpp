// Higher-order calls: operands by position, sub-graphs as graphs of the module.
//
// Tensors are operands. Host scalars are not: all graphs of a program share its symbols, so the
// sub-graph reads the expression. A loop that carries a host scalar is rejected, since it would
// change between iterations, which this form cannot express.

#include <algorithm>
#include <array>
#include <utility>

#include "import/graph_import.h"
#include "import/type_check.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {

using ir::ArgKind;
using ir::Argument;
using ir::Value;

namespace {

constexpr std::array<std::string_view, 4> kLoops = {"higher_order.associative_scan",
                                                    "higher_order.map_impl", "higher_order.scan",
                                                    "higher_order.while_loop"};

bool is_loop(std::string_view name) { return std::ranges::find(kLoops, name) != kLoops.end(); }

}  // namespace

ir::GraphRef GraphImporter::import_child(const JsonValue& argument, const JsonPath& path,
                                         std::span<const Value> operands) {
  const std::string_view label = argument.at("name", path).as_string(path / "name");
  const JsonPath child_path = path / "graph";
  const JsonValue& json = argument.at("graph", path);
  ir::Graph& child = context_.module.add_graph(graph_.name() + "." + std::string(label));
  GraphImporter importer(context_, json, child_path, child, depth_ + 1);
  importer.import_child_inputs(operands);
  importer.import_nodes();
  importer.import_outputs();
  return {child.id()};
}

void GraphImporter::append_operands(const JsonMember& argument, const JsonPath& path,
                                    std::vector<Value>& operands, bool scalars_allowed) {
  const auto refuse_scalar = [&] {
    require(scalars_allowed, ErrorCode::unsupported,
            "loops that carry host scalars are not supported:", path);
  };
  const auto add_name = [&](std::string_view name) {
    const Binding& binding = scope_.find(name);
    if (const auto* value = std::get_if<Value>(&binding)) {
      operands.push_back(*value);
    } else {
      refuse_scalar();
    }
  };
  if (argument.key == "as_tensor") {
    add_name(argument_name(argument.value, path));
  } else if (argument.key == "as_tensors") {
    for (const JsonValue& item : argument.value.as_array(path)) {
      add_name(argument_name(item, path));
    }
  } else if (argument.key == "as_optional_tensors") {
    for (const JsonValue& item : argument.value.as_array(path)) {
      const JsonMember& member = item.as_union(path);
      if (member.key == "as_tensor") add_name(argument_name(member.value, path));
    }
  } else {
    const Argument constant = read_argument(argument, path, scope_);
    const auto* list =
        constant.is_attribute() ? std::get_if<ir::Scalars>(&constant.attribute()) : nullptr;
    if (!constant.is_none() && !(list != nullptr && list->empty())) refuse_scalar();
  }
}

void GraphImporter::import_higher_order(const ir::OpInfo& op, const JsonValue& node,
                                        const JsonPath& path) {
  const std::vector<ir::SchemaArgument>& schema = op.schema.arguments;
  std::vector<Argument> arguments(schema.size());
  const JsonPath inputs_path = path / "inputs";
  const auto inputs = node.at("inputs", path).as_array(inputs_path);
  std::vector<std::pair<size_t, size_t>> graphs;  // By slot: the input with the graph.
  std::vector<Value> operands;                    // For the last slot, which takes the rest.
  size_t position = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const JsonPath at = inputs_path / i;
    const std::string_view name = inputs[i].at("name", at).as_string(at / "name");
    if (!name.empty()) continue;  // Options of wrappers, such as use_reentrant.
    const JsonMember& member = inputs[i].at("arg", at).as_union(at);
    const size_t slot = std::min(position++, schema.size() - 1);
    if (member.key == "as_graph") {
      require(schema[slot].kind == ArgKind::graph, ErrorCode::corrupt,
              "G4: a sub-graph stands where none fits:", at);
      graphs.emplace_back(slot, i);
    } else if (schema[slot].kind != ArgKind::any_list) {
      require(slot + 1 < schema.size() || position <= schema.size(), ErrorCode::corrupt,
              "G4: a call must have as many arguments as its operator takes:", op.name());
      // Options of wrappers have no effect here.
      if (member.key == "as_string_to_argument") continue;
      arguments[slot] = read_argument(member, at, scope_);
    } else if (slot + 1 == schema.size()) {
      append_operands(member, at, operands, true);
    } else {
      std::vector<Value> list;
      append_operands(member, at, list, !is_loop(op.name()));
      arguments[slot] = Argument(std::move(list));
    }
  }
  const Autocast around = context_.autocast;
  if (op.name() == "higher_order.wrap_with_autocast") context_.autocast = Autocast(op, arguments);
  context_.distrust_recorded_dtypes |= context_.autocast.is_enabled();
  for (const auto& [slot, input] : graphs) {
    const JsonPath at = inputs_path / input;
    const JsonValue& graph = inputs[input].at("arg", at).as_union(at).value;
    // Graphs of loops get slices of their operands.
    const bool is_called = !is_loop(op.name());
    arguments[slot] =
        Argument(import_child(graph, at, is_called ? operands : std::vector<Value>()));
  }
  context_.autocast = around;
  if (schema.back().kind == ArgKind::any_list) arguments.back() = Argument(std::move(operands));
  ir::Node* added = add_node(op, std::move(arguments), read_results(node, path), path);
  check_inferred_types(*added, context_);
}

}  // namespace litz::import_
