// Replaces operators that are defined by other operators, until none is left.
//
//   %y = aten.linear(%x, %w, %b)   =>   %t = aten.t(%w)
//                                       %y = aten.addmm(%b, %x, %t)
//
// Requires:        nothing.
// Ensures:         no operator with a Decompose definition, except those that write their operands:
//                  these wait for functionalize. New nodes carry the location and annotations of
//                  the node they replace.
// Why it matters:  lowering only knows loop nests, views and library calls; and an operator that
//                  may or may not be a view (reshape, contiguous, to) is one or the other
//                  afterwards.
// Cost:            one visit per node, including new ones.

#include "passes/expand_node.h"
#include "passes/graph_passes.h"
#include "support/check.h"

namespace litz::passes {
namespace {

// Stops a definition that decomposes into itself; real programs grow far less.
constexpr size_t kMostGrowth = 10'000;

bool has_writers(const ir::Graph& graph) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op().schema.mutates()) return true;
  }
  return false;
}

}  // namespace

Changed decompose_unless(ir::Graph& graph, PassContext& context, bool (*keeps)(const ir::Node&)) {
  const bool functional = context.program == nullptr || context.program->functional;
  const bool keep_fresh = !functional && has_writers(graph);
  const size_t limit = (graph.node_count() + 1) * kMostGrowth;
  Changed changed = Changed::no;
  for (ir::Node* node = graph.first(); node != nullptr;) {
    if (!is_decomposable(*node, functional) || keeps(*node)) {
      node = node->next();
      continue;
    }
    const std::string_view name = node->op().name();
    try {
      // The emitted nodes may decompose themselves: continue from the first new one.
      node = expand_node(node, keep_fresh);
    } catch (Error& error) {
      error.add_note("while decomposing " + std::string(name));
      throw;
    }
    if (node == graph.return_node()) node = nullptr;
    check(graph.node_count() < limit, "decompositions must end, the last was:", name);
    changed = Changed::yes;
  }
  return changed;
}

Changed decompose(ir::Graph& graph, PassContext& context) {
  return decompose_unless(graph, context, [](const ir::Node&) { return false; });
}

}  // namespace litz::passes
