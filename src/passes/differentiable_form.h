// The form that reverse mode takes (autodiff/reverse.h): functional, of operators that have
// gradients.

#pragma once

#include <span>

#include "passes/graph_passes.h"

namespace litz::passes {

/// The import pipeline, except that operators with a gradient of their own stay whole. The import
/// pipeline afterwards gives the form that lowering accepts.
std::span<const Pass> differentiable_pipeline();

}  // namespace litz::passes
