// Inlines calls of child graphs: those that only mark a region, and repeated ones, whose equal
// kernels share code anyway.
//
//   graph @main.body(%v) { %s = aten.sin(%v); return %s }
//
//   %y = higher_order.wrap_with_set_grad_enabled(False, @main.body, [%x])   =>   %y = aten.sin(%x)
//
// Requires:        nothing.
// Ensures:         no wrapper is left, and no call of a repeated graph whose operands have exactly
//                  the types that its body was exported for; nodes of a marked call are marked;
//                  child graphs without calls are gone.
// Why it matters:  fusion, aliasing and layout decisions stop at the border of a child graph.
// Cost:            one clone per inlined node.

#include <algorithm>
#include <array>
#include <map>

#include "ir/child_graphs.h"
#include "ir/printed_symbols.h"
#include "passes/graph_passes.h"
#include "passes/region_options.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;

constexpr std::array<std::string_view, 9> kWrappers = {
    "higher_order.custom_gradient",
    "higher_order.hints_wrapper",
    "higher_order.run_const_graph",
    "higher_order.strict_mode",
    "higher_order.tag_activation_checkpoint",
    "higher_order.wrap",
    "higher_order.wrap_activation_checkpoint",
    "higher_order.wrap_with_autocast",
    "higher_order.wrap_with_set_grad_enabled",
};

/// Copies of a body would define its data-dependent symbols again.
bool is_copyable(const Graph& body) {
  return std::ranges::none_of(ir::symbols_in(body), [&](SymbolId symbol) {
    return comes_from_data(body.module().exprs().symbol(symbol).kind);
  });
}

/// A body that serves several calls may have been exported for other sizes than this call's.
bool is_exact_call(const Node& node) {
  if (!node.is("higher_order.invoke_subgraph")) return false;
  const Graph& body =
      node.graph().module().graph(std::get<ir::GraphRef>(node.argument("body").attribute()));
  const auto operands = node.argument("operands").values();
  if (operands.size() != body.input_count() || !is_copyable(body)) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i] || !(operands[i].type() == body.input(i).type())) return false;
  }
  return true;
}

bool is_inlined(const Node& node) {
  return std::ranges::find(kWrappers, node.op().name()) != kWrappers.end() || is_exact_call(node);
}

/// Clones `body` before `call` and moves the call's uses to the clone's results.
void inline_call(Node* call) {
  Graph& graph = call->graph();
  const auto body_ref = std::get<ir::GraphRef>(call->argument("body").attribute());
  const Graph& body = graph.module().graph(body_ref);
  const auto operands = call->argument("operands").values();
  check(operands.size() == body.input_count(), "a call must match its graph:", body.name());
  std::map<const ir::ValueData*, Value> inlined;
  for (size_t i = 0; i < operands.size(); ++i) inlined[body.input(i).data()] = operands[i];
  const auto map = [&](Value value) { return inlined.at(value.data()); };

  const auto scope = graph.insert_before(call);
  for (const Node* node = body.first(); node != nullptr && node != body.return_node();
       node = node->next()) {
    Node* copy = graph.clone(*node, map);
    inherit_region(*call, *copy);
    for (size_t i = 0; i < node->output_count(); ++i) {
      inlined[node->output(i).data()] = copy->output(i);
    }
  }
  for (size_t i = 0; i < call->output_count(); ++i) {
    const Argument& output = body.outputs()[i];
    if (!output.is_value()) continue;  // Scalars and None are not read as values.
    const Value value = map(output.value());
    graph.replace_uses(call->output(i), value);
  }
  graph.erase(call);
}

}  // namespace

Changed inline_wrappers_unless(Graph& graph, const std::function<bool(const Node&)>& stays) {
  Changed changed = Changed::no;
  for (Node* node = graph.first(); node != nullptr;) {
    if (!is_inlined(*node) || (stays && stays(*node))) {
      node = node->next();
      continue;
    }
    // Bodies may contain wrappers themselves: continue with the first inlined node.
    Node* before = node->prev();
    const std::vector<Graph*> children = ir::child_graphs(*node);
    inline_call(node);
    for (const Graph* child : children) {
      if (ir::callers(*child).empty()) graph.module().erase_graph({child->id()});
    }
    node = before == nullptr ? graph.first() : before->next();
    if (node == graph.return_node()) node = nullptr;
    changed = Changed::yes;
  }
  return changed;
}

Changed inline_wrappers(Graph& graph, PassContext& /*context*/) {
  return inline_wrappers_unless(graph, nullptr);
}

}  // namespace litz::passes
