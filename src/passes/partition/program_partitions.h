// Proposes and fuses sets in all graphs of a program, by requests of `litz partition` and
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

/// Which nodes may be in sets: those that all given conditions accept.
struct PartitionRequest {
  std::vector<std::string> operators;  ///< Names as in ir::resolve_operator; empty: all.
  std::vector<std::string> excluded_operators;
  std::vector<DType> excluded_dtypes;  ///< Dtypes of operands.
  std::vector<std::string> nodes;      ///< Names as in NodeNames, or with the graph's: "main.relu".
  bool recordable = false;             ///< Only what a CUDA graph can record, by `recording`.
  RecordableOptions recording;
  Support predicate;  ///< Null: all.
  PartitionOptions options;
};

/// Names of nodes: the name of their result or, for nodes with several or without a named result,
/// the name that torch.fx gives them.
class NodeNames {
 public:
  explicit NodeNames(const ir::Graph& graph);
  std::string operator()(const ir::Node& node) const;
  /// "%relu"; names of torch.fx stay without a percent sign.
  std::string shown(const ir::Node& node) const;

 private:
  std::map<const ir::Node*, std::string> others_;  ///< Nodes without a result that names them.
};

struct GraphProposal {
  ir::Graph* graph = nullptr;
  Proposal proposal;
};

/// Proposals by graph, callers first. Throws Error{invalid_argument} for a request that names
/// nothing, for unknown operators and for nodes that the program lacks.
std::vector<GraphProposal> propose_in_program(ir::Graph& main, const PartitionRequest& request);

/// Fuses the sets of every graph; returns calls by graph, in the order of the proposals.
std::vector<std::vector<SplitPart>> fuse_in_program(const std::vector<GraphProposal>& proposals,
                                                    const FuseOptions& options = {});

/// Suggestions, in terms of the command line, for a request without a set or without one of some
/// node. Empty if there is none.
std::vector<std::string> partition_hints(const std::vector<GraphProposal>& proposals,
                                         const PartitionRequest& request);

/// "%a leads to %c through %b"
std::string to_string(const Barrier& barrier, const NodeNames& names);

/// Reads "cpu", "cuda" (which is cuda:0) or "cuda:1"; throws Error{invalid_argument} for others.
Device parse_place(const std::string& text);

/// Throws Error{invalid_argument} if names of graphs cannot begin with the prefix.
void require_prefix(const std::string& prefix);

/// The values that a set reads and those of it that are read outside, in the order of
/// BoundaryOrder::place.
struct Boundary {
  std::vector<ir::Value> inputs;
  std::vector<ir::Value> outputs;
};

Boundary boundary_of(const Partition& partition);

}  // namespace litz::passes
