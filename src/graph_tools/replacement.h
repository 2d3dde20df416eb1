// Replaces n nodes of a graph by m others, and keeps their metadata.
//
//   Replacement bucket(graph, gathers);                       // new nodes go behind the last gather
//   Node* all = graph.create("c10d.all_gather", {...});
//   bucket.commit({all->output(0), all->output(1)});          // one value per replaced result
//
// New nodes get the merged annotations of all replaced ones, the source location of the first, and
// a provenance step that names all. Types must not change unless the caller permits it.

#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The permitted changes of the types that readers see; a bit set.
enum class TypeChange : uint8_t {
  none = 0,
  dtype = 1u << 0,
  device = 1u << 1,
  sizes = 1u << 2,
  layout = 1u << 3,  ///< Strides and offset.
  any = 0xff,        ///< Even from a tensor to another kind of value.
};

constexpr TypeChange operator|(TypeChange a, TypeChange b) {
  return static_cast<TypeChange>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}

/// Names a field in which the types differ without permission by `may_change`; empty if there is
/// none. Strides of dimensions with at most one element are ignored.
std::string forbidden_change(const ValueType& from, const ValueType& to, TypeChange may_change);

class Replacement {
 public:
  /// `sources` are nodes of the graph in any order, each once, at least one. Throws if their
  /// annotations must not be merged.
  Replacement(Graph& graph, std::span<Node* const> sources);

  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// The replaced nodes in graph order.
  std::span<Node* const> sources() const { return sources_; }

  /// Replaces every result of the sources, in order, by `results`, with uses and names, and erases
  /// the sources. A null value is for a result without uses. Readers before the new nodes are moved
  /// behind them. Check-fails, with the graph unchanged, if a type changes without permission, a
  /// result is itself replaced, or a new node reads a value that it replaces.
  void commit(std::span<const Value> results, TypeChange may_change = TypeChange::none);

  void commit(std::initializer_list<Value> results, TypeChange may_change = TypeChange::none) {
    commit(std::span<const Value>(results.begin(), results.size()), may_change);
  }

 private:
  std::vector<Value> replaced() const;
  void check_results(std::span<const Value> results, TypeChange may_change) const;
  bool is_source(const Node* node) const;

  Graph& graph_;
  std::vector<Node*> sources_;
  Graph::InsertionScope scope_;
};

}  // namespace litz::ir
