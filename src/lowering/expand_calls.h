// Puts the steps of child plans in the place of the calls that may be spliced: a plan is rewritten
// once for all of them, and nothing is called at run time.

#pragma once

#include <vector>

#include "lowering/plan.h"

namespace litz::lowering {

/// By plan: where its steps will be after expand_calls. What is only spliced moves to the plan that
/// calls it, to the first one where several do.
std::vector<int> homes_of_plans(const LoweredProgram& program);

/// By plan: how many copies of its steps there will be after expand_calls.
std::vector<int> copies_of_plans(const LoweredProgram& program);

/// Expands all calls of kind splice, and drops the plans that nobody calls then. Steps of a child
/// plan that were there when it was lowered take the slots that the call reserved, so they have the
/// same ones whether the plan was rewritten or not.
void expand_calls(LoweredProgram& program);

}  // namespace litz::lowering
