// Graph IR: SSA with multi-result nodes, flat values, intrusive uses, order labels, annotations.
//
//   graph @main(%x: f32[4, s0], %w: f32[s0, 8]) -> (f32[4, 8]) {
//     %m = aten.mm(%x, %w) : f32[4, 8]
//     %q:2 = aten.std_mean(%m) : (f32[], f32[])
//     return %q#1
//   }
//
// A Module owns graphs, symbols and the operator set; a Graph owns its nodes. Nodes and values have
// stable addresses until erased. All edits go through Graph's methods, which keep uses, order,
// names and observers right and count every edit.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expr.h"
#include "ir/annotations.h"
#include "ir/op_info.h"
#include "ir/value.h"

namespace litz::ir {

class Graph;
class Module;
class Node;
struct Use;

/// The origin of a node: the exported program's Python source and module.
struct Location {
  std::string file;
  int line = 0;
  std::string module_path;  ///< "encoder.layer.0.attention"
  std::string stack_trace;  ///< The whole text if it was kept.
  bool operator==(const Location&) const = default;
};

/// One step of a node's history: the pass that created or changed it, and the source nodes.
struct Provenance {
  std::string pass;               ///< Empty outside passes.
  std::string action;             ///< "create", "change", "replace"
  std::vector<uint32_t> sources;  ///< Ids of the source nodes.
};

class Node {
 public:
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const OpInfo& op() const { return *op_; }

  bool is(std::string_view op_name) const { return op_->name() == op_name; }

  Graph& graph() const { return *graph_; }

  uint32_t id() const { return id_; }  ///< Never reused in a graph.

  std::span<const Argument> arguments() const { return arguments_; }

  /// By schema name; check-fails when the operator has no such argument.
  const Argument& argument(std::string_view name) const;
  /// A scalar argument, or a host scalar value; check-fails for others.
  Expr scalar(std::string_view name) const;
  /// A list of constant integers; check-fails for others, including symbolic ones.
  std::vector<int64_t> ints(std::string_view name) const;

  /// Flattened value operands, without null entries of lists.
  size_t input_count() const;
  Value input(size_t i) const;

  size_t output_count() const { return output_count_; }

  Value output(size_t i = 0) const;
  std::vector<Value> outputs() const;

  const Location& location() const { return location_; }

  const Annotations& annotations() const { return annotations_; }

  std::span<const Provenance> provenance() const { return provenance_; }

  /// Neighbours in graph order, null at the ends; no node's `next` is the terminator. From an
  /// erased node, `next` leads back into the graph, so a loop may erase its current node.
  Node* next() const;

  Node* prev() const { return prev_; }

  /// Erased nodes stay readable until Graph::collect_erased, but are no longer part of the graph.
  bool is_erased() const { return erased_; }

  /// O(1) by order labels.
  bool is_before(const Node& other) const { return label_ < other.label_; }

 private:
  friend class Graph;
  friend class Value;
  friend class Verifier;

  Node();
  const OpInfo* op_ = nullptr;
  Graph* graph_ = nullptr;
  uint32_t id_ = 0;
  std::vector<Argument> arguments_;
  std::unique_ptr<Use[]> uses_;
  size_t use_count_ = 0;
  std::unique_ptr<ValueData[]> outputs_;
  size_t output_count_ = 0;
  bool erased_ = false;
  bool has_order_edges_ = false;
  Node* prev_ = nullptr;
  Node* next_ = nullptr;
  uint64_t label_ = 0;
  Location location_;
  Annotations annotations_;
  std::vector<Provenance> provenance_;
};

/// Notified of every edit; passes that draw, bisect or record provenance subscribe.
class GraphObserver {
 public:
  virtual ~GraphObserver() = default;

  virtual void created(const Node&) {}

  virtual void erased(const Node&) {}

  virtual void uses_replaced(Value /*from*/, Value /*to*/) {}

  virtual void changed(const Node&) {}

  /// Edits since the transaction began were undone; earlier notifications about them no longer
  /// hold.
  virtual void rolled_back(const Graph&) {}
};

class Graph {
 public:
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Module& module() const { return *module_; }

  uint32_t id() const { return id_; }

  const std::string& name() const { return name_; }

  // --- Arguments and results
  Value add_input(std::string name, ValueType type);
  size_t input_count() const;
  Value input(size_t i) const;
  std::vector<Value> inputs() const;
  void erase_input(size_t i);  ///< Refused while used.
  /// The results of the graph: values or attributes (literals, symbolic scalars, none).
  void set_outputs(std::vector<Argument> outputs);
  std::span<const Argument> outputs() const;

