// Ranks that are processes which mpirun started.
//
// Collectives are asynchronous in MPI's sense: messages may move at any time, and certainly do while
// this rank starts or waits. Reductions go from rank 0 to the last, as in the simulated world.

#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "distributed/communicator.h"
#include "distributed/mpi/mpi_functions.h"

namespace litz::distributed {

struct MpiOptions {
  Groups groups;
  /// How long a rank waits for others at a time; nullopt: for ever.
  std::optional<std::chrono::milliseconds> patience;
  const mpi::MpiFunctions* functions = nullptr;  ///< Null: the machine's MPI.
};

/// Makes this process a rank. All of the world must do so at the same time, with equal groups. The
/// last owner of the result leaves the world: see Communicator::leave. Throws Error{unsupported}
/// without MPI.
std::shared_ptr<Communicator> join_mpi(MpiOptions options);

}  // namespace litz::distributed
