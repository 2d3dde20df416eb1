// Runs jobs in child processes, so that a crash costs one verdict and not the run.

#pragma once

#include <functional>
#include <string>

namespace litz::corpus {

struct WorkerLimits {
  int children = 1;      ///< At a time.
  int jobs = 1;          ///< Of one child, one after the other.
  double seconds = 600;  ///< Of one job.
};

/// Runs jobs 0 .. count - 1 in forked children. `work` runs in a child and returns text without
/// line ends; `done` runs in the parent, in order of completion, with the text, or with `failure`
/// saying how the child died at this job (signal, time-out). Other jobs of a child that died are run
/// by another one.
void run_in_children(int count, const WorkerLimits& limits,
                     const std::function<std::string(int)>& work,
                     const std::function<void(int, std::string text, std::string failure)>& done);

}  // namespace litz::corpus
