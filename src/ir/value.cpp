// Reads values, arguments and nodes; implements the use list.

#include <algorithm>

#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {

void Use::link(ValueData* to) { restore({to, to->last_use, nullptr}); }

Use::Position Use::unlink() {
  const Position position{value, prev, next};
  (prev != nullptr ? prev->next : value->first_use) = next;
  (next != nullptr ? next->prev : value->last_use) = prev;
  value = nullptr;
  prev = next = nullptr;
  return position;
}

void Use::restore(const Position& position) {
  value = position.value;
  prev = position.prev;
  next = position.next;
  (prev != nullptr ? prev->next : value->first_use) = this;
  (next != nullptr ? next->prev : value->last_use) = this;
}

Argument::Argument() = default;

Argument::Argument(Attribute attribute) : attribute_(std::move(attribute)) {}

Argument::Argument(Value value) : is_value_(true), values_{value} {}

Argument::Argument(std::vector<Value> values) : is_list_(true), values_(std::move(values)) {}

Argument::Argument(Expr scalar) : attribute_(scalar) {}

Argument::Argument(int64_t scalar) : attribute_(Expr(scalar)) {}

Argument::Argument(int scalar) : attribute_(Expr(scalar)) {}

Argument::Argument(Scalars scalars) : attribute_(std::move(scalars)) {}

Argument::Argument(DType dtype) : attribute_(dtype) {}

Argument::Argument(GraphRef graph) : attribute_(graph) {}

Argument::Argument(std::string text) : attribute_(std::move(text)) {}

Argument::Argument(const Argument& other) = default;
Argument::Argument(Argument&& other) noexcept = default;
Argument& Argument::operator=(const Argument& other) = default;
Argument& Argument::operator=(Argument&& other) noexcept = default;
Argument::~Argument() = default;

bool Argument::operator==(const Argument& other) const {
  return is_value_ == other.is_value_ && is_list_ == other.is_list_ && values_ == other.values_ &&
         is_identical(attribute_, other.attribute_);
}

const ValueType& Value::type() const {
  check(data_ != nullptr, "a value that is read must not be null");
  return data_->type;
}

// Printing a type costs more than most readers do with it, so only error messages print it.
const TensorType& Value::tensor() const {
  const auto* tensor = std::get_if<TensorType>(&type());
  if (tensor == nullptr)
    check(false, "a value read as a tensor must be one:", name(), to_string(type()));
  return *tensor;
}

const ScalarType& Value::scalar() const {
  const auto* scalar = std::get_if<ScalarType>(&type());
  if (scalar == nullptr)
    check(false, "a value read as a scalar must be one:", name(), to_string(type()));
  return *scalar;
}

const std::string& Value::name() const { return data_->name; }

Node* Value::producer() const { return data_->producer; }

size_t Value::index() const { return data_->index; }

Graph* Value::graph() const { return data_->graph; }

bool Value::has_uses() const { return data_->first_use != nullptr; }

size_t Value::use_count() const {
  size_t count = 0;
  for (const Use* use = data_->first_use; use != nullptr; use = use->next) ++count;
  return count;
}

std::vector<Node*> Value::users() const {
  std::vector<Node*> users;
  for (const Use* use = data_->first_use; use != nullptr; use = use->next) {
    users.push_back(use->user);
  }
  if (users.size() < 2) return users;
  // Removes duplicates by sorting positions, not by hashing addresses, which would make the order
  // random.
  std::vector<std::pair<uint32_t, size_t>> by_id;
  by_id.reserve(users.size());
  for (size_t i = 0; i < users.size(); ++i) by_id.emplace_back(users[i]->id(), i);
  std::sort(by_id.begin(), by_id.end());
  for (size_t i = 1; i < by_id.size(); ++i) {
    if (by_id[i].first == by_id[i - 1].first) users[by_id[i].second] = nullptr;
  }
  std::erase(users, nullptr);
  return users;
}

std::vector<UseSite> Value::uses() const {
  std::vector<UseSite> sites;
  for (const Use* use = data_->first_use; use != nullptr; use = use->next) {
    sites.push_back({use->user, use->argument, use->element});
  }
  return sites;
}

Value Argument::value() const {
  check(is_value_, "an argument read as a value must hold one");
  return values_.front();
}

Node::Node() = default;
Node::~Node() = default;

const Argument& Node::argument(std::string_view name) const {
  const int i = op_->schema.find(name);
  check(i >= 0, "an operator has the arguments of its schema:", op_->name(), "has no", name);
  return arguments_[static_cast<size_t>(i)];
}

Expr Node::scalar(std::string_view name) const {
  const Argument& given = argument(name);
  if (given.is_value()) return given.value().scalar().value;
  const Expr* expr = std::get_if<Expr>(&given.attribute());
  check(given.is_attribute() && expr != nullptr,
        "an argument read as a scalar must be one:", op_->name(), name);
  return *expr;
}

std::vector<int64_t> Node::ints(std::string_view name) const {
  const Argument& given = argument(name);
  const auto* scalars = std::get_if<Scalars>(&given.attribute());
  check(given.is_attribute() && scalars != nullptr,
        "an argument read as integers must be a list:", op_->name(), name);
  std::vector<int64_t> ints;
  ints.reserve(scalars->size());
  for (const Expr& value : *scalars) ints.push_back(value.constant());
  return ints;
}

size_t Node::input_count() const { return use_count_; }

Value Node::input(size_t i) const {
  check(i < use_count_, "an operand index must be in range:", op_->name(), i, use_count_);
  return Value(uses_[i].value);
}

Value Node::output(size_t i) const {
  check(i < output_count_, "a result index must be in range:", op_->name(), i, output_count_);
  return Value(&outputs_[i]);
}

std::vector<Value> Node::outputs() const {
  std::vector<Value> values;
  values.reserve(output_count_);
  for (size_t i = 0; i < output_count_; ++i) values.emplace_back(&outputs_[i]);
  return values;
}

Node* Node::next() const {
  Node* node = next_;
  while (node != nullptr && node->erased_) node = node->next_;
  return node != nullptr && node->next_ != nullptr ? node : nullptr;
}

}  // namespace litz::ir
