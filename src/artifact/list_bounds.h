// Shows that launches stay in their storages: for all sizes at once where expressions allow it, else by
// assertions that calls check when sizes are known.

#pragma once

#include "artifact/launch_list.h"

namespace litz::artifact {

/// Adds an assertion for each place, tensor and access of the list that is not inside its storage for
/// all sizes. Throws Error{corrupt} for one that is outside for all sizes, and for launches of kernels
/// that do not pass what the code was made for. `kernels` are the program's.
void add_bounds(LaunchList& list, std::span<const KernelCode> kernels);

}  // namespace litz::artifact
