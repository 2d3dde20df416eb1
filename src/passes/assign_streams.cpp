// Gives every node that draws random numbers its own stream.
//
//   %a = aten.rand([4])        =>    %a = aten.rand([4]) #{random_stream = "1"}
//   %b = aten.rand([4])              %b = aten.rand([4]) #{random_stream = "2"}
//
// Requires:        nothing.
// Ensures:         every node that draws has a stream that no other node of the module has.
// Why it matters:  numbers follow from the stream, so whatever later passes do keeps them.
// Cost:            one visit per node, a few where streams are missing.

#include "passes/assign_streams.h"

#include "ops/random_streams.h"

namespace litz::passes {

Changed assign_streams(ir::Graph& graph, PassContext& /*context*/) {
  return ops::assign_streams(graph.module()) ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
