// Replaces one node by the operators its definition decomposes it into.

#pragma once

#include "ir/graph.h"

namespace litz::passes {

/// True when the operator writes operands, whether its schema says so or not.
bool writes_operands(const ir::Node& node);

/// True when the node's operator is defined by decomposition. Operators that write operands are not
/// replaced before they are made functional; `functional` says that the graph has none that count.
bool is_decomposable(const ir::Node& node, bool functional);

/// Emits the decomposition before the node, hands its uses over and erases it. Results keep dtype,
/// sizes and the symbols they define; where a reader depends on strides, they keep those, too.
/// With `keep_fresh`, a result that the operator's schema does not call a view gets memory of its
/// own even where the decomposition returns an operand: somebody may write to it.
/// Returns the first node emitted, or the node after the erased one when none was.
ir::Node* expand_node(ir::Node* node, bool keep_fresh = false);

}  // namespace litz::passes
