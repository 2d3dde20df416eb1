// The dimensions of a reduction.

#pragma once

#include <cstdint>
#include <vector>

#include "ops/call.h"

namespace litz::ops {

/// The dimensions that the argument `dim` names. An empty list means all of them, but none for all
/// and any.
std::vector<int64_t> reduced_dims(const Call& call, size_t rank);

}  // namespace litz::ops
