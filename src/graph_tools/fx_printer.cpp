// Prints the text forms of torch.fx. See fx_printer.h.

#include "graph_tools/fx_printer.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "graph_tools/fx_rows.h"
#include "ir/names.h"
#include "support/text.h"

namespace litz::ir {
namespace {

constexpr size_t kAnnotationWidth = 40;

// By row, the names whose lifetime ends there, in operand order; an unused value dies at its
// definition, after these.
std::vector<std::vector<std::string>> deaths(const Graph& graph, const FxRows& rows) {
  std::vector<std::vector<std::string>> dying(rows.rows().size());
  std::unordered_set<std::string> later;
  for (const Argument& output : graph.outputs()) {
    for (const Value value : output.values()) later.insert(rows.name(value));
  }
  const auto last_read = [&](const std::string& name, size_t i) {
    if (later.insert(name).second) dying[i].push_back(name);
  };
  for (size_t i = rows.rows().size(); i-- > 0;) {
    const FxRow& row = rows.rows()[i];
    if (row.node == nullptr || row.is_child()) continue;
    if (row.is_item()) {
      last_read(row.args.substr(1, row.args.find(',') - 1), i);
    } else {
      for (const Argument& argument : row.node->arguments()) {
        if (argument.is_attribute()) {
          if (std::holds_alternative<GraphRef>(argument.attribute())) {
            last_read(rows.child_name(std::get<GraphRef>(argument.attribute())), i);
          }
          continue;
        }
        for (const Value value : argument.values()) {
          if (value) last_read(rows.name(value), i);
        }
      }
    }
    if (row.users == 0) dying[i].push_back(row.name);
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

// The innermost frame of a Python traceback: the function, and the line of code below it.
struct Frame {
  std::string function;
  std::string code;
};

Frame innermost_frame(std::string_view trace) {
  Frame frame;
  const size_t at = trace.rfind(", in ");
  if (at == std::string_view::npos) return frame;
  trace.remove_prefix(at + 5);
  const size_t end = std::min(trace.find('\n'), trace.size());
  frame.function = trim(trace.substr(0, end));
  trace.remove_prefix(end);
  const std::string_view rest = trim(trace);
  frame.code = trim(rest.substr(0, rest.find('\n')));
  return frame;
}

std::string source_comment(const Location& location) {
  if (location.file.empty()) return "    # No source line\n";
  std::string text = "    # File: " + location.file + ":" + std::to_string(location.line);
  const Frame frame = innermost_frame(location.stack_trace);
  if (!frame.function.empty()) {
    text += " in " + frame.function;
  } else if (!location.module_path.empty()) {
    text += " in " + location.module_path;
  }
  if (!frame.code.empty()) text += ", code: " + frame.code;
  return text + "\n";
}

std::string bracketed(const Sizes& sizes) {
  return "[" + joined(sizes, ", ", [](const Expr& size) { return scalar_text(size); }) + "]";
}

std::string type_text(const ValueType& type, const ProgramTextOptions& options) {
  if (const auto* scalar = std::get_if<ScalarType>(&type)) {
    return "Sym(" + scalar_text(scalar->value) + ")";
  }
  const auto* tensor = std::get_if<TensorType>(&type);
  if (tensor == nullptr) return to_string(type);
  std::string text = std::string(litz::name(tensor->dtype)) + bracketed(tensor->sizes);
  if (options.strides) text += bracketed(tensor->strides);
  if (options.devices) text += litz::to_string(tensor->device);
  return text;
}

std::string typed(const std::string& name, Value value, const ProgramTextOptions& options) {
  return value ? name + ": \"" + type_text(value.type(), options) + "\"" : name;
}

// Turns "{a: 1, b: 2}" of a row into "a=1, b=2" after the positional arguments.
std::string call_arguments(const Node& node, const FxRow& row) {
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

// The text right of the equals sign.
std::string statement(const FxRow& row) {
  if (row.is_child()) return "self." + row.target;
  if (!row.is_item()) return row.target + "(" + call_arguments(*row.node, row) + ")";
  const size_t comma = row.args.rfind(", ");
  return row.args.substr(1, comma - 1) + "[" +
         row.args.substr(comma + 2, row.args.size() - comma - 3) + "]";
}

}  // namespace

std::string fx_text(const Graph& graph) {
  const FxRows rows(graph, Spelling::str);
  std::string text = "graph():\n";
  for (const FxRow& row : rows.rows()) {
    text += "    %" + row.name + " : [num_users=" + std::to_string(row.users) +
            "] = " + row.opcode + "[target=" + row.target + "]";
    if (row.is_call()) {
      text += "(args = " + row.args + ", kwargs = " + row.kwargs + ")";
    }
    text += "\n";
  }
  return text + "    return " + rows.outputs() + "\n";
}

ProgramText program_lines(const Graph& graph, const ProgramTextOptions& options) {
  const FxRows rows(graph, Spelling::repr);
  const auto dying = deaths(graph, rows);
  ProgramText program;
  const auto line = [&](const std::string& text, const Node* node) {
    program.text += text;
    program.node_of_line.push_back(node);
  };
  std::string parameters;
  for (const FxRow& row : rows.rows()) {
    if (row.node != nullptr) break;
    parameters += (parameters.empty() ? "" : ", ") + typed(row.name, row.value, options);
  }
  line("def " + legal_name(graph.name()) + "(" + parameters + "):\n", nullptr);
  Location shown;
  for (size_t i = 0; i < rows.rows().size(); ++i) {
    const FxRow& row = rows.rows()[i];
    if (row.node == nullptr) continue;
    if (row.node->location() != shown) line(source_comment(shown = row.node->location()), row.node);
    if (row.is_call() && !row.is_item() && !row.node->annotations().empty()) {
      line(annotation_comment(row.node->annotations()), row.node);
    }
    std::string text = "    " + typed(row.name, row.value, options) + " = " + statement(row);
    if (!dying[i].empty()) {
      text +=
          ";  " + joined(dying[i], " = ", [](const std::string& name) { return name; }) + " = None";
    }
    line(text + "\n", row.node);
  }
  line("    return " + rows.outputs() + "\n", graph.return_node());
  return program;
}

std::string program_text(const Graph& graph, const ProgramTextOptions& options) {
  return program_lines(graph, options).text;
}

std::string table_text(const Graph& graph) {
  const FxRows rows(graph, Spelling::repr);
  using Cells = std::array<std::string, 5>;
  std::vector<Cells> table{{"opcode", "name", "target", "args", "kwargs"}};
  for (const FxRow& row : rows.rows()) {
    const bool call = row.is_call();
    table.push_back(
        {row.opcode, row.name, row.target, call ? row.args : "()", call ? row.kwargs : "{}"});
  }
  table.push_back({"output", "output", "output", "(" + rows.outputs() + ",)", "{}"});
  Cells rule;
  for (size_t i = 0; i < rule.size(); ++i) {
    size_t width = 0;
    for (const Cells& cells : table) width = std::max(width, cells[i].size());
    rule[i] = std::string(width, '-');
  }
  table.insert(table.begin() + 1, rule);
  std::string text;
  for (const Cells& cells : table) {
    for (size_t i = 0; i < cells.size(); ++i) {
      text += cells[i];
      if (i + 1 < cells.size()) text += std::string(rule[i].size() - cells[i].size() + 2, ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace litz::ir
