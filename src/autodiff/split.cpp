#include "autodiff/split.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "autodiff/joint_graph.h"
#include "ir/effects.h"
#include "ir/printed_symbols.h"
#include "support/check.h"

namespace litz::autodiff {
namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;

/// A part of a graph in another one, copied as far as it is asked for.
class Part {
 public:
  Part(const Graph& from, const std::string& suffix)
      : graph_(from.module().add_graph(from.name() + suffix)) {}

  Graph& graph() const { return graph_; }

  void add_input(Value value) {
    copies_[value.data()] = graph_.add_input(value.name(), value.type());
  }

  bool has(Value value) const { return copies_.contains(value.data()); }

  /// Copies a node and what it needs. Without recursion, since chains may be as long as a program.
  void add(Node* wanted) {
    std::vector<Node*> todo{wanted};
    while (!todo.empty()) {
      Node* node = todo.back();
      const size_t before = todo.size();
      if (nodes_.contains(node)) {
        todo.pop_back();
        continue;
      }
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Value operand = node->input(i);
        if (has(operand)) continue;
        check(operand.producer() != nullptr,
              "a part of a joint graph must have its inputs:", operand.name());
        todo.push_back(operand.producer());
      }
      if (todo.size() > before) continue;
      todo.pop_back();
      const Node* copy =
          graph_.clone(*node, [&](Value operand) { return copies_.at(operand.data()); });
      nodes_.insert(node);
      for (size_t i = 0; i < node->output_count(); ++i) {
        // A saved result of several stays the input.
        copies_.try_emplace(node->output(i).data(), copy->output(i));
      }
    }
  }

  Argument output(const Argument& output) {
    if (!output.is_value()) return output;
    if (!has(output.value())) add(output.value().producer());
    return copies_.at(output.value().data());
  }

 private:
  Graph& graph_;
  std::unordered_map<const ir::ValueData*, Value> copies_;
  std::set<const Node*> nodes_;
};

std::vector<Argument> outputs_of(Part& part, std::span<const Argument> outputs) {
  std::vector<Argument> made;
  for (const Argument& output : outputs) made.push_back(part.output(output));
  return made;
}

/// Symbols of the graph that are the size of no input.
std::vector<Expr> unknown_symbols(const Graph& graph) {
  std::set<SymbolId> known;
  for (const Value input : graph.inputs()) {
    if (!input.is_tensor()) continue;
    for (const Expr& size : input.tensor().sizes) {
      if (size.is_symbol()) known.insert(size.symbol());
    }
  }
  std::vector<Expr> unknown;
  for (const SymbolId symbol : ir::symbols_in(graph)) {
    if (!known.contains(symbol)) unknown.push_back(graph.module().exprs().symbol_expr(symbol));
  }
  return unknown;
}

}  // namespace

Split split(const Graph& joint, std::span<const size_t> cotangents, size_t forward_outputs,
            std::span<const Value> saved) {
  const JointGraph view(joint, cotangents);
  const std::span<const Argument> outputs = joint.outputs();
  Part backward(joint, ".backward");
  for (const Value value : saved) backward.add_input(value);
  for (const size_t i : cotangents) backward.add_input(joint.input(i));
  backward.graph().set_outputs(outputs_of(backward, outputs.subspan(forward_outputs)));
  Split made;
  made.backward = &backward.graph();
  for (size_t i = saved.size(); i-- > 0;) {
    if (made.backward->input(i).has_uses()) {
      made.saved.insert(made.saved.begin(), saved[i]);
    } else {
      made.backward->erase_input(i);
    }
  }
  made.sizes = unknown_symbols(*made.backward);
  for (const Expr size : made.sizes) {
    const std::string& name = joint.module().exprs().symbol(size.symbol()).name;
    made.backward->add_input(name, ir::ScalarType{ExprDomain::integer, size});
  }

  Part forward(joint, ".forward");
  for (const Value input : joint.inputs()) {
    if (view.is_early(input)) forward.add_input(input);
  }
  for (const EarlyNode& each : view.early()) {
    if (each.is_forward || ir::has_effects(*each.node)) forward.add(each.node);
  }
  std::vector<Argument> results = outputs_of(forward, outputs.first(forward_outputs));
  for (const Value value : made.saved) results.push_back(forward.output(value));
  results.insert(results.end(), made.sizes.begin(), made.sizes.end());
  forward.graph().set_outputs(std::move(results));
  made.forward = &forward.graph();
  return made;
}

}  // namespace litz::autodiff