  /// The terminator that holds the outputs as its arguments; always last.
  Node* return_node() const { return return_; }

  // --- Order. Iteration excludes the terminator and allows erasing the current node.
  Node* first() const;
  Node* last() const;

  size_t node_count() const { return node_count_; }

  /// A snapshot of the nodes in order; with a name, only calls of that operator.
  std::vector<Node*> in_order() const;
  std::vector<Node*> in_order(std::string_view op_name) const;
  /// The node with that id; null if it was erased.
  Node* find_node(uint32_t id) const;

  // --- Creation. New nodes go before the insertion point (default: the terminator).
  /// The operator infers types; missing trailing arguments take schema defaults.
  Node* create(const OpInfo& op, std::vector<Argument> arguments);
  Node* create(std::string_view op_name, std::vector<Argument> arguments);
  /// The caller states types (imported programs, operators without inference).
  Node* create_typed(const OpInfo& op, std::vector<Argument> arguments,
                     std::vector<ValueType> types);
  /// Clones a node of this or another graph of the module with operands mapped.
  Node* clone(const Node& node, const std::function<Value(Value)>& map);

  class InsertionScope;
  /// Creates nodes before `node` until the scope ends; copies location, annotations, provenance.
  [[nodiscard]] InsertionScope insert_before(Node* node);
  [[nodiscard]] InsertionScope insert_after(Node* node);
  /// Creates nodes before `position` that replace `sources`: they get the merged annotations (see
  /// annotations.h; throws on a conflict), the source location of the first, and a provenance step
  /// that names all. Without sources new nodes get nothing, which suits synthesised helpers.
  [[nodiscard]] InsertionScope insert_for(Node* position, std::span<Node* const> sources);

  class AnnotationScope;
  /// Until the scope ends, every node created or cloned in this graph gets these annotations, in
  /// preference to those of its origin. Scopes nest; the inner value of a key wins.
  [[nodiscard]] AnnotationScope annotate(const Annotations& annotations);

  // --- Edits
  void set_input(Node* node, size_t i, Value value);
  void set_argument(Node* node, std::string_view name, Argument argument);
  /// Uses in the producer of `to` stay, so a value can be wrapped: replace_uses(x, f(x)).
  void replace_uses(Value from, Value to);
  /// Replaces only the uses in nodes for which `filter` holds.
  void replace_uses_if(Value from, Value to, const std::function<bool(const Node&)>& filter);
  void set_type(Value value, ValueType type);
  void set_name(Value value, std::string_view hint);  ///< Made legal and unique; empty: no name.
  void set_location(Node* node, Location location);
  void set_annotations(Node* node, Annotations annotations);
  void add_provenance(Node* node, Provenance provenance);
  void move_before(Node* node, Node* position);
  /// Fails with "tried to erase ... still had N users" if the node is used.
  void erase(Node* node);
  /// Erases the node if it is unused and free of effects; true if it did.
  bool erase_if_unused(Node* node);
  /// Frees erased nodes; pointers to them dangle afterwards. Not inside a transaction.
  void collect_erased();

  // --- Transactions: a rollback undoes all edits since begin exactly. They nest.
  void begin_transaction();
  /// Committing the outermost one keeps all edits, and check-fails if a touched node reads a later
  /// node or is read by an earlier one.
  void commit_transaction();
  void rollback_transaction();

  bool in_transaction() const { return journal_ != nullptr; }

  uint64_t edit_count() const { return edit_count_; }

  /// Grows with every change of nodes, operands, results or order. It never returns to an old
  /// value, not even by a rollback, so analyses are stamped with it: see epoch_stamp.h.
  uint64_t structural_epoch() const { return structural_epoch_; }

  /// Grows with every change of a value's type.
  uint64_t type_epoch() const { return type_epoch_; }

  void add_observer(GraphObserver* observer);
  void remove_observer(GraphObserver* observer);
  /// Extra ordering edges (asserts, symbol definitions): `first` must stay before `second`.
  void add_order_edge(Node* first, Node* second);

  std::span<const std::pair<Node*, Node*>> order_edges() const { return order_edges_; }

 private:
  friend class Module;
  friend class Verifier;
  struct Journal;
  struct Origin;
  // The kind of change, for the epochs.
  enum class Touch : uint8_t { structure, types, labels };
  Graph(Module& module, uint32_t id, std::string name);

  // --- Creation (graph.cpp).
  Node* insert(const OpInfo& op, std::vector<Argument> arguments, std::vector<ValueType> types);
  void adopt_origin(Node* node);
  void adopt_annotations(Node* node) const;
  void check_operands(const OpInfo& op, std::span<const Argument> arguments) const;
  void check_live(const Node* node) const;

