// The verbs of the litz command: each adds its options to the parser and runs when chosen.

#pragma once

#include <CLI/CLI.hpp>

#include "common/exit_status.h"

namespace litz::tools {

void add_run(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_bisect(CLI::App& app, int& status);
void add_buckets(CLI::App& app, int& status);
void add_compile(CLI::App& app, int& status);
void add_info(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_partition(CLI::App& app, int& status);
void add_print(CLI::App& app, int& status);
void add_ops(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_cache(CLI::App& app, int& status);
void add_key(CLI::App& app, int& status);
void add_sign(CLI::App& app, int& status);

}  // namespace litz::tools
