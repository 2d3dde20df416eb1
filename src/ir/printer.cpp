// Prints graph IR deterministically: graph order, symbol order, sorted annotation keys.

#include "ir/printer.h"

#include <algorithm>
#include <optional>

#include "ir/printed_symbols.h"
#include "ir/value_labels.h"
#include "support/text.h"

namespace litz::ir {
namespace {

constexpr size_t kWrapColumn = 100;

class GraphPrinter {
 public:
  GraphPrinter(const Graph& graph, const PrintOptions& options)
      : graph_(graph), options_(options), labels_(graph) {
    for (const auto& [first, second] : graph.order_edges()) edges_.emplace_back(second, first);
    // A stable sort by reader: a node's edges stay in the order in which they were added.
    std::stable_sort(edges_.begin(), edges_.end(),
                     [](const auto& a, const auto& b) { return a.first->id() < b.first->id(); });
  }

  std::string graph() const {
    std::string text = header();
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
      text += "  " + this->node(*node) + "\n";
    }
    return text + "  " + terminator() + "\n}\n";
  }

  std::string node(const Node& node) const {
    std::string text = labels_.definition(node);
    if (!text.empty()) text += " = ";
    text.append(node.op().name()).append("(").append(arguments(node)).append(")");
    // A list of results may be empty, which a reader would otherwise have to infer.
    const bool has_types = node.output_count() > 0 || !node.op().schema.returns.empty();
    if (options_.types && has_types) text += " : " + result_types(node);
    if (options_.annotations) text += annotations(node.annotations());
    if (options_.locations) text += location(node.location());
    return text + after(node);
  }

  std::string terminator() const {
    std::string text = "return";
    for (const Argument& output : graph_.outputs()) {
      text += &output == graph_.outputs().data() ? " " : ", ";
      text += argument(output);
    }
    return text;
  }

 private:
  std::string header() const {
    std::vector<std::string> parameters;
    size_t width = 0;
    for (const Value input : graph_.inputs()) {
      parameters.push_back(labels_.use(input) + ": " + to_string(input.type()));
      width += parameters.back().size() + 2;
    }
    const bool wrap = width > kWrapColumn;
    std::string text = "graph @" + graph_.name() + "(";
    for (const std::string& parameter : parameters) {
      if (&parameter != parameters.data()) text += wrap ? "," : ", ";
      if (wrap) text += "\n    ";
      text += parameter;
    }
    text += ") -> (";
    for (const Argument& output : graph_.outputs()) {
      if (&output != graph_.outputs().data()) text += ", ";
      text += output.is_value() ? to_string(output.value().type()) : "_";
    }
    return text + ") {\n";
  }

  // Leading values are positional, the rest is by name, and defaults are omitted.
  std::string arguments(const Node& node) const {
    const std::vector<SchemaArgument>& schema = node.op().schema.arguments;
    std::string text;
    bool positional = true;
    for (size_t i = 0; i < schema.size(); ++i) {
      const Argument& given = node.arguments()[i];
      positional = positional && !given.is_attribute() && !schema[i].keyword_only;
      if (!positional && is_default(schema[i], given)) continue;
      if (!text.empty()) text += ", ";
      if (!positional) text += schema[i].name + "=";
      text += argument(given);
    }
    return text;
  }

  static bool is_default(const SchemaArgument& schema, const Argument& given) {
    if (!schema.has_default) return false;
    if (given.is_value_list()) return given.values().empty() && is_empty(schema.default_value);
    return given.is_attribute() && given.attribute() == schema.default_value;
  }

  static bool is_empty(const Attribute& attribute) {
    const auto* scalars = std::get_if<Scalars>(&attribute);
    return scalars != nullptr && scalars->empty();
  }

  std::string argument(const Argument& given) const {
    if (given.is_value()) return labels_.use(given.value());
    if (given.is_value_list()) {
      std::string text = "[";
      for (const Value value : given.values()) {
        if (text.size() > 1) text += ", ";
        text += value ? labels_.use(value) : "none";
      }
      return text + "]";
    }
    const auto* child = std::get_if<GraphRef>(&given.attribute());
    if (child != nullptr && graph_.module().contains(*child)) {
      return "@" + graph_.module().graph(*child).name();
    }
    return to_string(given.attribute());
  }

  static std::string result_types(const Node& node) {
    if (node.output_count() == 1) return to_string(node.output().type());
    std::string text = "(";
    for (const Value output : node.outputs()) {
      if (output.index() > 0) text += ", ";
      text += to_string(output.type());
    }
    return text + ")";
  }

  static std::string annotations(const Annotations& annotations) {
    std::string text;
    for (const auto& [key, value] : annotations) {
      if (!is_printable(key)) continue;
      text += text.empty() ? " #{" : ", ";
      text += quoted_unless_word(key) + " = " + annotation_value(key, value);
    }
    return text.empty() ? text : text + "}";
  }

  // Numbers are unquoted if their key is numeric and reading gives them back.
  static std::string annotation_value(const std::string& key, const std::string& value) {
    const AnnotationKey* declared = find_annotation_key(key);
    if (declared != nullptr && declared->type == AnnotationType::integer) {
      const std::optional<int64_t> number = parse_int(value);
      if (number && std::to_string(*number) == value) return value;
    }
    return quoted(value);
  }

  static std::string quoted_unless_word(const std::string& key) {
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !key.empty() && std::all_of(key.begin(), key.end(), is_word) ? key : quoted(key);
  }

  static std::string location(const Location& location) {
    if (location.file.empty() && location.module_path.empty()) return "";
    std::string text = " loc(" + quoted(location.file) + ":" + std::to_string(location.line);
    if (!location.module_path.empty()) text += ", " + quoted(location.module_path);
    return text + ")";
  }

  std::string after(const Node& node) const {
    const auto range = std::equal_range(
        edges_.begin(), edges_.end(), std::pair<const Node*, const Node*>(&node, nullptr),
        [](const auto& a, const auto& b) { return a.first->id() < b.first->id(); });
    if (range.first == range.second) return "";
    std::string text = " after(";
    for (auto edge = range.first; edge != range.second; ++edge) {
      if (edge != range.first) text += ", ";
      text += labels_.node(*edge->second);
    }
    return text + ")";
  }

  const Graph& graph_;
  const PrintOptions& options_;
  ValueLabels labels_;
  std::vector<std::pair<const Node*, const Node*>> edges_;  ///< (later node, earlier node)
};

}  // namespace

std::string to_string(const Graph& graph, const PrintOptions& options) {
  const Graph* one = &graph;
  const std::string header = module_header(graph.module(), {&one, 1});
  return header + (header.empty() ? "" : "\n") + GraphPrinter(graph, options).graph();
}

std::string to_string(const Module& module, const PrintOptions& options) {
  std::vector<const Graph*> graphs;
  for (const Graph* graph : module.graphs()) graphs.push_back(graph);
  std::string text = module_header(module, graphs);
  for (const Graph* graph : graphs) {
    if (!text.empty()) text += "\n";
    text += GraphPrinter(*graph, options).graph();
  }
  return text;
}

std::string to_string(const Node& node) {
  const PrintOptions options{.locations = false, .annotations = false};
  if (node.is_erased()) return "an erased " + std::string(node.op().name());
  const GraphPrinter printer(node.graph(), options);
  return &node == node.graph().return_node() ? printer.terminator() : printer.node(node);
}

std::string node_context(const Node& node) {
  std::string text = to_string(node);
  const Location& location = node.location();
  if (!location.file.empty()) {
    text += " (" + location.file + ":" + std::to_string(location.line) + ")";
  }
  return text;
}

}  // namespace litz::ir
