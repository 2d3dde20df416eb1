// Replaces calls of kind splice by the steps of their child plans. A plan is then rewritten once
// for all its calls, and no call remains at run time.

#pragma once

#include <vector>

#include "lowering/plan.h"

namespace litz::lowering {

/// By plan: the plan that holds its steps after expand_calls. A plan that is only spliced moves to
/// its caller, or to the first of several.
std::vector<int> homes_of_plans(const LoweredProgram& program);

/// By plan: the number of copies of its steps after expand_calls.
std::vector<int> copies_of_plans(const LoweredProgram& program);

/// Expands all calls of kind splice, and drops plans that are then not called. Steps that a child
/// plan had when it was lowered take the slots that the call reserved, so their slots do not depend
/// on whether the plan was rewritten.
void expand_calls(LoweredProgram& program);

}  // namespace litz::lowering
