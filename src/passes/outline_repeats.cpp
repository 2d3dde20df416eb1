// Turns equal blocks, such as the layers of a network, into one graph with a call per block.
//
//   %a = aten.linear(%x, %w0)                       graph @main.repeat_0(%x, %w) {
//   %b = ...                                          %a = aten.linear(%x, %w); %b = ...
//   %c = aten.linear(%b, %w1)             =>          return %b }
//   %d = ...
//                                                   %b = higher_order.invoke_subgraph(@main.repeat_0, [%x, %w0])
//                                                   %d = higher_order.invoke_subgraph(@main.repeat_0, [%b, %w1])
//
// Requires:        nothing; of nodes with effects, only updates in place are moved.
// Ensures:         a call depends only on its operands, and returns those that it updates; no cut
//                  lies between nodes that fusion would join (repeats.h).
// Why it matters:  a block is lowered, fused and scheduled once for all layers; lowering replaces
//                  each call by the steps, so there are no calls at run time.
// Cost:            O(n log^2 n) for n nodes to find repeats, one clone per node of one block.

#include <unordered_set>

#include "ir/graph_outline.h"
#include "passes/graph_passes.h"
#include "passes/repeats.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// A graph that computes the first block.
Graph& make_body(const Repeat& repeat, std::string name) {
  const ir::Excerpt excerpt = ir::copy_nodes(repeat.blocks[0], std::move(name), true);
  const std::vector<Node*> nodes = excerpt.graph->in_order();
  std::vector<ir::Argument> outputs;
  for (const auto& [node, output] : repeat.results)
    outputs.emplace_back(nodes[node]->output(output));
  excerpt.graph->set_outputs(std::move(outputs));
  return *excerpt.graph;
}

/// The values that a block reads, in order of first use, as copy_nodes orders them.
std::vector<Value> operands_of(std::span<Node* const> block) {
  const std::unordered_set<const Node*> inside(block.begin(), block.end());
  std::unordered_set<const ir::ValueData*> seen;
  std::vector<Value> operands;
  for (const Node* node : block) {
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Value value = node->input(i);
      if (inside.contains(value.producer()) || !seen.insert(value.data()).second) continue;
      operands.push_back(value);
    }
  }
  return operands;
}

void call_instead(Graph& graph, const Graph& body, std::span<Node* const> block,
                  const Repeat& repeat) {
  std::vector<ir::ValueType> types;
  std::vector<Value> results;
  for (const auto& [node, output] : repeat.results) {
    results.push_back(block[node]->output(output));
    types.push_back(results.back().type());
  }
  const ir::OpInfo* op = graph.module().ops().find("higher_order.invoke_subgraph");
  check(op != nullptr, "the operator set must have calls of graphs");
  Node* call = nullptr;
  {
    const auto scope = graph.insert_after(block.back());
    call = graph.create_typed(*op, {ir::GraphRef{body.id()}, operands_of(block)}, std::move(types));
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < results.size(); ++i) {
    names.push_back(results[i].name());
    graph.replace_uses(results[i], call->output(i));
  }
  for (size_t i = block.size(); i-- > 0;) graph.erase(block[i]);
  for (size_t i = 0; i < names.size(); ++i) graph.set_name(call->output(i), names[i]);
}

}  // namespace

Changed outline_repeats(Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  size_t number = 0;
  for (const Repeat& repeat : find_repeats(graph)) {
    if (!context.may_rewrite()) break;
    Graph& body = make_body(repeat, graph.name() + ".repeat_" + std::to_string(number++));
    for (const std::vector<Node*>& block : repeat.blocks) call_instead(graph, body, block, repeat);
    outline_repeats(body, context);  // A block may contain shorter repeats.
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
