// A schedule that the user states by modules.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/bucketing/bucketing.h"

namespace litz::passes {

/// Modules whose collectives belong together, by path: "layers.0" contains "layers.0.attention".
using ModuleGroup = std::vector<std::string>;

/// For each group of modules, in the order in which they run: their gathers become one bucket and
/// their scatters one. Members that depend on another member become a further bucket. The gather of
/// a group starts before the wait of the group before it; a scatter is waited for after the start of
/// the next one. Throws Error{invalid_argument} if two groups have a module in common, or if no
/// collective is in any.
BucketReport schedule_modules(ir::Graph& graph, std::span<const ModuleGroup> modules,
                              BucketMode mode = BucketMode::plain);

}  // namespace litz::passes
