// Spells values. See value_labels.h.

#include "ir/value_labels.h"

#include <algorithm>

namespace litz::ir {
namespace {

size_t unnamed_before(const Node& node, size_t end) {
  size_t count = 0;
  for (size_t i = 0; i < end; ++i) count += node.output(i).name().empty() ? 1 : 0;
  return count;
}

}  // namespace

bool is_group(const Node& node) {
  if (node.output_count() < 2) return false;
  for (size_t i = 1; i < node.output_count(); ++i) {
    if (!node.output(i).name().empty()) return false;
  }
  return true;
}

ValueLabels::ValueLabels(const Graph& graph) {
  uint32_t next = 0;
  for (const Value input : graph.inputs()) {
    input_numbers_.push_back(next);
    if (input.name().empty()) ++next;
  }
  uint32_t id_end = 0;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    id_end = std::max(id_end, node->id() + 1);
  }
  node_numbers_.resize(id_end);
  group_.resize(id_end);
  labelled_.resize(id_end);
  for (const auto& [first, second] : graph.order_edges()) {
    if (first->output_count() == 0) labelled_[first->id()] = true;
  }
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    node_numbers_[node->id()] = next;
    if (is_group(*node)) {
      group_[node->id()] = true;
      next += node->output(0).name().empty() ? 1 : 0;
    } else if (node->output_count() == 0) {
      next += labelled_[node->id()] ? 1 : 0;
    } else {
      next += static_cast<uint32_t>(unnamed_before(*node, node->output_count()));
    }
  }
}

std::string ValueLabels::single(Value value) const {
  if (!value.name().empty()) return "%" + value.name();
  const Node* node = value.producer();
  if (node == nullptr) return "%" + std::to_string(input_numbers_[value.index()]);
  return "%" + std::to_string(node_numbers_[node->id()] + unnamed_before(*node, value.index()));
}

std::string ValueLabels::use(Value value) const {
  const Node* node = value.producer();
  if (node == nullptr || !group_[node->id()]) return single(value);
  return single(node->output(0)) + "#" + std::to_string(value.index());
}

std::string ValueLabels::definition(const Node& node) const {
  if (node.output_count() == 0) return labelled_[node.id()] ? this->node(node) + ":0" : "";
  if (group_[node.id()]) return this->node(node) + ":" + std::to_string(node.output_count());
  std::string text;
  for (const Value output : node.outputs()) {
    if (output.index() > 0) text += ", ";
    text += single(output);
  }
  return text;
}

std::string ValueLabels::node(const Node& node) const {
  if (node.output_count() > 0) return single(node.output(0));
  return "%" + std::to_string(node_numbers_[node.id()]);
}

}  // namespace litz::ir
