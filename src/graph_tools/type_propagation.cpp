// Infers types again. See type_propagation.h.

#include "graph_tools/type_propagation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "ir/child_graphs.h"
#include "ir/graph_data.h"
#include "ir/inferred_types.h"
#include "ir/printer.h"
#include "ir/symbol_replacement.h"
#include "support/check.h"

namespace litz::ir {
namespace {

using Types = std::vector<ValueType>;

bool is_before(const Node* a, const Node* b) { return a->is_before(*b); }

/// The nodes to visit, in graph order. Sparse: time in the number of added nodes; dense: one walk
/// over the graph, without a search tree.
class Worklist {
 public:
  enum class Kind : uint8_t { sparse, dense };

  Worklist(Graph& graph, Kind kind) : graph_(graph), kind_(kind) {
    if (kind == Kind::dense) next_ = graph.first();
  }

  void add(Node* node) {
    if (node == graph_.return_node()) return;
    if (kind_ == Kind::sparse) {
      sorted_.insert(node);
    } else {
      if (node->id() >= marked_.size()) marked_.resize(node->id() + size_t{1});
      marked_[node->id()] = true;
    }
  }

  Node* take() {
    if (kind_ == Kind::sparse) {
      if (sorted_.empty()) return nullptr;
      return sorted_.extract(sorted_.begin()).value();
    }
    while (next_ != nullptr) {
      Node* node = next_;
      next_ = node->next();
      if (node->id() < marked_.size() && marked_[node->id()]) return node;
    }
    return nullptr;
  }

 private:
  Graph& graph_;
  Kind kind_;
  Node* next_ = nullptr;
  std::vector<bool> marked_;  ///< By node id.
  std::set<Node*, bool (*)(const Node*, const Node*)> sorted_{is_before};
};

/// Transactions on several graphs, undone together unless kept.
class GraphEdits {
 public:
  explicit GraphEdits(Module& module) : module_(module) {}

  GraphEdits(const GraphEdits&) = delete;
  GraphEdits& operator=(const GraphEdits&) = delete;

  ~GraphEdits() {
    if (kept_) return;
    for (auto graph = graphs_.rbegin(); graph != graphs_.rend(); ++graph) {
      (*graph)->rollback_transaction();
    }
    for (const uint32_t copy : copies_) module_.erase_graph({copy});
  }

  void open(Graph& graph) {
    if (std::ranges::find(graphs_, &graph) != graphs_.end()) return;
    graph.begin_transaction();
    graphs_.push_back(&graph);
  }

  /// Registers a graph that did not exist before.
  void made(const Graph& copy) { copies_.push_back(copy.id()); }

  void keep() {
    kept_ = true;
    for (Graph* graph : graphs_) graph->commit_transaction();
  }

 private:
  Module& module_;
  bool kept_ = false;
  std::vector<Graph*> graphs_;
  std::vector<uint32_t> copies_;
};

class Propagation {
 public:
  Propagation(Module& module, const PropagationOptions& options)
      : module_(module), options_(options), edits_(module) {}

  GraphEdits& edits() { return edits_; }

  TypeUpdate finish() {
    edits_.keep();
    erase_abandoned();
    return std::move(update_);
  }

  void run(Worklist& work) {
    while (Node* node = work.take()) visit(*node, work);
  }

  void edited(std::span<Node* const> nodes) { edited_.insert(nodes.begin(), nodes.end()); }

  void set_input(Graph& graph, size_t i, const ValueType& type, Worklist& work) {
    if (graph.input(i).type() != type) set(graph.input(i), type, work);
  }

 private:
  void visit(Node& node, Worklist& work) {
    try {
      const bool has_children = has(node.op().traits, Trait::higher_order);
      if (has_children) enter_children(node);
      if (node.op().infer == nullptr) return pin(node);
      ++update_.inferred;
      Types types = infer(node);
      require(types.size() == node.output_count(), ErrorCode::invalid_argument,
              "an operator must keep the number of its results:", types.size(), "for",
              node.output_count());
      if (has_children) keep_symbols(node, types);
      bool changed = false;
      for (size_t i = 0; i < types.size(); ++i) {
        if (types[i] == node.output(i).type()) continue;
        set(node.output(i), std::move(types[i]), work);
        changed = true;
      }
      update_.changed += changed ? 1 : 0;
    } catch (Error& error) {
      error.add_note("while executing " + node_context(node));
      throw;
    }
  }

