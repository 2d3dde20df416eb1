// Checks graphs. See verifier.h.

#include "ir/verifier.h"

#include <algorithm>
#include <set>

#include "ir/alias_classes.h"
#include "ir/child_graphs.h"
#include "ir/graph_data.h"
#include "ir/inferred_types.h"
#include "ir/printer.h"
#include "ir/topological_sort.h"
#include "ir/verifier_rules.h"
#include "support/check.h"

namespace litz::ir {

class Verifier {
 public:
  Verifier(const Graph& graph, const VerifyOptions& options)
      : graph_(graph), options_(options), findings_(graph, options.max_errors) {}

  std::vector<std::string> run() {
    list();
    // Later checks walk the list and the operands, so they need intact ones.
    if (!findings_.empty()) return findings_.take();
    findings_.allow_printing();
    for (const Node* node = graph_.head_; node != nullptr; node = node->next_) operands(*node);
    use_lists();
    if (!findings_.empty() || options_.level == VerifyLevel::fast) return findings_.take();
    names();
    order_edges();
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) full(*node);
    if (children_exist_) meaning();
    return findings_.take();
  }

 private:
  bool report(bool holds, const Node* node, const std::string& what) {
    return findings_.expect(holds, node, what);
  }

  void list() {
    const Node* previous = nullptr;
    size_t count = 0;
    for (const Node* node = graph_.head_; node != nullptr; node = node->next_) {
      report(node->prev_ == previous, node, "list neighbours must agree");
      report(node->graph_ == &graph_, node, "a node must know its graph");
      report(!node->erased_, node, "an erased node must not stand in the list");
      report(previous == nullptr || previous->label_ < node->label_, node,
             "order labels must grow along the list");
      report(node->next_ != nullptr || node == graph_.return_, node,
             "the terminator must be the last node");
      if (++count > graph_.nodes_.size()) {
        report(false, nullptr, "the node list must end");
        return;
      }
      previous = node;
    }
    report(count == graph_.node_count_ + 1, nullptr, "the node count must match the list");
  }

  void operands(const Node& node) {
    const std::vector<SchemaArgument>& schema = node.op().schema.arguments;
    report(&node == graph_.return_ || node.arguments_.size() == schema.size(), &node,
           "a call must have one argument per schema argument");
    size_t slot = 0;
    for (size_t i = 0; i < node.arguments_.size(); ++i) {
      const std::span<const Value> values = node.arguments_[i].values();
      for (size_t k = 0; k < values.size(); ++k) {
        if (!values[k]) continue;
        const bool mirrored = slot < node.use_count_ &&
                              node.uses_[slot].value == values[k].data() &&
                              node.uses_[slot].user == &node && node.uses_[slot].argument == i &&
                              node.uses_[slot].element == k;
        if (!report(mirrored, &node, "every operand must have a use slot that mirrors it")) return;
        ++slot;
        operand(node, values[k]);
      }
    }
    report(slot == node.use_count_, &node, "there must be no use slots beyond the operands");
    for (const Value output : node.outputs()) {
      report(output.producer() == &node && output.graph() == &graph_, &node,
             "a result must know its node");
    }
  }

  void operand(const Node& node, Value value) {
    if (!report(value.graph() == &graph_, &node,
                "operands must belong to the same graph: child graphs take arguments")) {
      return;
    }
    const Node* producer = value.producer();
    if (producer == nullptr) {
      const bool known = value.index() < graph_.inputs_.size() &&
                         graph_.inputs_[value.index()].get() == value.data();
      report(known, &node, "an operand must be an argument of the graph");
      return;
    }
    report(!producer->erased_, &node, "an operand must not come from an erased node");
    report(producer->label_ < node.label_, &node,
           "an operand was used before it has been defined; is the graph topologically ordered?");
    report(!std::holds_alternative<NoneType>(value.type()), &node,
           "a result without a value must not be read");
  }

  void use_list(const Value value) {
    const Use* previous = nullptr;
    for (const Use* use = value.data()->first_use; use != nullptr; use = use->next) {
      const bool sound = use->value == value.data() && use->prev == previous &&
                         use->user != nullptr && !use->user->erased_ &&
                         use->user->graph_ == &graph_;
      if (!report(sound, value.producer(), "use lists must hold live slots of this graph")) return;
      ++uses_;
      previous = use;
    }
    report(value.data()->last_use == previous, value.producer(), "a use list must end at its last");
  }

  // Every slot is in the list of its value, and equal counts show that the lists have no others.
  void use_lists() {
    size_t slots = 0;
    for (const Value input : graph_.inputs()) use_list(input);
    for (const Node* node = graph_.head_; node != nullptr; node = node->next_) {
      slots += node->use_count_;
      for (const Value output : node->outputs()) use_list(output);
    }
    report(slots == uses_, nullptr, "use lists must hold exactly the operand slots");
  }

