// Options that say which sets of nodes are taken out of a program.

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "ir/program.h"
#include "passes/partition/program_partitions.h"

namespace litz::tools {

struct PartitionSettings {
  std::vector<std::string> operators;
  std::vector<std::string> excluded_operators;
  std::vector<std::string> excluded_dtypes;
  std::vector<std::string> nodes;
  std::vector<std::string> unsafe;
  std::vector<std::string> non_compute;
  std::vector<std::string> may_stand_alone;
  std::string device;
  std::string level = "late";
  std::string boundary = "place";
  std::string prefix = "fused_";
  bool cuda_graphs = false;
  bool no_random = false;
  bool single_nodes = false;
  bool connected = false;
  bool trim_ends = false;
};

void add_partition_options(CLI::App& command, PartitionSettings& settings);

/// True if an option concerns sets.
bool asks_for_partitions(const CLI::App& command);

/// Moves the program to the device of the settings, if any, and proposes sets in all graphs. Throws
/// Error for settings that do not fit.
std::vector<passes::GraphProposal> propose(ir::Program& program, const PartitionSettings& settings);

passes::FuseOptions fuse_options(const PartitionSettings& settings);

/// Returns what to try if there are no sets.
std::vector<std::string> hints(const std::vector<passes::GraphProposal>& proposals,
                               const PartitionSettings& settings);

}  // namespace litz::tools
