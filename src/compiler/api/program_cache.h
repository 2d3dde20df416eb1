// Programs that were traced before, by what they compute.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "compiler/api/traced_program.h"
#include "support/recently_used.h"

namespace litz::compiler {

/// Keeps the programs that were used last. Thread-safe.
class ProgramCache {
 public:
  explicit ProgramCache(size_t most) : programs_(most) {}

  /// The compiled form of a program with constant sizes: that of an equal one, or made now.
  std::shared_ptr<TracedProgram> compiled(ir::Program program, const Options& options);

  /// How many programs were made so far.
  size_t made() const;

 private:
  mutable std::mutex mutex_;
  /// By the text of the program as it was traced: programs of one text are equal.
  RecentlyUsed<std::shared_ptr<TracedProgram>> programs_;
  size_t made_ = 0;
};

}  // namespace litz::compiler
