// Values, the flat currency of graphs, and the arguments of calls.
//
// A Value is a handle of one pointer to a result of a node or an argument of a graph. An intrusive
// list of operand slots holds its uses (graph_data.h), so replacing all uses and listing users
// takes time linear in their number.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/value_type.h"
#include "schema/attribute.h"

namespace litz::ir {

class Graph;
class Node;
struct ValueData;

/// One operand slot of a node: the argument's index and, in a value list, the element's.
struct UseSite {
  Node* user = nullptr;
  size_t argument = 0;
  size_t element = 0;
};

/// A result of a node or an argument of a graph; a handle, null by default.
class Value {
 public:
  Value() = default;

  explicit Value(ValueData* data) : data_(data) {}

  explicit operator bool() const { return data_ != nullptr; }

  friend bool operator==(Value a, Value b) { return a.data_ == b.data_; }

  const ValueType& type() const;
  /// Check-fails for other types.
  const TensorType& tensor() const;
  const ScalarType& scalar() const;

  bool is_tensor() const { return ir::is_tensor(type()); }

  /// Without the percent sign; unique in its graph, possibly empty before naming.
  const std::string& name() const;
  /// The node that defines it; null for a graph argument.
  Node* producer() const;
  /// The result's index in the producer, or the argument's in the graph.
  size_t index() const;
  Graph* graph() const;

  bool has_uses() const;
  size_t use_count() const;  ///< Counts operand slots, so x + x counts two. O(uses).
  /// Distinct reading nodes, in the order in which their uses were added (including the return
  /// node).
  std::vector<Node*> users() const;
  /// Every operand slot that holds the value, in the order in which uses were added.
  std::vector<UseSite> uses() const;

  ValueData* data() const { return data_; }

 private:
  ValueData* data_ = nullptr;
};

/// One argument of a call: an attribute, one value, or a list of values (null entries are None).
class Argument {
 public:
  Argument();                           ///< None.
  Argument(Attribute attribute);        // NOLINT
  Argument(Value value);                // NOLINT
  Argument(std::vector<Value> values);  // NOLINT
  Argument(Expr scalar);                // NOLINT
  Argument(int64_t scalar);             // NOLINT
  Argument(int scalar);                 // NOLINT
  Argument(Scalars scalars);            // NOLINT
  Argument(DType dtype);                // NOLINT
  Argument(GraphRef graph);             // NOLINT
  Argument(std::string text);           // NOLINT
  Argument(const Argument& other);
  Argument(Argument&& other) noexcept;
  Argument& operator=(const Argument& other);
  Argument& operator=(Argument&& other) noexcept;
  ~Argument();

  bool is_none() const {
    return !is_value_ && !is_list_ && std::holds_alternative<std::monostate>(attribute_);
  }

  bool is_value() const { return is_value_; }

  bool is_value_list() const { return is_list_; }

  bool is_attribute() const { return !is_value_ && !is_list_; }

  /// Check-fails unless it is one value.
  Value value() const;

  std::span<const Value> values() const { return values_; }

  const Attribute& attribute() const { return attribute_; }

  /// True for the same values or identical attributes.
  bool operator==(const Argument& other) const;

 private:
  friend class Node;
  friend class Graph;
  bool is_value_ = false;
  bool is_list_ = false;
  std::vector<Value> values_;
  Attribute attribute_;
};

}  // namespace litz::ir
