// What a compiled program starts, for the comparison of ranks: see distributed/agreement.h.

#pragma once

#include "artifact/program.h"
#include "distributed/agreement.h"

namespace litz::runtime {

/// Starts in called routines are listed at their calls. Numbers of rows that ranks exchange may
/// differ, so they are left out.
distributed::Starts collective_starts(const artifact::Program& program);

}  // namespace litz::runtime
