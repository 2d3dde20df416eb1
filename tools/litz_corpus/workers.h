// Runs jobs in child processes, so that a crash costs one verdict and not the run.

#pragma once

#include <functional>
#include <string>

namespace litz::corpus {

/// Runs jobs 0 .. count - 1, at most `parallel` at a time, each in a forked child. `work` runs in
/// the child and returns text; `done` runs in the parent in order of completion with the text, or
/// with `failure` saying how the child died (signal, time-out after `seconds`).
void run_in_children(int count, int parallel, double seconds,
                     const std::function<std::string(int)>& work,
                     const std::function<void(int, std::string text, std::string failure)>& done);

}  // namespace litz::corpus