  // --- Uses (graph_edit.cpp).
  void set_slot(Use& use, Value value);
  void assign_arguments(Node* node, std::vector<Argument> arguments);
  void unlink_uses(Node* node);
  void touched(Node* node, Touch touch);
  void erase_order_edges(const Node* node);

  // --- Order (graph_order.cpp).
  void link_before(Node* node, Node* position);
  void unlink(Node* node);
  void place(Node* node);
  void relabel_around(Node* node);

  // --- Names (graph_names.cpp).
  std::string unique_name(std::string_view hint);
  void take_name(const std::string& name);
  void release_name(const std::string& name);

  template <typename Undo>
  void record(Undo undo);
  void undo_until(size_t mark);
  void check_neighbourhood(std::vector<const Node*> touched) const;

  Module* module_;
  uint32_t id_;
  std::string name_;
  std::vector<std::unique_ptr<ValueData>> inputs_;
  std::vector<std::unique_ptr<Node>> nodes_;  ///< By id, including erased ones.
  Node* head_ = nullptr;                      ///< First node; the terminator when empty.
  Node* return_ = nullptr;
  Node* insertion_ = nullptr;
  const Origin* origin_ = nullptr;            ///< The innermost insertion scope's.
  const Annotations* annotations_ = nullptr;  ///< The innermost annotation scope's.
  size_t node_count_ = 0;
  size_t erased_count_ = 0;
  uint64_t edit_count_ = 0;
  uint64_t structural_epoch_ = 0;
  uint64_t type_epoch_ = 0;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, uint32_t, std::less<>> name_counters_;
  std::vector<GraphObserver*> observers_;
  std::vector<std::pair<Node*, Node*>> order_edges_;
  std::set<std::pair<uint32_t, uint32_t>> order_edge_ids_;  ///< The same, by node id.
  std::unique_ptr<Journal> journal_;
};

/// A scoped insertion point.
class Graph::InsertionScope {
 public:
  ~InsertionScope();
  InsertionScope(const InsertionScope&) = delete;
  InsertionScope& operator=(const InsertionScope&) = delete;

 private:
  friend class Graph;
  InsertionScope(Graph& graph, Node* position, std::unique_ptr<Origin> origin);

  Graph& graph_;
  Node* saved_;
  const Origin* saved_origin_;
  std::unique_ptr<Origin> origin_;
};

/// Annotates all nodes created during its lifetime, even if an exception ends it.
class Graph::AnnotationScope {
 public:
  ~AnnotationScope() { graph_.annotations_ = saved_; }

  AnnotationScope(const AnnotationScope&) = delete;
  AnnotationScope& operator=(const AnnotationScope&) = delete;

 private:
  friend class Graph;
  AnnotationScope(Graph& graph, Annotations annotations);

  Graph& graph_;
  const Annotations* saved_;
  Annotations merged_;  ///< Merged with those of outer scopes.
};

class Module {
 public:
  explicit Module(std::shared_ptr<const OpSet> ops);
  /// A module over the symbols of others: sizes can then be stated in all of them.
  Module(std::shared_ptr<const OpSet> ops, std::shared_ptr<ExprPool> exprs);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const OpSet& ops() const { return *ops_; }

  std::shared_ptr<const OpSet> shared_ops() const { return ops_; }

  ExprPool& exprs() { return *exprs_; }

  const ExprPool& exprs() const { return *exprs_; }

  const std::shared_ptr<ExprPool>& shared_exprs() const { return exprs_; }

  Graph& add_graph(std::string name);  ///< The name is made legal and unique.
  Graph& graph(GraphRef ref) const;

  bool contains(GraphRef ref) const { return ref.id < graphs_.size() && graphs_[ref.id]; }

  Graph* find_graph(std::string_view name) const;
  std::vector<Graph*> graphs() const;
  void erase_graph(GraphRef ref);

  /// A new data-dependent symbol `u<N>` (`zuf<N>` in the real domain) with the next free number.
  Expr fresh_symbol(Interval range, ExprDomain domain = ExprDomain::integer);

  /// The running pass; new and changed nodes name it in their provenance. Empty: none.
  const std::string& current_pass() const { return current_pass_; }

  void set_current_pass(std::string name) { current_pass_ = std::move(name); }

 private:
  std::shared_ptr<const OpSet> ops_;
  std::shared_ptr<ExprPool> exprs_;
  std::vector<std::unique_ptr<Graph>> graphs_;  ///< By id; erased ones are null.
  std::map<std::string, Graph*, std::less<>> graphs_by_name_;
  uint32_t next_symbol_ = 0;
  std::string current_pass_;
};

}  // namespace litz::ir
