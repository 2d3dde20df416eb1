// DOT text of graphs. See drawing.h.

#include "ir/drawing.h"

#include <algorithm>
#include <array>

#include "ir/child_graphs.h"
#include "ir/value_labels.h"
#include "support/hash.h"

namespace litz::ir {
namespace {

constexpr size_t kListItems = 8;
constexpr size_t kFieldWidth = 60;

// Light enough for black text; which operator gets which is only a matter of its hash.
constexpr std::array kPalette{"CadetBlue1", "Coral1",     "DarkOliveGreen1", "DarkSeaGreen1",
                              "GhostWhite", "Khaki1",     "LavenderBlush1",  "LightSkyBlue",
                              "MistyRose1", "OliveDrab1", "PaleTurquoise2",  "PeachPuff1",
                              "Salmon",     "Thistle1",   "Thistle3",        "Wheat1"};

// Record labels give braces, bars, angle brackets and blanks a meaning.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (std::string_view("{}<>|\"\\ ").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string shortened(std::string text) {
  if (text.size() > kFieldWidth) text = text.substr(0, kFieldWidth) + "...";
  return text;
}

class Drawer {
 public:
  Drawer(const Graph& graph, const DrawOptions& options)
      : graph_(graph), options_(options), labels_(graph) {}

  std::string draw() {
    text_ = "digraph \"" + graph_.name() + "\" {\n  node [shape=record, style=filled];\n";
    for (const Value input : graph_.inputs()) {
      box("a" + std::to_string(input.index()),
          {labels_.use(input), "argument", type(input), users(input.users().size())}, "AliceBlue",
          false);
    }
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) draw(*node);
    const Node& end = *graph_.return_node();
    box(id(end), {"return"}, "PowderBlue", false);
    edges(end);
    for (const auto& [first, second] : graph_.order_edges()) {
      text_ += "  " + id(*first) + " -> " + id(*second) + " [style=dashed];\n";
    }
    return text_ + "}\n";
  }

 private:
  static std::string id(const Node& node) { return "n" + std::to_string(node.id()); }

  static std::string users(size_t count) { return "users: " + std::to_string(count); }

  std::string type(Value value) const { return options_.types ? to_string(value.type()) : ""; }

  void box(const std::string& id, const std::vector<std::string>& fields, std::string_view colour,
           bool marked) {
    std::string label;
    for (const std::string& field : fields) {
      if (field.empty()) continue;
      label += (label.empty() ? "" : "|") + escaped(field);
    }
    text_ += "  " + id + " [label=\"{" + label + "}\", fillcolor=\"" + std::string(colour) + "\"";
    text_ += marked ? ", penwidth=4, color=\"Red\"];\n" : "];\n";
  }

  void draw(const Node& node) {
    const std::string_view name = node.op().name();
    std::vector<std::string> fields{labels_.definition(node), std::string(name)};
    if (options_.operands) {
      for (size_t i = 0; i < node.arguments().size(); ++i) {
        fields.push_back(operand(node.op().schema.arguments[i], node.arguments()[i]));
      }
    }
    size_t readers = 0;
    for (const Value output : node.outputs()) {
      fields.push_back(type(output));
      readers += output.users().size();
    }
    fields.push_back(users(readers));
    const bool marked = std::find(options_.marked.begin(), options_.marked.end(), node.id()) !=
                        options_.marked.end();
    box(id(node), fields, kPalette[hash_name(name) % kPalette.size()], marked);
    edges(node);
  }

  std::string operand(const SchemaArgument& schema, const Argument& given) const {
    if (!given.is_attribute() || given.is_none()) return "";
    if (schema.has_default && given.attribute() == schema.default_value) return "";
    std::string value;
    const auto* child = std::get_if<GraphRef>(&given.attribute());
    const auto* list = std::get_if<Scalars>(&given.attribute());
    if (child != nullptr) {
      value = "@" + graph_.module().graph(*child).name();
    } else if (list != nullptr && list->size() > kListItems) {
      value = to_string(Attribute(Scalars(list->begin(), list->begin() + kListItems)));
      value.insert(value.size() - 1, ", ...");
    } else {
      value = to_string(given.attribute());
    }
    return shortened(schema.name + "=" + value);
  }

  void edges(const Node& node) {
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Value value = node.input(i);
      const Node* producer = value.producer();
      text_ += "  " + (producer != nullptr ? id(*producer) : "a" + std::to_string(value.index())) +
               " -> " + id(node);
      if (producer != nullptr && producer->output_count() > 1) {
        text_ += " [label=\"#" + std::to_string(value.index()) + "\"]";
      }
      text_ += ";\n";
    }
  }

  const Graph& graph_;
  const DrawOptions& options_;
  ValueLabels labels_;
  std::string text_;
};

}  // namespace

std::string dot(const Graph& graph, const DrawOptions& options) {
  return Drawer(graph, options).draw();
}

std::vector<std::pair<std::string, std::string>> dot_documents(Graph& graph,
                                                               const DrawOptions& options) {
  std::vector<std::pair<std::string, std::string>> documents;
  const std::vector<Graph*> graphs = post_order(graph);
  for (auto each = graphs.rbegin(); each != graphs.rend(); ++each) {
    documents.emplace_back((*each)->name(), dot(**each, options));
  }
  return documents;
}

}  // namespace litz::ir
