// An MPI whose ranks are threads of one process, for tests of the engine without processes: messages
// may be late, and the nth call may fail.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "distributed/mpi/mpi_functions.h"

namespace litz::distributed::mpi {

struct ThreadMpiOptions {
  int ranks = 2;
  int looks = 0;     ///< A message that has arrived is seen at the so many-th look.
  int fails = -1;    ///< The rank whose call fails.
  int fails_at = 0;  ///< Which of its calls; 0 is the first.
};

/// The table for the world of the last run_threads.
const MpiFunctions& thread_mpi();

/// Runs `body` once for each rank, and returns what each threw: empty if nothing.
std::vector<std::string> run_threads(const ThreadMpiOptions& options,
                                     const std::function<void(int rank)>& body);

/// How many calls of functions that can fail each rank has made.
std::vector<int> calls_made();

}  // namespace litz::distributed::mpi
