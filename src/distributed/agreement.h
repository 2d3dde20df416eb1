// Ranks compare the collectives of their programs before anything runs: programs that differ would
// wait for each other for ever.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "distributed/communicator.h"

namespace litz::distributed {

/// By group: what a rank will start, in order, as texts that are equal on all ranks. Transfers are
/// left out, since they pair two ranks.
using Starts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// One row of numbers from every rank of a group, by rank; all must give equally many.
std::vector<std::vector<int64_t>> gathered_rows(const std::string& group,
                                                const std::vector<int64_t>& own,
                                                Communicator& communicator);

/// Throws Error on every rank of a group whose ranks would start other collectives, or in another
/// order; the error names the group and the first difference. All ranks must call it.
void require_agreement(const Starts& starts, Communicator& communicator);

}  // namespace litz::distributed