  void names() {
    std::set<std::string_view> seen;
    const auto add = [&](Value value) {
      if (value.name().empty()) return;
      report(seen.insert(value.name()).second, value.producer(),
             "value names must be unique: %" + value.name());
      report(graph_.names_.contains(value.name()), value.producer(),
             "a graph must know the names it uses: %" + value.name());
    };
    for (const Value input : graph_.inputs()) add(input);
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
      for (const Value output : node->outputs()) add(output);
      report(node->id() < graph_.nodes_.size() && graph_.nodes_[node->id()].get() == node, node,
             "a node must be found by its id");
    }
  }

  void order_edges() {
    bool acyclic = true;
    bool asked = false;
    for (const auto& [first, second] : graph_.order_edges_) {
      const bool live = !first->erased_ && !second->erased_;
      if (!report(live, nullptr, "ordering edges must join live nodes")) continue;
      if (first->label_ < second->label_) continue;  // Printing a node takes time: only on failure.
      if (!asked) acyclic = is_acyclic(graph_);
      asked = true;
      report(false, second,
             std::string(acyclic ? "an ordering edge must lead forward, from "
                                 : "an ordering edge must not close a cycle with the operands: it "
                                   "must lead forward, from ") +
                 to_string(*first));
    }
  }

  void full(const Node& node) {
    child_graphs(node);
    if (node.op().infer == nullptr) return;
    if (!options_.infer_types) return stated_view(node);
    std::string mismatch;
    try {
      mismatch = type_mismatch(node);
    } catch (const Error& error) {
      mismatch = error.message();
    }
    report(mismatch.empty(), &node, "result types must be what the operator infers: " + mismatch);
  }

  // The producer of a value may choose its layout; a view has no memory of its own, so its layout
  // follows from its operand. Otherwise it would show other elements.
  void stated_view(const Node& node) {
    if (!has(node.op().traits, Trait::view)) return;
    std::vector<ValueType> types;
    try {
      types = inferred_types(node);
    } catch (const Error& error) {
      report(false, &node, "a view must be possible of what it views: " + error.message());
      return;
    }
    for (size_t i = 0; i < std::min(types.size(), node.output_count()); ++i) {
      const auto* shown = std::get_if<TensorType>(&types[i]);
      if (shown == nullptr || !node.output(i).is_tensor()) continue;
      report(!lies_elsewhere(*shown, node.output(i).tensor()), &node,
             "a view must lie as its operator shows what it views: result " + std::to_string(i) +
                 " is " + to_string(*shown) + ", not " + to_string(node.output(i).type()));
    }
  }

  // True if layouts provably differ; strides of dimensions of size 1 do not matter, and symbols may
  // be equal.
  static bool lies_elsewhere(const TensorType& a, const TensorType& b) {
    if (a.rank() != b.rank()) return true;
    if (a.numel().is(0)) return false;
    for (size_t d = 0; d < a.rank(); ++d) {
      if (!a.sizes[d].is(1) && known_not_equal(a.strides[d], b.strides[d])) return true;
    }
    return known_not_equal(a.offset, b.offset);
  }

  void child_graphs(const Node& node) {
    for (const Argument& argument : node.arguments()) {
      if (!argument.is_attribute()) continue;
      const auto* child = std::get_if<GraphRef>(&argument.attribute());
      if (child == nullptr) continue;
      children_exist_ &=
          report(graph_.module().contains(*child), &node, "a child graph must exist in the module");
    }
  }

  // Checks rules that involve several nodes: views, writes, waits, donations, annotations.
  void meaning() {
    const AliasClasses aliases(graph_, options_.shared_inputs);
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
      for (const Value result : node->outputs()) views(*node, result, aliases);
    }
    check_annotations(graph_, aliases, findings_);
    check_waits(graph_, findings_);
    check_memory(graph_, aliases, options_.forbid_overwritten_reads, findings_);
    if (options_.collectives_at_entry == nullptr) return;
    const auto entry = options_.collectives_at_entry->find(graph_.id());
    const CollectiveOrder none;
    const bool known = entry != options_.collectives_at_entry->end();
    const std::string difference =
        collective_order_difference(known ? entry->second : none, graph_);
    report(difference.empty(), nullptr, difference);
  }

  void views(const Node& node, Value result, const AliasClasses& aliases) {
    const Value viewed = aliases.viewed(result);
    if (!viewed) return;
    report(viewed.tensor().device == result.tensor().device, &node,
           "a view must lie on the device of what it views");
  }

  const Graph& graph_;
  const VerifyOptions& options_;
  Findings findings_;
  size_t uses_ = 0;
  bool children_exist_ = true;
};

std::vector<std::string> verification_errors(const Graph& graph, const VerifyOptions& options) {
  return Verifier(graph, options).run();
}

std::vector<std::string> verification_errors(const Module& module, const VerifyOptions& options) {
  std::vector<std::string> errors;
  // Inference visits child graphs, so recursion must be ruled out before it.
  if (const Graph* graph = recursive_graph(module)) {
    return {"graph @" + graph->name() + ": a graph must not call itself, directly or not"};
  }
  for (const Graph* graph : module.graphs()) {
    const std::vector<std::string> found = verification_errors(*graph, options);
    errors.insert(errors.end(), found.begin(), found.end());
  }
  return errors;
}

namespace {

void throw_if_any(const std::vector<std::string>& errors) {
  if (errors.empty()) return;
  std::string message = "the graph must verify:";
  for (const std::string& error : errors) message += "\n" + error;
  throw InternalError(std::move(message));
}

}  // namespace

void verify(const Graph& graph, const VerifyOptions& options) {
  throw_if_any(verification_errors(graph, options));
}

void verify(const Module& module, const VerifyOptions& options) {
  throw_if_any(verification_errors(module, options));
}

}  // namespace litz::ir
