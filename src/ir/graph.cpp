// Graphs: construction, arguments and results, creating nodes.

#include <algorithm>

#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {

const OpInfo& return_op() {
  static const OpInfo op{.schema = {.name = "return", .arguments = {}, .returns = {}},
                         .traits = Trait::side_effect};
  return op;
}

Graph::Graph(Module& module, uint32_t id, std::string name)
    : module_(&module), id_(id), name_(std::move(name)) {
  nodes_.push_back(std::unique_ptr<Node>(new Node()));
  return_ = nodes_.front().get();
  return_->op_ = &return_op();
  return_->graph_ = this;
  return_->label_ = UINT64_MAX;
  head_ = insertion_ = return_;
}

Graph::~Graph() = default;

// NOLINTNEXTLINE(performance-unnecessary-value-param): a sink, like the names of other builders.
Value Graph::add_input(std::string name, ValueType type) {
  auto data = std::make_unique<ValueData>();
  data->type = std::move(type);
  data->graph = this;
  data->index = inputs_.size();
  inputs_.push_back(std::move(data));
  const Value value(inputs_.back().get());
  // Names have their own journal entries, so that undo runs in exact reverse.
  record([this] { inputs_.pop_back(); });
  ++edit_count_;
  ++structural_epoch_;
  if (!name.empty()) set_name(value, name);
  return value;
}

size_t Graph::input_count() const { return inputs_.size(); }

Value Graph::input(size_t i) const {
  check(i < inputs_.size(), "a graph argument index must be in range:", name_, i, inputs_.size());
  return Value(inputs_[i].get());
}

std::vector<Value> Graph::inputs() const {
  std::vector<Value> values;
  values.reserve(inputs_.size());
  for (const auto& data : inputs_) values.emplace_back(data.get());
  return values;
}

void Graph::erase_input(size_t i) {
  const Value value = input(i);
  check(!value.has_uses(), "tried to erase a graph argument that still has users:", value.name(),
        value.use_count());
  std::string name = value.name();
  release_name(name);
  const auto at = inputs_.begin() + static_cast<std::ptrdiff_t>(i);
  const auto held = std::make_shared<std::unique_ptr<ValueData>>(std::move(*at));
  inputs_.erase(at);
  const auto renumber = [this] {
    for (size_t k = 0; k < inputs_.size(); ++k) inputs_[k]->index = k;
  };
  renumber();
  ++edit_count_;
  ++structural_epoch_;
  record([this, i, held, name = std::move(name), renumber] {
    inputs_.insert(inputs_.begin() + static_cast<std::ptrdiff_t>(i), std::move(*held));
    renumber();
    take_name(name);
  });
}

void Graph::set_outputs(std::vector<Argument> outputs) {
  for (const Argument& output : outputs) {
    check(!output.is_value_list(),
          "graph results are flat: values or attributes, not lists:", name_);
  }
  check_operands(return_op(), outputs);
  assign_arguments(return_, std::move(outputs));
  touched(return_, Touch::structure);
}

std::span<const Argument> Graph::outputs() const { return return_->arguments_; }

Node* Graph::first() const { return head_ == return_ ? nullptr : head_; }

Node* Graph::last() const { return return_->prev_; }

std::vector<Node*> Graph::in_order() const {
  std::vector<Node*> nodes;
  nodes.reserve(node_count_);
  for (Node* node = head_; node != return_; node = node->next_) nodes.push_back(node);
  return nodes;
}

std::vector<Node*> Graph::in_order(std::string_view op_name) const {
  std::vector<Node*> nodes;
  for (Node* node = head_; node != return_; node = node->next_) {
    if (node->is(op_name)) nodes.push_back(node);
  }
  return nodes;
}

Node* Graph::find_node(uint32_t id) const {
  if (id >= nodes_.size() || !nodes_[id] || nodes_[id]->erased_) return nullptr;
  return nodes_[id].get();
}

void Graph::check_live(const Node* node) const {
  check(node != nullptr, "a node to edit must not be null");
  check(!node->erased_, "a node to edit must not be erased already:", node->op().name(),
        node->id());
  check(node->graph_ == this, "a node must be edited through its own graph:", node->op().name(),
        "belongs to", node->graph_->name(), "not", name_);
}

void Graph::check_operands(const OpInfo& op, std::span<const Argument> arguments) const {
  for (const Argument& argument : arguments) {
    for (const Value value : argument.values()) {
      if (!value) {
        check(argument.is_value_list(), "an operand must not be null:", op.name());
        continue;
      }
      check(value.graph() == this, "operands must belong to the graph of the node:", op.name(),
            "in", name_, "reads", value.name());
      check(value.producer() == nullptr || !value.producer()->erased_,
            "operands must not come from an erased node:", op.name());
    }
  }
}

