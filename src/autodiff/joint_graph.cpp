#include "autodiff/joint_graph.h"

#include <algorithm>
#include <string>

#include "expr/estimate.h"

namespace litz::autodiff {
namespace {

// The distance of values that no path leads to the backward part from.
constexpr int64_t kFar = int64_t{1} << 30;

}  // namespace

using ir::Node;
using ir::Value;

void mark_backward(Node* node, std::string_view as) {
  ir::Annotations annotations = node->annotations();
  annotations.insert_or_assign(std::string(kBackwardAnnotation), std::string(as));
  node->graph().set_annotations(node, std::move(annotations));
}

bool must_recompute(const Node& node) {
  const auto found = node.annotations().find("recompute");
  return found != node.annotations().end() && found->second == "must_recompute";
}

int64_t bytes_of(Value value) {
  if (!value.is_tensor()) return 0;
  const TensorType& type = value.tensor();
  return static_cast<int64_t>(estimate(type.numel()) * static_cast<double>(item_size(type.dtype)));
}

JointGraph::JointGraph(const ir::Graph& graph, std::span<const size_t> cotangents) {
  for (const size_t i : cotangents) cotangents_.insert(graph.input(i).data());
  for (Node* node : graph.in_order()) {
    bool is_late = node->annotations().contains(kBackwardAnnotation);
    for (size_t i = 0; i < node->input_count() && !is_late; ++i) {
      is_late = !is_early(node->input(i));
    }
    if (is_late) {
      backward_.insert(node);
    } else {
      numbers_.emplace(node, early_.size());
      early_.push_back({node});
    }
  }
  find_forward(graph);
  find_distances();
}

bool JointGraph::is_early(Value value) const {
  const Node* producer = value.producer();
  return producer != nullptr ? !is_backward(*producer) : !cotangents_.contains(value.data());
}

const EarlyNode* JointGraph::find(const Node* node) const {
  const auto found = numbers_.find(node);
  return found == numbers_.end() ? nullptr : &early_[found->second];
}

bool JointGraph::is_read_backward(Value value) const {
  return std::ranges::any_of(value.users(), [&](const Node* user) { return is_backward(*user); });
}

void JointGraph::find_forward(const ir::Graph& graph) {
  const auto reach = [&](const Node& reader) {
    for (size_t i = 0; i < reader.input_count(); ++i) {
      const auto found = numbers_.find(reader.input(i).producer());
      if (found != numbers_.end()) early_[found->second].is_forward = true;
    }
  };
  reach(*graph.return_node());
  for (size_t i = early_.size(); i-- > 0;) {
    if (early_[i].is_forward) reach(*early_[i].node);
  }
}

void JointGraph::find_distances() {
  for (size_t i = early_.size(); i-- > 0;) {
    EarlyNode& each = early_[i];
    if (!each.is_forward) continue;
    each.distance = kFar;
    for (const Value output : each.node->outputs()) {
      each.distance = std::min(each.distance, distance(output));
    }
  }
}

int64_t JointGraph::distance(Value value) const {
  const EarlyNode* producer = find(value.producer());
  if (producer != nullptr && !producer->is_forward) return 0;
  int64_t least = kFar;
  for (const Node* user : value.users()) {
    if (const EarlyNode* early = find(user)) {
      least = std::min(least, early->distance);
    } else if (is_backward(*user)) {
      least = 0;
    }
  }
  return least + 1;
}

}  // namespace litz::autodiff
