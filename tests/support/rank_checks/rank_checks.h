// Checks of an engine of collectives: every kind, dtype and reduction beside what distributed::combine
// gives for the operands of all ranks. Each rank of the engine runs the same checks.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "distributed/communicator.h"

namespace litz::testing_ranks {

struct RankChecks {
  /// Where the engine's tensors are, and back to the host. Empty: they are on the host.
  std::function<Tensor(const Tensor&)> to_device;
  std::function<Tensor(const Tensor&)> to_host;
  std::vector<DType> dtypes;  ///< Empty: all.
  int64_t rows = 5;           ///< Of a rank's operand.
  int64_t columns = 3;
  std::string group = "0";
  /// Sums of other orders: differences up to this part of the largest summand are none.
  double rounding = 0;
};

struct RankOutcome {
  int64_t checked = 0;
  std::vector<std::string>
      refused;  ///< By the engine, but not by combine: "all_reduce band of i32"
  std::vector<std::string> failures;  ///< What differed, and how.
};

/// Runs all checks in the same order on every rank.
RankOutcome check_ranks(distributed::Communicator& rank, const RankChecks& checks);

}  // namespace litz::testing_ranks
