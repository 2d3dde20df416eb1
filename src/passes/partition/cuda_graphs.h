// Decides which nodes a CUDA graph may record: a recording runs again without the host.
//
//   propose_recordings(graph, recordable(), {.single_nodes = true})
//
// Views, calls without tensors and calls with several results follow the same rules as others. The
// reasons of a predicate are for people; `litz partition --cudagraphs` prints them.

#pragma once

#include <string>
#include <vector>

#include "ir/placement.h"
#include "ir/program.h"
#include "passes/partition/partitioner.h"
#include "passes/partition/support.h"

namespace litz::passes {

struct RecordableOptions {
  /// The device that records: a GPU, or the host device, which replaces one in tests and on
  /// machines without a GPU.
  DeviceKind device = DeviceKind::cuda;
  /// Operators (names as in is_operator) that must not be recorded, such as custom ones that
  /// synchronise with the device.
  std::vector<std::string> unsafe;
  /// Allows operators that draw random numbers; the runner must advance their state at replay.
  bool has_generator_state = true;
  /// For whole programs: rejects inputs of symbolic sizes, since a recording holds for one
  /// combination of sizes.
  bool skip_symbolic_sizes = false;
};

/// Rejects nodes with a tensor on another kind of device or on different devices, nodes whose sizes
/// or operand sizes depend on data, nodes that act on the host (assertions, values read from
/// tensors, choices between child graphs), and unsafe operators. Calls of child graphs are judged
/// by their nodes. Not thread-safe.
Support recordable(RecordableOptions options = {});

/// Sets of nodes that `support` accepts, each on one device, since a recording replays on the
/// device where it was made. `support` is recordable(), or a stricter predicate.
Proposal propose_recordings(const ir::Graph& graph, const Support& support,
                            const PartitionOptions& options = {});

/// Why a whole program is not recorded, in PyTorch's words and order: "mutated inputs (2
/// instances)" for writes to inputs that differ between calls, "cpu device (x)" and "multiple
/// devices: cuda:0, cuda:1", "incompatible op (nonzero)" for the first node that no device can
/// record. Empty if it can be recorded.
std::string reason_not_recorded(const ir::Program& program, const RecordableOptions& options = {});

/// Treats a model as if it had been exported on another device.
using ir::place_on;

}  // namespace litz::passes
