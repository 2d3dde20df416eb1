// Finds which values of a graph share memory, and how each derives from the value that first held
// it.
//
//   %a = aten.relu(%x)          base %a                      class 1
//   %b = aten.permute(%a, ..)   base %a, chain [%b]          class 1
//   %c = aten.add_.Tensor(%b)   base %a, chain [%b, %c]      class 1
//
// A result shares memory with an argument if the operator's schema gives both the same alias letter
// (and the types permit it: `to` may return its operand), or if the operator is a view (of its
// first tensor). Calls of child graphs share what their bodies return from their arguments. Values
// of different classes never share memory, according to their operators; two graph arguments share
// memory only if the caller says so. Only tensors have a class.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/epoch_stamp.h"
#include "ir/graph.h"

namespace litz::ir {

class AliasClasses {
 public:
  /// The class of values without memory: scalars, tokens, results without a value.
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Groups of graph arguments, by position, that share memory.
  using SharedInputs = std::span<const std::vector<size_t>>;

  /// Visits nodes and operands once, including those of called child graphs.
  explicit AliasClasses(const Graph& graph, SharedInputs shared = {});

  // All of these check-fail if the graph was edited since.

  /// Values are in the same class exactly if they may share memory; numbered from 0 by first value.
  uint32_t class_of(Value value) const;
  size_t class_count() const;
  /// All values of a class: graph arguments first, then results in graph order.
  std::span<const Value> members(uint32_t alias_class) const;

  bool may_share(Value a, Value b) const;

  /// The value that `value` is directly a view or another name of; null for a base.
  Value viewed(Value value) const;
  /// The value that first held the memory: `value` itself unless it is a view; null for
  /// non-tensors.
  Value base(Value value) const;
  /// The nodes that lead from the base to `value`, in that order.
  std::vector<const Node*> view_chain(Value value) const;

  /// Called by a pass that kept the classes right.
  void renew() { stamp_.renew(); }

  bool is_current() const { return stamp_.is_current(); }

  const Graph& graph() const { return stamp_.graph(); }

 private:
  friend class AliasAnalysis;

  struct Empty {};

  AliasClasses(const Graph& graph, Empty);

  struct Entry {
    Value value;
    uint32_t viewed = kNone;  // The entry of the viewed value.
    uint32_t base = kNone;
    uint32_t alias_class = kNone;
  };

  const Entry& entry(Value value) const;
  uint32_t index_of(Value value) const;

  EpochStamp stamp_;
  std::vector<Entry> entries_;          ///< Graph arguments, then results in graph order.
  std::vector<uint32_t> first_result_;  ///< Entry of result 0 by node id; kNone for erased nodes.
  std::vector<uint32_t> first_member_;  ///< By class: the start of its values; one more at the end.
  std::vector<Value> members_;
};

}  // namespace litz::ir
