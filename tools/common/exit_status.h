// The exit statuses of the commands.

#pragma once

#include "support/check.h"

namespace litz::tools {

enum ExitStatus : int {
  kSuccess = 0,
  kMismatch = 1,     ///< `run --compare`: the result differs; `bisect`: something is wrong.
  kBadUsage = 2,     ///< Options or inputs that do not fit.
  kBadFile = 3,      ///< The model or a data file cannot be read.
  kUnsupported = 4,  ///< Valid, but Litz cannot run it yet.
  kNoMemory = 5,     ///< The system refused memory.
  kUntrusted = 6,    ///< No trusted key signed the model.
  kInternal = 70,    ///< A bug in Litz.
};

/// The status that an error ends a command with.
int status_of(const Error& error);

}  // namespace litz::tools
