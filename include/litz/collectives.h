// Joins the collectives of an exported program of several ranks, and orders its nodes so that
// computation hides them.
//
//   litz::Result<litz::Program> program = litz::open_program("rank0.pt2");
//   if (!program) return fail(program.error().message);
//   litz::Result<litz::CollectiveReport> report =
//       litz::overlap_collectives(*program, {.cap_mb = {25}, .scope = "fsdp"});
//   if (!report) return fail(report.error().message);
//   std::printf("%f us exposed, %f before\n", report->after.exposed_us, report->before.exposed_us);
//   program->save("overlapped.litz").value();
//
// All ranks must do the same. `litz buckets` has a flag for everything here except estimates.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <litz/partition.h>
#include <map>
#include <string>
#include <vector>

namespace litz {
inline namespace v1 {

/// Microseconds of a computation, or of a collective from its start to its result; negative for
/// nodes that it does not know. Asked for nodes with one result.
using NodeEstimate = std::function<double(const NodeInfo&)>;

struct CollectiveOptions {
  bool join = true;  ///< Many small collectives become few large ones.
  /// --cap: most megabytes of the first bucket, the second, ..., and of all after the last. Empty:
  /// 2000 each.
  std::vector<double> cap_mb;
  std::string scope = "all";       ///< --scope: "all", "fsdp", "fsdp-recursive".
  std::string mode = "plain";      ///< --mode: "plain", "packed", "multi-dtype", "coalesced".
  bool schedule = true;            ///< --schedule
  bool join_after = false;         ///< --join-after: after the schedule, what stays hidden.
  bool keep_order = false;         ///< --keep-order: no collective overtakes another of its group.
  double extra_memory_mb = 1024;   ///< --extra-memory: by how much the peak may grow.
  std::string machine = "hopper";  ///< --machine: a named cluster, or a file that describes one.
  std::string measured;            ///< --measured: file of measured times. Empty: none.
  int64_t world = 0;               ///< --world: ranks of the largest groups. 0: their own.
  NodeEstimate estimate;           ///< Called during the call only. None: knows nothing.
};

/// Collectives of one order, and their times under the model of the cluster.
struct CollectiveState {
  std::map<std::string, size_t> counts;  ///< By operator: "all_gather_into_tensor".
  double exposed_us = 0;                 ///< What computation waits for collectives.
  double total_us = 0;
  double peak_bytes = 0;  ///< Besides inputs.
};

struct CollectiveBucket {
  std::string kind;                  ///< "all_gather", "reduce_scatter", "all_reduce"
  std::string group;                 ///< The name of the group of ranks.
  std::vector<std::string> members;  ///< Names of the nodes that became one.
  double bytes = 0;
};

struct CollectiveReport {
  CollectiveState before;
  CollectiveState after;
  std::vector<CollectiveBucket> buckets;
};

/// Makes the program functional, if it is not, and changes its main graph.
LITZ_API Result<CollectiveReport> overlap_collectives(Program& program,
                                                      const CollectiveOptions& options = {});

}  // namespace v1
}  // namespace litz
