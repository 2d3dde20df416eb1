// Which values of a graph share memory, and how each came from the value that first held it.
//
//   %a = aten.relu(%x)          base %a                      class 1
//   %b = aten.permute(%a, ..)   base %a, chain [%b]          class 1
//   %c = aten.add_.Tensor(%b)   base %a, chain [%b, %c]      class 1
//
// A result shares memory with an argument when the operator's schema gives both one alias letter
// (and the types permit it: `to` may return its operand), or when the operator is a view (of its
// first tensor). Calls of child graphs share what their
// bodies return from their arguments. Values of different classes never share memory, as far as
// operators say; two graph arguments share memory only when told so. Only tensors have a class.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/epoch_stamp.h"
#include "ir/graph.h"

namespace litz::ir {

class AliasClasses {
 public:
  /// No class: scalars, tokens, results without a value.
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Groups of graph arguments, by position, that lie in one memory.
  using SharedInputs = std::span<const std::vector<size_t>>;

  /// One pass over nodes and operands, also of the child graphs that are called.
  explicit AliasClasses(const Graph& graph, SharedInputs shared = {});

  // All of these check-fail when the graph was edited since.

  /// Values are in one class exactly when they may share memory; numbered from 0 by first value.
  uint32_t class_of(Value value) const;
  size_t class_count() const;
  /// All values of a class: graph arguments first, then results in graph order.
  std::span<const Value> members(uint32_t alias_class) const;

  bool may_share(Value a, Value b) const;

  /// The value that `value` is directly a view (or a new name) of; null when it is a base.
  Value viewed(Value value) const;
  /// The value that first held the memory: `value` itself unless it is a view. Null for non-tensors.
  Value base(Value value) const;
  /// The nodes that lead from the base to `value`, in that order.
  std::vector<const Node*> view_chain(Value value) const;

  /// A pass that keeps the classes right says so.
  void renew() { stamp_.renew(); }

  bool is_current() const { return stamp_.is_current(); }

  const Graph& graph() const { return stamp_.graph(); }

 private:
  friend class AliasAnalysis;

  struct Empty {};

  AliasClasses(const Graph& graph, Empty);

  struct Entry {
    Value value;
    uint32_t viewed = kNone;  // Entry of the value that this one is a view of.
    uint32_t base = kNone;
    uint32_t alias_class = kNone;
  };

  const Entry& entry(Value value) const;
  uint32_t index_of(Value value) const;

  EpochStamp stamp_;
  std::vector<Entry> entries_;          ///< Graph arguments, then results in graph order.
  std::vector<uint32_t> first_result_;  ///< Entry of result 0 by node id; kNone for erased nodes.
  std::vector<uint32_t> first_member_;  ///< By class: where its values begin; one more at the end.
  std::vector<Value> members_;
};

}  // namespace litz::ir
