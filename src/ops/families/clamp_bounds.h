// Numbers as bounds of integers.

#pragma once

#include <string_view>

#include "ops/bodies.h"

namespace litz::ops {

/// Requires a smallest number that is not above what the dtype holds, a largest not below.
void require_bound(const Call& call, std::string_view name, DType dtype, bool is_smallest);

/// A bound in the compute dtype: a number that integers do not hold counts as the nearest that they
/// do.
loops::Scalar clamp_bound(const PointwiseCall& call, std::string_view name);

}  // namespace litz::ops
