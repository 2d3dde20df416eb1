// Runs of several ranks: in this process, or one per process.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/run_options.h"
#include "common/run_results.h"
#include "distributed/communicator.h"

namespace litz::tools {

struct RankSettings {
  std::string engine;  ///< Empty: MPI if mpirun started this process, else simulated.
  int world = 0;       ///< 0: not stated.
  std::optional<int> rank;
  std::vector<std::string> groups;
  int64_t delay_us = 0;
  double patience_s = 0;  ///< 0: for ever.
  std::string rendezvous;
};

void add_rank_options(CLI::App& command, RankSettings& settings);

/// True unless one rank runs alone.
bool has_ranks(const RankSettings& settings);

/// Refuses options that do nothing with the others.
void require_use(const RankSettings& settings);

/// Replaces {rank}.
std::string for_rank(std::string text, int rank);

/// One rank's work. It returns what shows and saves its results, which runs when all ranks are done,
/// and returns an exit status.
using RankWork = std::function<std::function<int()>(
    const std::shared_ptr<distributed::Communicator>& rank, const ResultSettings& results)>;

/// Runs the ranks of this process. `results` are for all ranks: each gets its own files, and only
/// one prints.
int run_ranks(const RankSettings& settings, const CallSettings& calls,
              const ResultSettings& results, const RankWork& work);

}  // namespace litz::tools
