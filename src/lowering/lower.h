// Graph IR to a plan of steps: see plan.h for what a plan is.

#pragma once

#include "ir/program.h"
#include "ir/value_labels.h"
#include "lowering/plan.h"

namespace litz::lowering {

/// Lowers a graph and the graphs that it calls. Requires functional form, save for updates of what
/// nobody reads again, and no operator that is defined by decomposition. Adds index symbols to the
/// module. Throws Error{unsupported} for an operator that has no lowering, with a note that names
/// the node and its Python source line.
LoweredProgram lower(ir::Graph& main);

/// The same for a program's main graph; inputs whose new contents it returns may be updated in place.
LoweredProgram lower(ir::Program& program);

/// "%7 = aten.gelu (layer.py:41)": how errors and reports name a node. Values without a
/// name have the number that they have in the graph's text.
std::string describe(const ir::Node& node, const ir::ValueLabels& labels);

/// A listing for people and tests: one line a step.
std::string to_string(const LoweredProgram& program);

}  // namespace litz::lowering
