// Boxes and edges of a graph. See graph_picture.h.

#include "graph_tools/graph_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>

#include "ir/graph_data.h"
#include "ir/value_labels.h"
#include "support/hash.h"

namespace litz::ir {
namespace {

constexpr size_t kListItems = 8;
constexpr size_t kFieldWidth = 60;
constexpr size_t kWholeWidth = 2000;  // Limits the text shown on hovering.

constexpr const char* kArgumentFill = "#f0f8ff";
constexpr const char* kReturnFill = "#b0e0e6";
constexpr const char* kPlainFill = "#f4f4f4";  // For nodes outside all groups, if there are groups.

// Light enough for black text; an operator's hash selects its colour.
constexpr std::array kPalette{"#98f5ff", "#ffb3a1", "#caff70", "#c1ffc1", "#f5f0ff", "#fff68f",
                              "#fff0f5", "#b0e2ff", "#ffe4e1", "#c0ff3e", "#bbffff", "#ffdab9",
                              "#ffc8b8", "#ffe1ff", "#dcc6dc", "#ffe7ba"};

// Hues are a golden angle apart, so neighbours differ for any number of groups.
std::string group_fill(size_t index) {
  const double hue = std::fmod(0.58 + 0.381966 * static_cast<double>(index), 1.0) * 6;
  const double lightest = 1.0;
  const double darkest = index % 2 == 0 ? 0.62 : 0.74;
  const auto channel = [&](double shift) {
    const double distance = std::fabs(std::fmod(hue + shift, 6.0) - 3) - 1;
    return static_cast<int>(255 *
                            (darkest + (lightest - darkest) * std::clamp(distance, 0.0, 1.0)));
  };
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", channel(0), channel(4), channel(2));
  return text;
}

// Never splits a character.
std::string shortened(std::string text, size_t width) {
  if (text.size() <= width) return text;
  while (width > 0 && (static_cast<unsigned char>(text[width]) & 0xc0) == 0x80) --width;
  return text.substr(0, width) + "...";
}

class PictureMaker {
 public:
  PictureMaker(const Graph& graph, const DrawOptions& options, size_t max_boxes)
      : graph_(graph), options_(options), max_boxes_(max_boxes), labels_(graph) {
    for (const uint32_t id : options.marked) marked_[id] = true;
  }

  Picture make() {
    picture_.name = graph_.name();
    picture_.nodes = graph_.node_count();
    find_groups();
    choose();
    for (const Value input : graph_.inputs()) {
      if (shown_inputs_[input.index()]) argument(input);
    }
    for (const Node* node = graph_.first(); node != last_shown_; node = node->next()) {
      draw(*node);
    }
    if (hidden_ > 0) draw_rest();
    const Node& end = *graph_.return_node();
    add({.id = id(end), .lines = {"return"}, .whole = "", .fill = kReturnFill});
    boxes_[&end] = picture_.boxes.size() - 1;
    edges(end);
    order_edges();
    return std::move(picture_);
  }

 private:
  static std::string id(const Node& node) { return "n" + std::to_string(node.id()); }

  void add(PictureBox box) {
    std::erase(box.lines, "");
    picture_.boxes.push_back(std::move(box));
  }

  void find_groups() {
    for (const NodeGroup& group : options_.groups) {
      PictureGroup found{
          .name = group.name, .fill = group_fill(picture_.groups.size()), .nodes = 0};
      const int index = static_cast<int>(picture_.groups.size());
      for (const Node* node : group.nodes) {
        if (&node->graph() == &graph_ && groups_.emplace(node, index).second) ++found.nodes;
      }
      if (found.nodes > 0) picture_.groups.push_back(std::move(found));
    }
  }

  // Chooses the first nodes, and the arguments that they read, up to the limit.
  void choose() {
    shown_inputs_.assign(graph_.input_count(), false);
    size_t room = max_boxes_;
    size_t shown_nodes = 0;
    const Node* node = graph_.first();
    for (; node != nullptr; node = node->next(), ++shown_nodes) {
      std::vector<size_t> read;
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Value value = node->input(i);
        if (value.producer() == nullptr && !shown_inputs_[value.index()]) {
          read.push_back(value.index());
          shown_inputs_[value.index()] = true;
        }
      }
      if (read.size() + 1 > room) {
        for (const size_t index : read) shown_inputs_[index] = false;
        break;
      }
      room -= read.size() + 1;
    }
    last_shown_ = node;
    hidden_ = graph_.node_count() - shown_nodes;
    for (size_t i = 0; i < shown_inputs_.size(); ++i) {
      if (shown_inputs_[i]) continue;
      if (room > 0 && node == nullptr) {
        shown_inputs_[i] = true;
        --room;
      } else {
        ++hidden_;
      }
    }
  }

