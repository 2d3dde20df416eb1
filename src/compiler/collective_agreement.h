// What a program starts, for the comparison of ranks: see distributed/agreement.h.

#pragma once

#include "distributed/agreement.h"
#include "ir/graph.h"

namespace litz::compiler {

/// Numbers of rows that ranks exchange may differ, so they are left out.
distributed::Starts collective_starts(const ir::Graph& main);

}  // namespace litz::compiler
