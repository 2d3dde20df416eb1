// Lowers graph IR to a plan of steps; see plan.h for plans.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/program.h"
#include "ir/value_labels.h"
#include "lowering/plan.h"

namespace litz::lowering {

/// Lowers a graph and the graphs that it calls. Requires functional form, except for updates of
/// values without later readers, and no operator that is defined by decomposition. Adds index
/// symbols to the module. Throws Error{unsupported} for an operator that has no lowering, with a
/// note that names the node and its Python source line.
LoweredProgram lower(ir::Graph& main);

/// Lowers a program's main graph. Inputs whose new contents it returns may be updated in place.
LoweredProgram lower(ir::Program& program);

/// "%7 = aten.gelu (layer.py:41)": the name of a node in errors and reports. Unnamed values have
/// their number in the graph's text.
std::string describe(const ir::Node& node, const ir::ValueLabels& labels);

/// Steps of a graph's plan by label, as ordering edges of the graph put them: what hides a
/// collective, and its wait.
std::vector<std::pair<std::string, std::string>> kept_before_waits(const ir::Graph& graph);

/// Lists the plans for people and tests: one line per step.
std::string to_string(const LoweredProgram& program);

}  // namespace litz::lowering
