// Ranks compare the collectives of their programs before anything runs: programs that differ would
// wait for each other for ever.

#pragma once

#include "distributed/communicator.h"
#include "ir/graph.h"

namespace litz::compiler {

/// Throws Error on every rank of a group whose ranks would start other collectives, or in another
/// order; the error names the group and the first difference. All ranks must call it. Numbers of
/// rows that ranks exchange may differ.
void require_agreement(const ir::Graph& main, distributed::Communicator& communicator);

}  // namespace litz::compiler
