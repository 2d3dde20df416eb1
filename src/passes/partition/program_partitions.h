// Sets in all graphs of a program, as people ask for them: by flags of `litz partition` and by
// litz/partition.h.
//
//   ProgramProposal proposal = propose_in_program(program.graph(), request);
//   fuse_in_program(proposal);           // @main calls @main.fused_0, ...

#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/partition/cuda_graphs.h"
#include "passes/partition/fuse_partitions.h"
#include "passes/partition/partitioner.h"
#include "passes/partition/support.h"

namespace litz::passes {

/// Which nodes may be in sets: those that everything given here takes.
struct PartitionRequest {
  std::vector<std::string> operators;  ///< Names as of ir::resolve_operator; empty: all.
  std::vector<std::string> excluded_operators;
  std::vector<DType> excluded_dtypes;  ///< Of operands.
  std::vector<std::string> nodes;      ///< Names as of NodeNames, or with the graph's: "main.relu".
  bool recordable = false;             ///< What a CUDA graph can record, by `recording`.
  RecordableOptions recording;
  Support predicate;  ///< Null: all.
  PartitionOptions options;
};

/// Names of nodes: those of their results, and of nodes that have no result with a name, or several,
/// those that torch.fx gives them.
class NodeNames {
 public:
  explicit NodeNames(const ir::Graph& graph);
  std::string operator()(const ir::Node& node) const;
  /// "%relu"; those of torch.fx stay bare.
  std::string shown(const ir::Node& node) const;

 private:
  std::map<const ir::Node*, std::string> others_;  ///< Without a result of their own name.
};

struct GraphProposal {
  ir::Graph* graph = nullptr;
  Proposal proposal;
};

/// By graph, callers first. Throws Error{invalid_argument} for a request that names nothing, for
/// operators that there are not and for nodes that the program has not.
std::vector<GraphProposal> propose_in_program(ir::Graph& main, const PartitionRequest& request);

/// Fuses the sets of every graph; calls by graph, as they were proposed.
std::vector<std::vector<SplitPart>> fuse_in_program(const std::vector<GraphProposal>& proposals,
                                                    const FuseOptions& options = {});

/// What to try when there is no set, or none of one node; words of the command line. Empty when
/// nothing is to be said.
std::vector<std::string> partition_hints(const std::vector<GraphProposal>& proposals,
                                         const PartitionRequest& request);

/// "%a leads to %c through %b"
std::string to_string(const Barrier& barrier, const NodeNames& names);

/// "cpu", "cuda" (that is cuda:0) or "cuda:1"; throws Error{invalid_argument} for others.
Device parse_place(const std::string& text);

/// Throws Error{invalid_argument} unless names of graphs may begin so.
void require_prefix(const std::string& prefix);

/// What a set reads and what others read of it, in the order that BoundaryOrder::place gives.
struct Boundary {
  std::vector<ir::Value> inputs;
  std::vector<ir::Value> outputs;
};

Boundary boundary_of(const Partition& partition);

}  // namespace litz::passes
