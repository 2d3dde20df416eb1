// Rows of the torch.fx forms. See fx_rows.h.

#include "graph_tools/fx_rows.h"

#include <algorithm>

#include "ir/child_graphs.h"
#include "ir/graph_data.h"
#include "ir/names.h"

namespace litz::ir {
namespace {

std::string python_string(const std::string& text) {
  std::string out = quoted(text);
  if (text.find('\'') != std::string::npos || text.find('"') != std::string::npos) return out;
  out.front() = out.back() = '\'';
  return out;
}

std::string python_scalar(const Expr& value) {
  if (!value.is_constant() || value.domain() != ExprDomain::boolean) return scalar_text(value);
  return value.boolean_constant() ? "True" : "False";
}

struct PythonAttribute {
  Spelling spelling;

  std::string operator()(std::monostate) const { return "None"; }

  std::string operator()(const Expr& value) const { return python_scalar(value); }

  std::string operator()(const std::complex<double>& value) const {
    return "complex(" + scalar_text(Expr::real(value.real())) + ", " +
           scalar_text(Expr::real(value.imag())) + ")";
  }

  std::string operator()(const Scalars& values) const {
    return "[" + joined(values, ", ", python_scalar) + "]";
  }

  std::string operator()(const std::string& text) const {
    return spelling == Spelling::str ? text : python_string(text);
  }

  std::string operator()(const Strings& values) const {
    return "[" + joined(values, ", ", *this) + "]";
  }

  std::string operator()(DType dtype) const { return "torch." + std::string(torch_name(dtype)); }

  std::string operator()(Layout) const { return "torch.strided"; }

  std::string operator()(const Device& device) const {
    if (spelling == Spelling::str) return litz::to_string(device);
    return "device(type='" + litz::to_string(Device{device.kind}) + "'" +
           (device.index >= 0 ? ", index=" + std::to_string(device.index) : "") + ")";
  }

  std::string operator()(MemoryFormat format) const { return "torch." + std::string(name(format)); }

  // The caller spells it, since it knows the name of the get_attr.
  std::string operator()(const GraphRef& graph) const {
    return "graph#" + std::to_string(graph.id);
  }

  std::string operator()(const OpRef& op) const { return "torch.ops." + op.name; }
};

// "aten.relu" becomes torch.ops.aten.relu.default.
std::string target(const OpInfo& op) {
  std::string text = "torch.ops." + std::string(op.name());
  if (std::count(op.name().begin(), op.name().end(), '.') == 1) text += ".default";
  return text;
}

// "main.body.true_graph" belongs to "main.body", and its name there is "true_graph".
std::string attribute_name(const Graph& owner, const Graph& child) {
  const std::string prefix = owner.name() + ".";
  return legal_name(child.name().starts_with(prefix) ? child.name().substr(prefix.size())
                                                     : child.name());
}

bool is_default(const SchemaArgument& schema, const Argument& given) {
  return schema.has_default && given.is_attribute() && given.attribute() == schema.default_value;
}

}  // namespace

FxRows::FxRows(const Graph& graph, Spelling spelling) : graph_(graph), spelling_(spelling) {
  // Reserves given names first, so that generated ones cannot take them.
  for (const Value input : graph.inputs()) reserve(input);
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const Value output : node->outputs()) reserve(output);
  }
  for (const Value input : graph.inputs()) {
    FxRow row{.opcode = "placeholder", .name = take_name(input, "arg"), .value = input};
    row.target = row.name;
    row.users = input.users().size();
    rows_.push_back(std::move(row));
  }
  count_calls();
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) call(*node);
}

std::string FxRows::outputs() const {
  const std::string values = joined(graph_.outputs(), ", ", [this](const Argument& output) {
    if (output.is_value()) return name(output.value());
    return std::visit(PythonAttribute{Spelling::repr}, output.attribute());
  });
  return "(" + values + (graph_.outputs().size() == 1 ? ",)" : ")");
}

