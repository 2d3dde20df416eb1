// The verbs of the litz command: each adds its options to the parser and runs when chosen.

#pragma once

#include <CLI/CLI.hpp>

namespace litz::tools {

/// What the commands return to the shell.
enum ExitStatus : int {
  kSuccess = 0,
  kMismatch = 1,     ///< `run --compare`: the result differs; `bisect`: something is wrong.
  kBadUsage = 2,     ///< Options or inputs that do not fit.
  kBadFile = 3,      ///< The model or a data file cannot be read.
  kUnsupported = 4,  ///< Valid, but Litz cannot run it yet.
  kInternal = 70,    ///< A bug in Litz.
};

void add_run(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_bisect(CLI::App& app, int& status);
void add_compile(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_partition(CLI::App& app, int& status);
void add_print(CLI::App& app, int& status);
void add_ops(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_cache(CLI::App& app, int& status);

}  // namespace litz::tools
