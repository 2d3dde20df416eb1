// Replaces one node by the operators that its definition decomposes it into.

#pragma once

#include "ir/graph.h"
#include "passes/graph_passes.h"

namespace litz::passes {

/// True when the operator writes operands, even if its schema does not say so.
bool writes_operands(const ir::Node& node);

/// True when the node's operator is defined by decomposition. Operators that write operands must
/// first become functional; `functional` says that the graph has no relevant ones.
bool is_decomposable(const ir::Node& node, bool functional);

/// Emits the decomposition before the node, moves its uses to the new results and erases it.
/// Results keep dtype, sizes and the symbols that they define; they keep strides if a reader
/// depends on them. With `keep_fresh`, a result that the schema does not call a view gets its own
/// memory even if the decomposition returns an operand, since a later node may write to it. Returns
/// the first emitted node, or the node after the erased one if there is none.
ir::Node* expand_node(ir::Node* node, bool keep_fresh = false);

/// The pass `decompose`, except for the nodes that `keeps` names.
Changed decompose_unless(ir::Graph& graph, PassContext& context, bool (*keeps)(const ir::Node&));

}  // namespace litz::passes
