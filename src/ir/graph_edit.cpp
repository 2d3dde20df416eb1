// Edits of existing nodes: operands, types, annotations, moving and erasing.

#include <algorithm>

#include "ir/effects.h"
#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {
namespace {

// The arguments that assign_arguments replaced, kept until the transaction ends.
struct OldArguments {
  std::vector<Argument> arguments;
  std::unique_ptr<Use[]> uses;
  size_t use_count = 0;
  std::vector<Use::Position> positions;
};

size_t count_values(std::span<const Argument> arguments) {
  size_t count = 0;
  for (const Argument& argument : arguments) {
    for (const Value value : argument.values()) count += value ? 1 : 0;
  }
  return count;
}

}  // namespace

// Counts an edit of `node`, records the pass that made it, and notifies the observers.
void Graph::touched(Node* node, Touch touch) {
  ++edit_count_;
  if (touch == Touch::structure) ++structural_epoch_;
  if (touch == Touch::types) ++type_epoch_;
  const std::string& pass = module_->current_pass();
  if (!pass.empty() && (node->provenance_.empty() || node->provenance_.back().pass != pass)) {
    node->provenance_.push_back({pass, "change", {}});
    record([node] { node->provenance_.pop_back(); });
  }
  if (journal_) journal_->touched.push_back(node);
  for (GraphObserver* observer : observers_) observer->changed(*node);
}

void Graph::assign_arguments(Node* node, std::vector<Argument> arguments) {
  const auto old = std::make_shared<OldArguments>();
  for (size_t i = 0; i < node->use_count_; ++i) {
    old->positions.push_back(node->uses_[i].unlink());
  }
  old->arguments = std::move(node->arguments_);
  old->uses = std::move(node->uses_);
  old->use_count = node->use_count_;

  node->arguments_ = std::move(arguments);
  node->use_count_ = count_values(node->arguments_);
  node->uses_ = std::make_unique<Use[]>(node->use_count_);
  size_t slot = 0;
  for (size_t i = 0; i < node->arguments_.size(); ++i) {
    const std::span<const Value> values = node->arguments_[i].values();
    for (size_t k = 0; k < values.size(); ++k) {
      if (!values[k]) continue;
      Use& use = node->uses_[slot++];
      use.user = node;
      use.argument = static_cast<uint32_t>(i);
      use.element = static_cast<uint32_t>(k);
      use.link(values[k].data());
    }
  }
  record([node, old] {
    for (size_t i = node->use_count_; i-- > 0;) node->uses_[i].unlink();
    node->arguments_ = std::move(old->arguments);
    node->uses_ = std::move(old->uses);
    node->use_count_ = old->use_count;
    for (size_t i = node->use_count_; i-- > 0;) node->uses_[i].restore(old->positions[i]);
  });
}

void Graph::set_slot(Use& use, Value value) {
  const Use::Position position = use.unlink();
  use.link(value.data());
  Value& mirror = use.user->arguments_[use.argument].values_[use.element];
  mirror = value;
  record([&use, position, &mirror] {
    use.unlink();
    use.restore(position);
    mirror = Value(position.value);
  });
}

void Graph::set_input(Node* node, size_t i, Value value) {
  check_live(node);
  check(i < node->use_count_, "an operand index must be in range:", node->op().name(), i);
  const Argument operand(value);
  check_operands(node->op(), {&operand, 1});
  set_slot(node->uses_[i], value);
  touched(node, Touch::structure);
}

void Graph::set_argument(Node* node, std::string_view name, Argument argument) {
  check_live(node);
  const int i = node->op().schema.find(name);
  check(i >= 0, "an operator has the arguments of its schema:", node->op().name(), "has no", name);
  std::vector<Argument> arguments = node->arguments_;
  arguments[static_cast<size_t>(i)] = std::move(argument);
  bind_arguments(node->op(), arguments, *module_);
  check_operands(node->op(), arguments);
  assign_arguments(node, std::move(arguments));
  touched(node, Touch::structure);
}

void Graph::replace_uses(Value from, Value to) { replace_uses_if(from, to, nullptr); }

void Graph::replace_uses_if(Value from, Value to, const std::function<bool(const Node&)>& filter) {
  check(from && from.graph() == this, "a replaced value must belong to the graph:", name_);
  const Argument operand(to);
  check_operands(return_op(), {&operand, 1});
  if (from == to) return;
  const Node* wrapper = to.producer();
  bool any = false;
  Node* last_touched = nullptr;
  // New uses join another list, so the walk only has to step over the slot that it moves.
  for (Use* use = from.data()->first_use; use != nullptr;) {
    Use* next = use->next;
    Node* user = use->user;
    if (user != wrapper && (!filter || filter(*user))) {
      set_slot(*use, to);
      if (user != last_touched) touched(user, Touch::structure);
      last_touched = user;
      any = true;
    }
    use = next;
  }
  if (!any) return;
  for (GraphObserver* observer : observers_) observer->uses_replaced(from, to);
}