  std::string type(Value value) const { return options_.types ? to_string(value.type()) : ""; }

  static std::string users(size_t count) { return "users: " + std::to_string(count); }

  void argument(Value input) {
    inputs_[input.index()] = picture_.boxes.size();
    add({.id = "a" + std::to_string(input.index()),
         .lines = {labels_.use(input), "argument", type(input), users(input.users().size())},
         .whole = "",
         .fill = kArgumentFill});
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
    PictureBox box{.id = id(node),
                   .lines = {},
                   .whole = whole(node, fields),
                   .fill = kPalette[hash_name(name) % kPalette.size()]};
    for (std::string& field : fields) box.lines.push_back(shortened(std::move(field), kFieldWidth));
    box.marked = marked_.contains(node.id());
    if (!picture_.groups.empty()) {
      const auto group = groups_.find(&node);
      box.group = group != groups_.end() ? group->second : -1;
      box.fill = box.group >= 0 ? picture_.groups[static_cast<size_t>(box.group)].fill : kPlainFill;
    }
    boxes_[&node] = picture_.boxes.size();
    add(std::move(box));
    edges(node);
  }

  // Does not print the node, because numbering its operands would walk the graph for each box.
  static std::string whole(const Node& node, const std::vector<std::string>& fields) {
    std::string text;
    for (const std::string& field : fields) {
      if (!field.empty()) text += (text.empty() ? "" : "\n") + field;
    }
    const Location& location = node.location();
    if (!location.file.empty()) {
      text += "\n" + location.file + ":" + std::to_string(location.line);
      if (!location.module_path.empty()) text += " in " + location.module_path;
    }
    for (const auto& [key, value] : node.annotations()) text += "\n" + key + " = " + value;
    for (const Provenance& step : node.provenance()) {
      if (!step.pass.empty()) text += "\n" + step.action + " in " + step.pass;
    }
    return shortened(std::move(text), kWholeWidth);
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
    return schema.name + "=" + value;
  }

  void draw_rest() {
    rest_ = static_cast<int>(picture_.boxes.size());
    add({.id = "rest",
         .lines = {std::to_string(hidden_) + " more, not drawn"},
         .whole = "",
         .fill = kPlainFill});
    std::map<size_t, bool> read;
    for (const Node* node = last_shown_; node != nullptr; node = node->next()) {
      for (size_t i = 0; i < node->input_count(); ++i) {
        const size_t from = box_of(node->input(i));
        if (from != static_cast<size_t>(rest_)) read[from] = true;
      }
    }
    for (const auto& [from, _] : read) {
      picture_.edges.push_back({from, static_cast<size_t>(rest_), "", false});
    }
  }

  size_t box_of(Value value) const {
    if (const Node* producer = value.producer()) {
      const auto found = boxes_.find(producer);
      return found != boxes_.end() ? found->second : static_cast<size_t>(rest_);
    }
    const auto found = inputs_.find(value.index());
    return found != inputs_.end() ? found->second : static_cast<size_t>(rest_);
  }

  void edges(const Node& node) {
    const size_t to = boxes_.at(&node);
    bool reads_rest = false;
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Value value = node.input(i);
      const size_t from = box_of(value);
      if (from == static_cast<size_t>(rest_) && std::exchange(reads_rest, true)) continue;
      const Node* producer = value.producer();
      const bool numbered = producer != nullptr && producer->output_count() > 1;
      picture_.edges.push_back(
          {from, to, numbered ? "#" + std::to_string(value.index()) : "", false});
    }
  }

  void order_edges() {
    for (const auto& [first, second] : graph_.order_edges()) {
      const auto from = boxes_.find(first);
      const auto to = boxes_.find(second);
      if (from == boxes_.end() || to == boxes_.end()) continue;
      picture_.edges.push_back({from->second, to->second, "", true});
    }
  }

  const Graph& graph_;
  const DrawOptions& options_;
  size_t max_boxes_;
  ValueLabels labels_;
  Picture picture_;
  std::unordered_map<uint32_t, bool> marked_;
  std::unordered_map<const Node*, int> groups_;
  std::unordered_map<const Node*, size_t> boxes_;
  std::unordered_map<size_t, size_t> inputs_;  ///< Box by argument.
  std::vector<bool> shown_inputs_;
  const Node* last_shown_ = nullptr;  ///< The first hidden node; null: all are shown.
  size_t hidden_ = 0;
  int rest_ = -1;  ///< The box that represents all hidden nodes.
};

}  // namespace

Picture make_picture(const Graph& graph, const DrawOptions& options, size_t max_boxes) {
  return PictureMaker(graph, options, max_boxes).make();
}

}  // namespace litz::ir
