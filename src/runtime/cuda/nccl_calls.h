// One collective as calls of NCCL on a stream.

#pragma once

#include <cstddef>
#include <vector>

#include "distributed/collective.h"
#include "runtime/cuda/nccl.h"

namespace litz::runtime::cuda {

/// A group's communicator, as one rank has it.
struct NcclGroup {
  NcclCommunicator communicator = nullptr;
  Stream stream = nullptr;
  size_t ranks = 0;
  size_t own = 0;  ///< This rank's position.
};

/// Adds the work of a collective that is not a transfer. Tensors are contiguous and on the card.
/// Throws Error, and then has added nothing, for operands that the kind cannot have and for
/// reductions that NCCL lacks.
void add_work(const NcclFunctions& functions, const NcclGroup& group,
              const distributed::Collective& collective);

/// Adds transfers that run at the same time, so that none waits for another.
void add_transfers(const NcclFunctions& functions, const NcclGroup& group,
                   const std::vector<distributed::Collective>& transfers);

}  // namespace litz::runtime::cuda
