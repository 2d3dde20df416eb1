// Finds the weights that control flow passes on: inside a loop, the weight of a cell is as constant
// as outside, so library calls pack it once.

#pragma once

#include <cstdint>
#include <vector>

#include "lowering/plan.h"

namespace litz::compiler {

/// By plan and input: the weight (an input of the main plan) that all callers pass and no call
/// changes, or -1. `is_constant` tells by input of the main plan what is such a weight.
std::vector<std::vector<int32_t>> weights_passed(const lowering::LoweredProgram& lowered,
                                                 const std::vector<bool>& is_constant);

}  // namespace litz::compiler
