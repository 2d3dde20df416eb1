// Shows that launches stay in their storages: for all sizes at once where expressions allow it, else by
// assertions that calls check when sizes are known.

#pragma once

#include "artifact/launch_list.h"

namespace litz::artifact {

/// Adds an assertion for each place, tensor and access of the list that is not inside its storage for
/// all sizes. Throws Error{corrupt} for one that is outside for all sizes. What kernels do with the
/// places, iterations and scalars that they are given is up to their code.
void add_bounds(LaunchList& list);

}  // namespace litz::artifact
