// Numbers as bounds of integers.

#pragma once

#include <string_view>

#include "ops/bodies.h"

namespace litz::ops {

/// Requires a minimum that is not above the dtype's range, or a maximum that is not below it.
void require_bound(const Call& call, std::string_view name, DType dtype, bool is_smallest);

/// A bound in the compute dtype; a number outside the range of an integer dtype becomes the nearest
/// value inside.
loops::Scalar clamp_bound(const PointwiseCall& call, std::string_view name);

}  // namespace litz::ops
