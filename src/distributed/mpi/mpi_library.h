// Finds liblitz_mpi.so, and with it the machine's MPI.

#pragma once

#include <string>

#include "distributed/mpi/mpi_functions.h"

namespace litz::distributed::mpi {

/// The table, or the reason why there is none.
struct MpiSearch {
  const MpiFunctions* functions = nullptr;
  std::string reason;
};

/// Looks beside this program's code, then where the system looks. The environment variable LITZ_MPI
/// names another file.
const MpiSearch& find_mpi();

/// One line for people.
std::string describe_mpi();

/// How many processes mpirun (or srun) started together with this one; 0 if none did.
int launched_processes();

}  // namespace litz::distributed::mpi
