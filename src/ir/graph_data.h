// The storage behind Value, use lists and transactions; only the graph's own sources include it.
//
// A use is one operand slot. It is linked in the use list of its value and records which argument
// it mirrors. Undo relies on two properties: slots and nodes of a transaction stay allocated until
// it ends, and edits are undone in reverse, so the list neighbours recorded at unlinking are right
// again.

#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

struct Use {
  ValueData* value = nullptr;
  Use* prev = nullptr;
  Use* next = nullptr;
  Node* user = nullptr;
  uint32_t argument = 0;
  uint32_t element = 0;

  /// The position of a slot in a use list.
  struct Position {
    ValueData* value = nullptr;
    Use* prev = nullptr;
    Use* next = nullptr;
  };

  void link(ValueData* to);  ///< Appends to the list.
  Position unlink();
  void restore(const Position& position);
};

struct ValueData {
  ValueType type;
  std::string name;
  Graph* graph = nullptr;
  Node* producer = nullptr;
  size_t index = 0;
  Use* first_use = nullptr;
  Use* last_use = nullptr;
};

/// What new nodes of an insertion scope inherit.
struct Graph::Origin {
  const Node* node = nullptr;  ///< The only source; null: several, merged below.
  Location location;
  Annotations annotations;
  std::vector<Provenance> history;
  std::vector<uint32_t> sources;
};

struct Graph::Journal {
  std::vector<std::function<void()>> undo;
  std::vector<size_t> marks;         ///< Length of `undo` when each open transaction began.
  std::vector<const Node*> touched;  ///< New and changed nodes, with repeats and erased ones.
};

template <typename Undo>
void Graph::record(Undo undo) {
  if (journal_) journal_->undo.push_back(std::move(undo));
}

/// Completes and checks arguments against a schema; argument_binding.cpp has the rules.
void bind_arguments(const OpInfo& op, std::vector<Argument>& arguments, const Module& module);

/// Supplies fresh symbols for data-dependent results of new nodes.
class FreshSymbols : public InferContext {
 public:
  explicit FreshSymbols(Module& module) : module_(module) {}

  Module& module() override { return module_; }

  Expr data_dependent(int /*ordinal*/, Interval range) override {
    return module_.fresh_symbol(range);
  }

 private:
  Module& module_;
};

/// Requires that stated types fit the results in the schema of a user's operator. One list in the
/// schema matches any number of tensors.
void check_results(const OpInfo& op, std::span<const ValueType> types);

/// The operator of terminators, with any number of arguments of any kind.
const OpInfo& return_op();

}  // namespace litz::ir