void FxRows::reserve(Value value) {
  if (!value.name().empty()) taken_.insert(value.name());
}

std::string FxRows::fresh(const std::string& hint) {
  if (taken_.insert(hint).second) return hint;
  // Continues after the last number for this hint.
  size_t& number = numbers_[hint];
  std::string candidate;
  do {
    candidate = hint + "_" + std::to_string(++number);
  } while (!taken_.insert(candidate).second);
  return candidate;
}

std::string FxRows::take_name(Value value, const std::string& hint) {
  std::string chosen = value.name().empty() ? fresh(hint) : value.name();
  names_[value.data()] = chosen;
  return chosen;
}

std::string FxRows::reference(const std::string& name) const {
  return (spelling_ == Spelling::str ? "%" : "") + name;
}

void FxRows::count_calls() {
  for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
    for (const Graph* child : child_graphs(*node)) ++calls_[child->id()];
  }
}

void FxRows::child_rows(const Node& node) {
  for (const Graph* child : child_graphs(node)) {
    const auto [known, is_new] = children_.try_emplace(child->id());
    if (!is_new) continue;
    FxRow row{.opcode = "get_attr", .target = attribute_name(graph_, *child), .node = &node};
    row.name = known->second = fresh(row.target);
    row.users = calls_[child->id()];
    rows_.push_back(std::move(row));
  }
}

void FxRows::call(const Node& node) {
  child_rows(node);
  FxRow row{.opcode = "call_function", .target = target(node.op()), .node = &node};
  arguments(node, row);
  if (node.output_count() == 1) {
    row.value = node.output();
    row.name = take_name(node.output(), default_name(node.op()));
    row.users = node.output().users().size();
    rows_.push_back(std::move(row));
    return;
  }
  const auto exported = node.annotations().find("exported_name");
  row.name =
      fresh(exported == node.annotations().end() ? default_name(node.op()) : exported->second);
  const std::string tuple = reference(row.name);
  for (const Value output : node.outputs()) row.users += output.has_uses() ? 1 : 0;
  rows_.push_back(std::move(row));
  for (const Value output : node.outputs()) {
    if (!output.has_uses()) continue;
    FxRow item{.opcode = "call_function", .name = take_name(output, "getitem")};
    item.target = "operator.getitem";
    item.args = "(" + tuple + ", " + std::to_string(output.index()) + ")";
    item.kwargs = "{}";
    item.users = output.users().size();
    item.node = &node;
    item.value = output;
    rows_.push_back(std::move(item));
  }
}

void FxRows::arguments(const Node& node, FxRow& row) const {
  const std::vector<SchemaArgument>& schema = node.op().schema.arguments;
  size_t positional = 0;
  for (size_t i = 0; i < schema.size() && !schema[i].keyword_only; ++i) {
    if (!is_default(schema[i], node.arguments()[i])) positional = i + 1;
  }
  row.args = "(";
  for (size_t i = 0; i < positional; ++i) {
    row.args += (i == 0 ? "" : ", ") + text(node.arguments()[i]);
  }
  row.args += positional == 1 ? ",)" : ")";
  row.kwargs = "{";
  for (size_t i = positional; i < schema.size(); ++i) {
    if (!schema[i].keyword_only || is_default(schema[i], node.arguments()[i])) continue;
    row.kwargs +=
        (row.kwargs.size() == 1 ? "" : ", ") + schema[i].name + ": " + text(node.arguments()[i]);
  }
  row.kwargs += "}";
}

std::string FxRows::text(const Argument& given) const {
  if (given.is_value()) return reference(name(given.value()));
  if (given.is_value_list()) {
    return "[" +
           joined(given.values(), ", ",
                  [this](Value value) { return value ? reference(name(value)) : "None"; }) +
           "]";
  }
  const auto* child = std::get_if<GraphRef>(&given.attribute());
  if (child != nullptr) return reference(children_.at(child->id));
  return std::visit(PythonAttribute{spelling_}, given.attribute());
}

}  // namespace litz::ir
