// The types that a higher-order call passes to the arguments of its graphs.

#pragma once

#include <vector>

#include "ir/graph.h"

namespace litz::ops {

/// For loops over tensors, the types of one step; otherwise those of the operands. The same for
/// every graph of the call. For ir::PropagationOptions::child_types.
std::vector<ir::ValueType> child_argument_types(const ir::Node& call, const ir::Graph& child);

}  // namespace litz::ops