  void set(Value value, ValueType type, Worklist& work) {
    old_types_.try_emplace(value.data(), value.type());
    value.graph()->set_type(value, std::move(type));
    for (Node* user : value.users()) work.add(user);
  }

  void pin(Node& node) {
    if (node.output_count() == 0) return;
    const bool reads_changed = std::ranges::any_of(
        inputs(node), [&](Value input) { return old_types_.contains(input.data()); });
    if (!reads_changed && !edited_.contains(&node)) return;
    require(options_.keep_pinned, ErrorCode::invalid_argument,
            "an operator without inference cannot follow a change of types:", node.op().name());
    update_.pinned.push_back(&node);
  }

  static std::vector<Value> inputs(const Node& node) {
    std::vector<Value> values;
    values.reserve(node.input_count());
    for (size_t i = 0; i < node.input_count(); ++i) values.push_back(node.input(i));
    return values;
  }

  // Symbols of data-dependent results come from the node itself.
  class Symbols : public InferContext {
   public:
    Symbols(Propagation& owner, const Node& node) : owner_(owner), node_(node) {}

    Module& module() override { return owner_.module_; }

    Expr data_dependent(int ordinal, Interval range) override {
      if (!asked_) own_ = owner_.own_symbols(node_);
      asked_ = true;
      const auto index = static_cast<size_t>(ordinal);
      if (index < own_.size()) return own_[index];
      ++owner_.update_.fresh_symbols;
      return owner_.module_.fresh_symbol(range);
    }

   private:
    Propagation& owner_;
    const Node& node_;
    bool asked_ = false;
    std::vector<Expr> own_;
  };

  Types infer(const Node& node) {
    Symbols symbols(*this, node);
    return node.op().infer(node.op(), node.arguments(), symbols);
  }

  const ValueType& old_type(Value value) const {
    const auto found = old_types_.find(value.data());
    return found != old_types_.end() ? found->second : value.type();
  }

  std::vector<Expr> defined(const Node& node) const {
    std::vector<Expr> symbols =
        defined_symbols(node, [this](Value value) -> const ValueType& { return old_type(value); });
    std::erase_if(symbols, [](const Expr& symbol) { return !depends_on_data(symbol); });
    return symbols;
  }

  // A node keeps the symbols that it defined. But if the node itself was edited, a symbol that
  // others also define may now mean something else, or belong to an operand that it no longer has.
  std::vector<Expr> own_symbols(const Node& node) {
    std::vector<Expr> symbols = defined(node);
    if (!edited_.contains(&node)) return symbols;
    std::erase_if(symbols, [&](const Expr& symbol) { return definers(node.graph(), symbol) > 1; });
    return symbols;
  }

  size_t definers(const Graph& graph, const Expr& symbol) {
    const auto [counts, is_new] = definers_.try_emplace(graph.id());
    if (is_new) {
      for (const Value input : graph.inputs()) count_mentioned(old_type(input), counts->second);
      for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
        for (const Expr& each : defined(*node)) ++counts->second[each.symbol()];
      }
    }
    return counts->second[symbol.symbol()];
  }

  static void count_mentioned(const ValueType& type, std::map<SymbolId, size_t>& counts) {
    for (const Expr& symbol : mentioned_symbols(type)) ++counts[symbol.symbol()];
  }

  // A call's results use the symbols of its child, although another call of the child may return
  // other sizes. Symbols that the call had in these places before stay.
  void keep_symbols(const Node& node, Types& types) const {
    std::vector<SymbolReplacement> renamed;
    const auto learn = [&](const Expr& made, const Expr& had) {
      if (made == had || !made.is_symbol() || !had.is_symbol()) return;
      if (!depends_on_data(made) || !depends_on_data(had)) return;
      const auto same = [&](const SymbolReplacement& each) { return each.first == made.symbol(); };
      if (std::ranges::none_of(renamed, same)) renamed.emplace_back(made.symbol(), had);
    };
    for (size_t i = 0; i < types.size(); ++i) {
      const auto* made = std::get_if<TensorType>(&types[i]);
      const auto* had = std::get_if<TensorType>(&node.output(i).type());
      if (made != nullptr && had != nullptr && made->rank() == had->rank()) {
        for (size_t k = 0; k < made->rank(); ++k) learn(made->sizes[k], had->sizes[k]);
      }
      const auto* scalar = std::get_if<ScalarType>(&types[i]);
      const auto* old_scalar = std::get_if<ScalarType>(&node.output(i).type());
      if (scalar != nullptr && old_scalar != nullptr) learn(scalar->value, old_scalar->value);
    }
    if (renamed.empty()) return;
    for (ValueType& type : types) type = replace_symbols(std::move(type), renamed);
  }

