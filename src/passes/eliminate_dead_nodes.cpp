// Removes nodes whose results nobody reads and that do nothing else.
//
//   %a = aten.exp(%x)          =>   return %x
//   return %x
//
// Requires:        nothing.
// Ensures:         every node is read, or has an effect.
// Why it matters:  decomposition leaves unused statistics and size arithmetic behind.
// Cost:            one backward walk.

#include "ir/dead_code.h"
#include "passes/graph_passes.h"

namespace litz::passes {

Changed eliminate_dead_nodes(ir::Graph& graph, PassContext&) {
  return ir::eliminate_dead_code(graph, {.child_graphs = false}) ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