Node* Graph::create(const OpInfo& op, std::vector<Argument> arguments) {
  bind_arguments(op, arguments, *module_);
  check_operands(op, arguments);
  std::vector<ValueType> types;
  if (op.infer == nullptr) {
    require(op.schema.returns.empty(),
            "an operator without type inference needs its result types stated:", op.name());
    return insert(op, std::move(arguments), std::move(types));
  }
  FreshSymbols context(*module_);
  try {
    types = op.infer(op, arguments, context);
  } catch (Error& error) {
    error.add_note("while inferring the results of " + std::string(op.name()));
    throw;
  }
  return insert(op, std::move(arguments), std::move(types));
}

Node* Graph::create(std::string_view op_name, std::vector<Argument> arguments) {
  const OpInfo* op = module_->ops().find(op_name);
  if (op == nullptr) {
    std::string names;
    for (const std::string& name : module_->ops().suggestions(op_name)) names += " " + name;
    fail(ErrorCode::not_found, "the operator set must know an operator to call it:", op_name,
         names.empty() ? "" : "; similar:" + names);
  }
  return create(*op, std::move(arguments));
}

Node* Graph::create_typed(const OpInfo& op, std::vector<Argument> arguments,
                          std::vector<ValueType> types) {
  bind_arguments(op, arguments, *module_);
  check_operands(op, arguments);
  check_results(op, types);
  return insert(op, std::move(arguments), std::move(types));
}

Node* Graph::clone(const Node& node, const std::function<Value(Value)>& map) {
  check(&node.graph().module() == module_,
        "a node can be cloned within its module only:", node.op().name());
  std::vector<Argument> arguments(node.arguments().begin(), node.arguments().end());
  for (Argument& argument : arguments) {
    for (Value& value : argument.values_) {
      if (value) value = map(value);
    }
  }
  check_operands(node.op(), arguments);
  std::vector<ValueType> types;
  for (const Value output : node.outputs()) types.push_back(output.type());
  Node* copy = insert(node.op(), std::move(arguments), std::move(types));
  copy->location_ = node.location();
  copy->annotations_ = node.annotations();
  adopt_annotations(copy);
  for (size_t i = 0; i < node.output_count(); ++i) {
    if (!node.output(i).name().empty()) set_name(copy->output(i), node.output(i).name());
  }
  return copy;
}

Node* Graph::insert(const OpInfo& op, std::vector<Argument> arguments,
                    std::vector<ValueType> types) {
  nodes_.push_back(std::unique_ptr<Node>(new Node()));
  Node* node = nodes_.back().get();
  node->op_ = &op;
  node->graph_ = this;
  node->id_ = static_cast<uint32_t>(nodes_.size() - 1);
  node->output_count_ = types.size();
  node->outputs_ = std::make_unique<ValueData[]>(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    ValueData& output = node->outputs_[i];
    output.type = std::move(types[i]);
    output.graph = this;
    output.producer = node;
    output.index = i;
  }
  adopt_origin(node);
  link_before(node, insertion_);
  record([this, node] {
    unlink(node);
    node->erased_ = true;
    ++erased_count_;
  });
  assign_arguments(node, std::move(arguments));
  ++edit_count_;
  ++structural_epoch_;
  if (journal_) journal_->touched.push_back(node);
  for (GraphObserver* observer : observers_) observer->created(*node);
  return node;
}

void Graph::adopt_origin(Node* node) {
  const Origin* origin = origin_;
  const bool merged = origin != nullptr && origin->node == nullptr;
  if (merged) {
    node->location_ = origin->location;
    node->annotations_ = origin->annotations;
    node->provenance_ = origin->history;
  } else if (origin != nullptr) {
    node->location_ = origin->node->location_;
    node->annotations_ = origin->node->annotations_;
    node->provenance_ = origin->node->provenance_;
  }
  adopt_annotations(node);
  const std::string& pass = module_->current_pass();
  if (pass.empty() && !merged) return;
  Provenance step{pass, merged ? "replace" : "create", {}};
  if (origin != nullptr) step.sources = origin->sources;
  node->provenance_.push_back(std::move(step));
}

void Graph::adopt_annotations(Node* node) const {
  if (annotations_ == nullptr) return;
  for (const auto& [key, value] : *annotations_) node->annotations_.insert_or_assign(key, value);
}

}  // namespace litz::ir
