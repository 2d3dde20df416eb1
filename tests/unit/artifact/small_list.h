// A launch list for tests with one launch of each kind.

#pragma once

#include <vector>

#include "artifact/launch_list.h"

namespace litz::artifact {

/// Sizes depend on `n`, which may be a constant.
LaunchList small_list(Expr n);

/// Its one kernel, which has no code.
std::vector<KernelCode> small_kernels(Expr n);

}  // namespace litz::artifact
