// Text forms in the manner of torch.fx. See fx_printer.h.

#include "ir/fx_printer.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "ir/effects.h"
#include "ir/graph_data.h"
#include "ir/names.h"
#include "ir/value_labels.h"

namespace litz::ir {
namespace {

constexpr size_t kAnnotationWidth = 40;

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

template <typename T, typename Text>
std::string joined(const T& parts, const char* separator, Text text) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    first = false;
    out += text(part);
  }
  return out;
}

struct PythonAttribute {
  const Module& module;

  std::string operator()(std::monostate) const { return "None"; }

  std::string operator()(const Expr& value) const { return python_scalar(value); }

  std::string operator()(const std::complex<double>& value) const {
    return "complex(" + scalar_text(Expr::real(value.real())) + ", " +
           scalar_text(Expr::real(value.imag())) + ")";
  }

  std::string operator()(const Scalars& values) const {
    return "[" + joined(values, ", ", python_scalar) + "]";
  }

  std::string operator()(const std::string& text) const { return python_string(text); }

  std::string operator()(const Strings& values) const {
    return "[" + joined(values, ", ", python_string) + "]";
  }

  std::string operator()(DType dtype) const { return "torch." + std::string(torch_name(dtype)); }

  std::string operator()(Layout) const { return "torch.strided"; }

  std::string operator()(const Device& device) const {
    return "device(type='" + litz::to_string(Device{device.kind}) + "'" +
           (device.index >= 0 ? ", index=" + std::to_string(device.index) : "") + ")";
  }

  std::string operator()(MemoryFormat format) const { return "torch." + std::string(name(format)); }

  std::string operator()(const GraphRef& graph) const { return module.graph(graph).name(); }

  std::string operator()(const OpRef& op) const { return "torch.ops." + op.name; }
};

// "aten.relu" is written torch.ops.aten.relu.default.
std::string target(const OpInfo& op) {
  std::string text = "torch.ops." + std::string(op.name());
  if (std::count(op.name().begin(), op.name().end(), '.') == 1) text += ".default";
  return text;
}

// One line of the forms: a placeholder, a call, or a getitem.
struct Row {
  std::string opcode;
  std::string name;
  std::string target;
  std::string args;
  std::string kwargs;
  size_t users = 0;
  const Node* node = nullptr;
  Value value;  ///< Null for the tuple of a call with several results.
};

class Rows {
 public:
  explicit Rows(const Graph& graph, const char* prefix) : graph_(graph), prefix_(prefix) {
    // Given names first: a made-up name must not take one.
    for (const Value input : graph.inputs()) reserve(input);
    for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
      for (const Value output : node->outputs()) reserve(output);
    }
    for (const Value input : graph.inputs()) {
      Row row{.opcode = "placeholder", .name = name(input, "arg"), .value = input};
      row.target = row.name;
      row.users = input.users().size();
      rows_.push_back(std::move(row));
    }
    for (const Node* node = graph.first(); node != nullptr; node = node->next()) call(*node);
  }

  const std::vector<Row>& rows() const { return rows_; }

  std::string outputs() const {
    return joined(graph_.outputs(), ", ", [this](const Argument& output) { return text(output); });
  }

  std::string use(Value value) const { return prefix_ + names_.at(value.data()); }

 private:
  void reserve(Value value) {
    if (!value.name().empty()) taken_.insert(value.name());
  }

  std::string fresh(const std::string& hint) {
    std::string candidate = hint;
    for (int i = 1; !taken_.insert(candidate).second; ++i) {
      candidate = hint + "_" + std::to_string(i);
    }
    return candidate;
  }

  std::string name(Value value, const std::string& hint) {
    std::string chosen = value.name().empty() ? fresh(hint) : value.name();
    names_[value.data()] = chosen;
    return chosen;
  }

  void call(const Node& node) {
    Row row{.opcode = "call_function", .target = target(node.op()), .node = &node};
    arguments(node, row);
    if (node.output_count() == 1) {
      row.value = node.output();
      row.name = name(node.output(), default_name(node.op()));
      row.users = node.output().users().size();
      rows_.push_back(std::move(row));
      return;
    }
    row.name = fresh(default_name(node.op()));
    const std::string tuple = prefix_ + row.name;
    for (const Value output : node.outputs()) row.users += output.has_uses() ? 1 : 0;
    rows_.push_back(std::move(row));
    for (const Value output : node.outputs()) {
      if (!output.has_uses()) continue;
      Row item{.opcode = "call_function", .name = name(output, "getitem")};
      item.target = "operator.getitem";
      item.args = "(" + tuple + ", " + std::to_string(output.index()) + ")";
      item.kwargs = "{}";
      item.users = output.users().size();
      item.node = &node;
      item.value = output;
      rows_.push_back(std::move(item));
    }
  }

  // Trailing defaults are left out of args, all defaults of kwargs, as an exporter records them.
  void arguments(const Node& node, Row& row) const {
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

  static bool is_default(const SchemaArgument& schema, const Argument& given) {
    return schema.has_default && given.is_attribute() && given.attribute() == schema.default_value;
  }

  std::string text(const Argument& given) const {
    if (given.is_value()) return use(given.value());
    if (given.is_value_list()) {
      return "[" +
             joined(given.values(), ", ",
                    [this](Value value) { return value ? use(value) : "None"; }) +
             "]";
    }
    return std::visit(PythonAttribute{graph_.module()}, given.attribute());
  }

  const Graph& graph_;
  std::string prefix_;
  std::vector<Row> rows_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<const ValueData*, std::string> names_;
};