void Graph::set_type(Value value, ValueType type) {
  check(value && value.graph() == this, "a value must be edited through its own graph:", name_);
  ValueData* data = value.data();
  record([data, old = data->type] { data->type = old; });
  data->type = std::move(type);
  if (data->producer != nullptr) {
    touched(data->producer, Touch::types);
  } else {
    ++edit_count_;
    ++type_epoch_;
  }
}

void Graph::set_location(Node* node, Location location) {
  check_live(node);
  record([node, old = node->location_] { node->location_ = old; });
  node->location_ = std::move(location);
}

void Graph::set_annotations(Node* node, Annotations annotations) {
  check_live(node);
  record([node, old = node->annotations_] { node->annotations_ = old; });
  node->annotations_ = std::move(annotations);
  touched(node, Touch::labels);
}

void Graph::add_provenance(Node* node, Provenance provenance) {
  check_live(node);
  node->provenance_.push_back(std::move(provenance));
  record([node] { node->provenance_.pop_back(); });
}

void Graph::move_before(Node* node, Node* position) {
  check_live(node);
  check_live(position);
  check(node != return_, "the terminator of a graph must stay last:", name_);
  if (node == position || node->next_ == position) return;
  Node* old_next = node->next_;
  unlink(node);
  link_before(node, position);
  record([this, node, old_next] {
    unlink(node);
    link_before(node, old_next);
  });
  touched(node, Touch::structure);
}

void Graph::erase_order_edges(const Node* node) {
  if (journal_) {
    record([this, edges = order_edges_, ids = order_edge_ids_] {
      order_edges_ = edges;
      order_edge_ids_ = ids;
    });
  }
  std::erase_if(order_edges_, [&](const auto& edge) {
    if (edge.first != node && edge.second != node) return false;
    order_edge_ids_.erase({edge.first->id_, edge.second->id_});
    return true;
  });
}

void Graph::erase(Node* node) {
  check_live(node);
  check(node != return_, "the terminator of a graph cannot be erased:", name_);
  for (const Value output : node->outputs()) {
    check(!output.has_uses(),
          "tried to erase a node whose result still has users:", node->op().name(), "still had",
          output.use_count(), "users");
  }
  for (GraphObserver* observer : observers_) observer->erased(*node);
  if (node->has_order_edges_) {
    erase_order_edges(node);
  }
  std::vector<Use::Position> positions;
  for (size_t i = 0; i < node->use_count_; ++i) positions.push_back(node->uses_[i].unlink());
  for (const Value output : node->outputs()) release_name(output.name());
  Node* old_next = node->next_;
  unlink(node);
  node->erased_ = true;
  ++erased_count_;
  ++edit_count_;
  ++structural_epoch_;
  record([this, node, old_next, positions = std::move(positions)] {
    node->erased_ = false;
    --erased_count_;
    link_before(node, old_next);
    for (const Value output : node->outputs()) take_name(output.name());
    for (size_t i = node->use_count_; i-- > 0;) node->uses_[i].restore(positions[i]);
  });
}

bool Graph::erase_if_unused(Node* node) {
  check_live(node);
  if (node == return_ || has_effects(*node)) return false;
  for (const Value output : node->outputs()) {
    if (output.has_uses()) return false;
  }
  erase(node);
  return true;
}

void Graph::collect_erased() {
  check(!in_transaction(), "erased nodes of an open transaction must stay:", name_);
  if (erased_count_ == 0) return;
  for (std::unique_ptr<Node>& node : nodes_) {
    if (node && node->erased_) node.reset();
  }
  erased_count_ = 0;
}

void Graph::add_observer(GraphObserver* observer) { observers_.push_back(observer); }

void Graph::remove_observer(GraphObserver* observer) { std::erase(observers_, observer); }

void Graph::add_order_edge(Node* first, Node* second) {
  check_live(first);
  check_live(second);
  check(first != second && first != return_ && second != return_,
        "an ordering edge joins two nodes of a graph:", name_);
  const std::pair ids{first->id_, second->id_};
  if (!order_edge_ids_.insert(ids).second) return;
  order_edges_.emplace_back(first, second);
  first->has_order_edges_ = second->has_order_edges_ = true;
  record([this, ids] {
    order_edges_.pop_back();
    order_edge_ids_.erase(ids);
  });
  touched(second, Touch::structure);
}

}  // namespace litz::ir