  // --- Calls

  Types child_types(const Node& call, const Graph& child) const {
    if (options_.child_types) return options_.child_types(call, child);
    Types types;
    for (const Argument& argument : call.arguments()) {
      if (!argument.is_value_list()) continue;
      for (const Value value : argument.values()) {
        types.push_back(value ? value.type() : ValueType(NoneType{}));
      }
    }
    return types;
  }

  void enter_children(Node& call) {
    for (size_t i = 0; i < call.arguments().size(); ++i) {
      const Argument& given = call.arguments()[i];
      const auto* ref = given.is_attribute() ? std::get_if<GraphRef>(&given.attribute()) : nullptr;
      if (ref == nullptr) continue;
      Graph& child = module_.graph(*ref);
      const Types types = child_types(call, child);
      require(types.size() == child.input_count(), ErrorCode::invalid_argument,
              "a call must give its graph every argument:", types.size(), "for",
              child.input_count(), "of", child.name());
      if (std::ranges::equal(types, child.inputs(), {}, {}, [](Value v) { return v.type(); })) {
        continue;
      }
      Graph& special = specialised(child, types);
      if (&special != &child) {
        call.graph().set_argument(&call, call.op().schema.arguments[i].name,
                                  GraphRef{special.id()});
      }
    }
  }

  Graph& specialised(Graph& child, const Types& types) {
    std::vector<std::pair<Types, Graph*>>& known = specialised_[child.id()];
    for (const auto& [inputs, graph] : known) {
      if (inputs == types) return *graph;
    }
    Graph* graph = &child;
    if (call_count(child) > 1) {
      graph = &clone_graph(child, child.name());
      edits_.made(*graph);
      abandoned_.push_back(child.id());
    }
    known.emplace_back(types, graph);
    ++update_.child_graphs;
    propagate(*graph, types);
    return *graph;
  }

  size_t call_count(const Graph& child) {
    if (call_counts_.empty()) call_counts_ = count_calls();
    return call_counts_[child.id()];
  }

  std::map<uint32_t, size_t> count_calls() const {
    std::map<uint32_t, size_t> counts;
    for (const Graph* graph : module_.graphs()) {
      for (const Node* node = graph->first(); node != nullptr; node = node->next()) {
        if (!has(node->op().traits, Trait::higher_order)) continue;
        for (const Graph* child : child_graphs(*node)) ++counts[child->id()];
      }
    }
    return counts;
  }

  // Copies replaced these graphs in every call, but an outer transaction may still restore them.
  void erase_abandoned() {
    if (abandoned_.empty()) return;
    std::map<uint32_t, size_t> counts = count_calls();
    for (const uint32_t id : abandoned_) {
      const bool undoable = std::ranges::any_of(
          module_.graphs(), [](const Graph* graph) { return graph->in_transaction(); });
      if (counts[id] == 0 && module_.contains({id}) && !undoable) module_.erase_graph({id});
    }
  }

 public:
  /// Gives a graph other argument types, and updates everything that depends on them.
  void propagate(Graph& graph, std::span<const ValueType> types) {
    edits_.open(graph);
    Worklist work(graph, Worklist::Kind::dense);
    replace_in(graph, learned(graph, types), work);
    for (size_t i = 0; i < types.size(); ++i) set_input(graph, i, types[i], work);
    run(work);
  }

  void replace_in(Graph& graph, std::span<const SymbolReplacement> replacements, Worklist& work) {
    if (replacements.empty()) return;
    for (const Value input : graph.inputs()) {
      set_input(graph, input.index(), replace_symbols(input.type(), replacements), work);
    }
    for (Node* node = graph.first(); node != nullptr; node = node->next()) {
      if (replace_symbols(*node, replacements)) work.add(node);
    }
    replace_symbols(*graph.return_node(), replacements);
  }

