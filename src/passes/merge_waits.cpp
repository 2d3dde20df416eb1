// Leaves one wait for every collective, and none for values that are there already.
//
//   %s = _c10d_functional.all_reduce(%x, ..)       %s = _c10d_functional.all_reduce(%x, ..)
//   %a = _c10d_functional.wait_tensor(%s)     =>   %a = _c10d_functional.wait_tensor(%s)
//   %b = _c10d_functional.wait_tensor(%s)          .. reads %a in place of %b and %c
//   %c = _c10d_functional.wait_tensor(%a)
//
// Requires:        nothing.
// Ensures:         a wait's operand is the result of a collective, or an argument of the graph; such
//                  a result has one wait.
// Why it matters:  a second wait finds nothing to wait for; passes on collectives count on one.
// Cost:            one visit per node.

#include <unordered_map>

#include "passes/graph_passes.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

bool is_wait(const Node* node) {
  return has(node->op().traits, ir::Trait::collective_wait) && node->output_count() == 1;
}

/// What a reader of the wait can read instead; nothing if the wait has to stay.
Value replacement(Node* wait, std::unordered_map<const ir::ValueData*, Value>& waited) {
  const Value awaited = wait->input(0);
  const Node* start = awaited.producer();
  if (start != nullptr && !has(start->op().traits, ir::Trait::collective_start)) {
    return awaited.type() == wait->output().type() ? awaited : Value();
  }
  const auto [first, is_first] = waited.try_emplace(awaited.data(), wait->output());
  return is_first ? Value() : first->second;
}

}  // namespace

Changed merge_waits(ir::Graph& graph, PassContext& /*context*/) {
  Changed changed = Changed::no;
  std::unordered_map<const ir::ValueData*, Value> waited;  // For lookup only.
  Node* next = nullptr;
  for (Node* node = graph.first(); node != nullptr; node = next) {
    next = node->next();
    if (!is_wait(node)) continue;
    const Value instead = replacement(node, waited);
    if (!instead) continue;
    graph.replace_uses(node->output(), instead);
    graph.erase(node);
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
