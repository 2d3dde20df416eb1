// Which nodes may be recorded in a CUDA graph: what is recorded runs again without the host.
//
//   propose_recordings(graph, recordable(), {.single_nodes = true})
//
// Views, calls without tensors and calls with several results are judged by the same rules as
// others. Results of a predicate are worded for people; `litz partition --cudagraphs` prints them.

#pragma once

#include <string>
#include <vector>

#include "ir/placement.h"
#include "ir/program.h"
#include "passes/partition/partitioner.h"
#include "passes/partition/support.h"

namespace litz::passes {

struct RecordableOptions {
  /// What records: a GPU, or the host device, which stands for one in tests and on machines without.
  DeviceKind device = DeviceKind::cuda;
  /// Operators (names as of is_operator) that must not be recorded, such as custom ones that
  /// synchronise with the device.
  std::vector<std::string> unsafe;
  /// Allows operators that draw random numbers; the runner must advance their state at replay.
  bool has_generator_state = true;
  /// Of programs as a whole: inputs of symbolic sizes speak against a recording, which holds for one
  /// combination of sizes.
  bool skip_symbolic_sizes = false;
};

/// Refuses nodes of which a tensor lies on another kind of device, or not on that of the others,
/// whose sizes or operands' sizes depend on data, that act on the host (assertions, values read from
/// tensors, choices between child graphs), and unsafe operators. Calls of child graphs are judged by
/// their nodes. Not thread-safe.
Support recordable(RecordableOptions options = {});

/// Sets of nodes that `support` accepts, each on one device: a recording replays on the device that
/// it was made on. `support` is recordable(), or that and more.
Proposal propose_recordings(const ir::Graph& graph, const Support& support,
                            const PartitionOptions& options = {});

/// Why a program as a whole is not recorded, in PyTorch's words and order: "mutated inputs (2
/// instances)" for writes to inputs that differ from call to call, "cpu device (x)" and "multiple
/// devices: cuda:0, cuda:1", "incompatible op (nonzero)" for the first node that cannot be recorded on
/// any device. Empty when nothing stands against it.
std::string reason_not_recorded(const ir::Program& program, const RecordableOptions& options = {});

/// Judges a model as if it had been exported on another device.
using ir::place_on;

}  // namespace litz::passes