  /// The new values of symbols of argument sizes.
  static std::vector<SymbolReplacement> learned(const Graph& graph,
                                                std::span<const ValueType> types) {
    std::map<SymbolId, Expr> meaning;
    const auto each_size = [&](const auto& visit) {
      for (size_t i = 0; i < types.size(); ++i) {
        const ValueType& old = graph.input(i).type();
        const auto* from = std::get_if<TensorType>(&old);
        const auto* to = std::get_if<TensorType>(&types[i]);
        if (from != nullptr && to != nullptr && from->rank() == to->rank()) {
          for (size_t k = 0; k < from->rank(); ++k) visit(from->sizes[k], to->sizes[k], i);
        }
        const auto* scalar = std::get_if<ScalarType>(&old);
        const auto* new_scalar = std::get_if<ScalarType>(&types[i]);
        if (scalar != nullptr && new_scalar != nullptr) visit(scalar->value, new_scalar->value, i);
      }
    };
    each_size([&](const Expr& from, const Expr& to, size_t) {
      if (from.is_symbol()) meaning.try_emplace(from.symbol(), to);
    });
    std::vector<SymbolReplacement> replacements;
    for (const auto& [symbol, to] : meaning) {
      if (!to.is_symbol() || to.symbol() != symbol) replacements.emplace_back(symbol, to);
    }
    each_size([&](const Expr& from, const Expr& to, size_t i) {
      if (from.is_constant()) return;
      require(substitute(from, replacements) == to, ErrorCode::invalid_argument,
              "sizes of arguments must agree about their symbols: argument", i,
              "of @" + graph.name(), "has", to, "where", from, "was");
    });
    return replacements;
  }

 private:
  Module& module_;
  const PropagationOptions& options_;
  GraphEdits edits_;
  TypeUpdate update_;
  std::set<const Node*> edited_;
  std::unordered_map<const ValueData*, ValueType> old_types_;  ///< The old types of changed values.
  std::map<uint32_t, std::map<SymbolId, size_t>> definers_;  ///< By graph: definitions per symbol.
  std::map<uint32_t, std::vector<std::pair<Types, Graph*>>> specialised_;  ///< By child graph.
  std::map<uint32_t, size_t> call_counts_;
  std::vector<uint32_t> abandoned_;
};

bool calls_any(const Node& node, const std::set<const Graph*>& graphs) {
  return has(node.op().traits, Trait::higher_order) &&
         std::ranges::any_of(child_graphs(node),
                             [&](const Graph* child) { return graphs.contains(child); });
}

}  // namespace

TypeUpdate infer_types(Graph& graph, const PropagationOptions& options) {
  Propagation propagation(graph.module(), options);
  for (Graph* each : post_order(graph)) {
    propagation.edits().open(*each);
    Worklist work(*each, Worklist::Kind::dense);
    for (Node* node = each->first(); node != nullptr; node = node->next()) work.add(node);
    propagation.run(work);
  }
  return propagation.finish();
}

TypeUpdate propagate_types(Graph& graph, std::span<const ValueType> inputs,
                           const PropagationOptions& options) {
  require(inputs.size() == graph.input_count(), ErrorCode::invalid_argument,
          "every argument of a graph must be given a type:", inputs.size(), "for",
          graph.input_count(), "of @" + graph.name());
  Propagation propagation(graph.module(), options);
  const std::vector<SymbolReplacement> replacements = Propagation::learned(graph, inputs);
  // Symbols are shared by all graphs, so the graphs below change first.
  std::set<const Graph*> replaced;
  const std::vector<Graph*> graphs = post_order(graph);
  for (Graph* each : graphs) {
    if (each == &graph || replacements.empty()) continue;
    propagation.edits().open(*each);
    replaced.insert(each);
    Worklist work(*each, Worklist::Kind::dense);
    propagation.replace_in(*each, replacements, work);
    for (Node* node = each->first(); node != nullptr; node = node->next()) {
      if (calls_any(*node, replaced)) work.add(node);
    }
    propagation.run(work);
  }
  propagation.edits().open(graph);
  Worklist work(graph, Worklist::Kind::dense);
  propagation.replace_in(graph, replacements, work);
  for (size_t i = 0; i < inputs.size(); ++i) propagation.set_input(graph, i, inputs[i], work);
  for (Node* node = graph.first(); node != nullptr && !replaced.empty(); node = node->next()) {
    if (calls_any(*node, replaced)) work.add(node);
  }
  propagation.run(work);
  return propagation.finish();
}

TypeUpdate update_types(Graph& graph, std::span<Node* const> edited,
                        const PropagationOptions& options) {
  Propagation propagation(graph.module(), options);
  propagation.edits().open(graph);
  propagation.edited(edited);
  Worklist work(graph, Worklist::Kind::sparse);
  for (Node* node : edited) {
    check(&node->graph() == &graph && !node->is_erased(),
          "only nodes of the graph can be inferred in it:", graph.name());
    work.add(node);
  }
  propagation.run(work);
  return propagation.finish();
}

}  // namespace litz::ir
