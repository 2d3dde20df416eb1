// Gradients of calls of graphs: conditions and single calls.

#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace litz::autodiff {

/// True for operators that call graphs once, one of several or the only one.
bool calls_branches(const ir::Node& node);

/// The gradients of a call's operands, by a call of graphs that compute the branches again and
/// differentiate them. `gradients` has an entry for each result, null if nothing depends on it.
std::vector<std::pair<ir::Value, ir::Value>> branch_gradients(
    ir::Node& node, std::span<const ir::Value> gradients,
    const std::function<bool(ir::Value)>& is_wanted);

/// The gradients of a call whose gradients are stated: what its other graph computes.
std::vector<std::pair<ir::Value, ir::Value>> stated_gradients(
    ir::Node& node, std::span<const ir::Value> gradients,
    const std::function<bool(ir::Value)>& is_wanted);

}  // namespace litz::autodiff