// For every row the names that are read for the last time there, in order of their last use.
std::vector<std::vector<std::string>> deaths(const Graph& graph, const Rows& rows) {
  std::vector<std::vector<std::string>> dying(rows.rows().size());
  std::unordered_set<const ValueData*> later;
  for (const Argument& output : graph.outputs()) {
    for (const Value value : output.values()) later.insert(value.data());
  }
  for (size_t i = rows.rows().size(); i-- > 0;) {
    const Row& row = rows.rows()[i];
    if (row.node == nullptr || row.target == "operator.getitem") continue;
    // An effect without readers: its result is freed at once.
    if (row.users == 0 && row.value && has_effects(*row.node)) dying[i].push_back(row.name);
    for (size_t k = 0; k < row.node->input_count(); ++k) {
      const Value value = row.node->input(k);
      if (later.insert(value.data()).second) dying[i].push_back(rows.use(value));
    }
  }
  return dying;
}

std::string annotation_comment(const Annotations& annotations) {
  const std::string body = joined(annotations, ", ", [](const auto& entry) {
    std::string value = entry.second;
    std::replace(value.begin(), value.end(), '\n', ' ');
    if (value.size() > kAnnotationWidth) value = value.substr(0, kAnnotationWidth) + "...";
    return entry.first + ": " + value;
  });
  return "    # Annotation: {" + body + "}\n";
}

std::string source_comment(const Location& location) {
  if (location.file.empty()) return "    # No source line\n";
  std::string text = "    # File: " + location.file + ":" + std::to_string(location.line);
  if (!location.module_path.empty()) text += " in " + location.module_path;
  return text + "\n";
}

std::string typed(const std::string& name, Value value) {
  return value ? name + ": \"" + to_string(value.type()) + "\"" : name;
}

// "{a: 1, b: 2}" of a row as "a=1, b=2" behind the positional arguments.
std::string call_arguments(const Node& node, const Row& row) {
  std::string args = row.args.substr(1, row.args.size() - 2);
  if (args.ends_with(',')) args.pop_back();
  std::string kwargs = row.kwargs.substr(1, row.kwargs.size() - 2);
  for (const SchemaArgument& argument : node.op().schema.arguments) {
    const std::string key = argument.name + ": ";
    const size_t at = kwargs.starts_with(key) ? 0 : kwargs.find(", " + key);
    if (at == std::string::npos) continue;
    const size_t colon = kwargs.find(": ", at);
    kwargs.replace(colon, 2, "=");
  }
  return args + (args.empty() || kwargs.empty() ? "" : ", ") + kwargs;
}

}  // namespace

std::string fx_text(const Graph& graph) {
  const Rows rows(graph, "%");
  std::string text = "graph():\n";
  for (const Row& row : rows.rows()) {
    text += "    %" + row.name + " : [num_users=" + std::to_string(row.users) +
            "] = " + row.opcode + "[target=" + row.target + "]";
    if (row.node != nullptr) text += "(args = " + row.args + ", kwargs = " + row.kwargs + ")";
    text += "\n";
  }
  return text + "    return (" + rows.outputs() + (graph.outputs().size() == 1 ? ",)" : ")") + "\n";
}

std::string program_text(const Graph& graph) {
  const Rows rows(graph, "");
  const auto dying = deaths(graph, rows);
  std::string parameters;
  for (const Row& row : rows.rows()) {
    if (row.node != nullptr) break;
    parameters += (parameters.empty() ? "" : ", ") + typed(row.name, row.value);
  }
  std::string text = "def " + legal_name(graph.name()) + "(" + parameters + "):\n";
  Location shown;
  for (size_t i = 0; i < rows.rows().size(); ++i) {
    const Row& row = rows.rows()[i];
    if (row.node == nullptr) continue;
    if (row.node->location() != shown) text += source_comment(shown = row.node->location());
    const bool item = row.target == "operator.getitem";
    if (!item && !row.node->annotations().empty()) {
      text += annotation_comment(row.node->annotations());
    }
    text += "    " + typed(row.name, row.value) + " = ";
    if (item) {
      const size_t comma = row.args.rfind(", ");
      text += row.args.substr(1, comma - 1) + "[" +
              row.args.substr(comma + 2, row.args.size() - comma - 3) + "]";
    } else {
      text += row.target + "(" + call_arguments(*row.node, row) + ")";
    }
    if (!dying[i].empty()) {
      text +=
          ";  " + joined(dying[i], " = ", [](const std::string& name) { return name; }) + " = None";
    }
    text += "\n";
  }
  return text + "    return (" + rows.outputs() + (graph.outputs().size() == 1 ? ",)" : ")") + "\n";
}

std::string table_text(const Graph& graph) {
  const Rows rows(graph, "");
  using Cells = std::array<std::string, 5>;
  std::vector<Cells> table{{"opcode", "name", "target", "args", "kwargs"}};
  for (const Row& row : rows.rows()) {
    const bool call = row.node != nullptr;
    table.push_back(
        {row.opcode, row.name, row.target, call ? row.args : "()", call ? row.kwargs : "{}"});
  }
  table.push_back({"output", "output", "output", "((" + rows.outputs() + "),)", "{}"});
  Cells::size_type width[5] = {};
  for (const Cells& cells : table) {
    for (size_t i = 0; i < cells.size(); ++i) width[i] = std::max(width[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : table) {
    for (size_t i = 0; i < cells.size(); ++i) {
      text += cells[i];
      if (i + 1 < cells.size()) text += std::string(width[i] - cells[i].size() + 2, ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace litz::ir
