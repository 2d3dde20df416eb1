// Partitions an exported program into sets of nodes, and makes every set one call.
//
//   litz::Result<litz::Program> program = litz::open_program("model.pt2");
//   if (!program) return fail(program.error().message);
//   litz::Result<litz::Proposal> found = program->propose({.operators = {"aten.relu", "aten.add"}});
//   if (!found) return fail(found.error().message);
//   for (const litz::NodeSet& set : found->sets) ...  // names of nodes, what they take and give
//   program->fuse(found->sets).value();               // @main calls @main.fused_0, ...
//   program->save("fused.litz").value();
//   litz::Result<litz::Executable> runs = program->prepare();
//
// Proposed sets can always be fused, all together. `litz partition` does the same and has a flag
// for everything here except predicates.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <litz/litz.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace litz {
inline namespace v1 {

/// An operand or a result of a node.
struct ValueInfo {
  std::string name;  ///< "relu"
  std::string type;  ///< As graphs are printed: "f32[s77, 16]"
  bool is_tensor = false;
  DType dtype = DType::float32;  ///< Tensors only.
  std::string device;            ///< Tensors only: "cpu", "cuda:0"
};

/// A node as a predicate sees it.
struct NodeInfo {
  std::string graph;  ///< "main", or a child graph's name.
  /// "relu"; PyTorch's name for the node if it does not have exactly one result.
  std::string name;
  std::string op;      ///< The operator with its overload: "aten.add.Tensor"
  std::string module;  ///< The module of the exported model that made the node: "encoder.layer.0"
  std::string source;  ///< The line of Python: "model.py:12". Empty if unknown.
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
};

/// Returns an empty string if the node may be in a set; otherwise the reason, in words that can
/// follow the node's name.
using NodePredicate = std::function<std::string(const NodeInfo&)>;

/// Which set gets a node that could be in several.
enum class SetLevel : uint8_t {
  late,   ///< The set of its readers.
  early,  ///< The set of its operands.
  /// `early` if its results are smaller than the operands that it alone keeps alive, else `late`.
  least_memory,
};

/// A set may contain the nodes that every option here accepts; at least one option must be given.
/// Operators are named with their overload ("aten.add.Tensor") or without, for all overloads
/// ("aten.add").
struct PartitionOptions {
  std::vector<std::string> operators;           ///< --ops. Empty: any.
  std::vector<std::string> excluded_operators;  ///< --not-ops
  std::vector<DType> excluded_dtypes;           ///< --not-dtypes: no operand has one of these.
  std::vector<std::string> nodes;               ///< --nodes: by name. Empty: any.
  bool cuda_graphs = false;         ///< --cudagraphs: only nodes that a CUDA graph can record.
  std::vector<std::string> unsafe;  ///< --unsafe: operators that must not be recorded.
  bool random = true;  ///< --no-random if false: nodes that draw random numbers are not recorded.
  NodePredicate predicate;    ///< Called once per node, in graph order. None: any.
  bool single_nodes = false;  ///< --single-nodes: allows fewer than two nodes that compute.
  std::vector<std::string> non_compute;      ///< --non-compute: operators, besides views.
  std::vector<std::string> may_stand_alone;  ///< --stand-alone: enough for a separate set.
  bool trim_ends = false;           ///< --trim-ends: takes `non_compute` off the ends of sets.
  bool join_unconnected = true;     ///< --connected if false: edges inside a set connect its nodes.
  SetLevel level = SetLevel::late;  ///< --level
};

struct NodeSet {
  std::string graph;
  std::vector<std::string> nodes;      ///< By name.
  std::vector<std::string> operators;  ///< The operators of the nodes, in their order.
  std::vector<std::string> inputs;     ///< Values from outside, in program order.
  std::vector<std::string> outputs;    ///< Values that other nodes read.
  /// The path that prevents a merge with another set: "%a leads to %c through %b".
  std::string apart_because;
};

struct LeftOutNode {
  std::string graph;
  std::string node;
  std::string op;
  std::string reason;
  std::string source;
};

struct Proposal {
  std::vector<NodeSet> sets;  ///< Ordered by graph, callers first, then from the end of each graph.
  std::vector<LeftOutNode> left_out;
  std::vector<std::string> hints;  ///< What to try if there are no sets or some are left out.
  std::string against;             ///< With `cuda_graphs`: why the whole program is not recorded.
};

/// The order of arguments and results of fused sets.
enum class SetBoundary : uint8_t {
  place,  ///< In program order: inputs of the program, then results of nodes.
  /// Arguments in the order that the set reads them, results in the order of outside reads.
  first_use,
};

struct FuseOptions {
  std::string prefix = "fused_";  ///< --prefix: child graphs are named GRAPH.PREFIX0, made unique.
  SetBoundary boundary = SetBoundary::place;  ///< --boundary
};

struct CollectiveOptions;  // litz/collectives.h
struct CollectiveReport;

/// An exported program as a graph with its weights, not compiled. Calls on one object must not
/// overlap.
class LITZ_API Program {
 public:
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  /// Returns the nodes of the main graph and of the graphs that it calls, callers first.
  std::vector<NodeInfo> nodes() const;
  /// --device: moves all tensors to "cpu", "cuda" or "cuda:N", as if the model had been exported
  /// there.
  Result<bool> place_on(const std::string& device);

  Result<Proposal> propose(const PartitionOptions& options) const;
  /// Makes each set a child graph and a call, and returns the names of these graphs. Only `graph`
  /// and `nodes` of a set are used, in any order, so sets may be edited. Fails, and leaves the
  /// program unchanged, for a node in two sets, for sets without effects or results that are read,
  /// and for sets that depend on each other: the message names a path that leaves a set and comes
  /// back.
  Result<std::vector<std::string>> fuse(std::span<const NodeSet> sets,
                                        const FuseOptions& options = {});
  /// Reverses `fuse`: replaces all calls of these child graphs by their nodes. Returns the number
  /// of calls.
  Result<size_t> inline_graphs(std::span<const std::string> graphs);

  /// Returns the text that `litz print` prints.
  std::string text() const;
  /// Writes a file that `open_program`, `load` and the litz command read; a name that ends in ".ir"
  /// gets only the text. Returns its size in bytes.
  Result<size_t> save(const std::string& path) const;
  /// Copies the program and prepares it to run. Sets are compiled together with their surroundings.
  Result<Executable> prepare(const Options& options = {}) const;

 private:
  friend LITZ_API Result<Program> open_program(const std::string& path, const std::string& model);
  friend LITZ_API Result<CollectiveReport> overlap_collectives(Program& program,
                                                               const CollectiveOptions& options);
  struct Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

/// Reads an exported program (.pt2), or a file that Program::save wrote; `model` names one of an
/// archive with several.
LITZ_API Result<Program> open_program(const std::string& path, const std::string& model = {});

}  // namespace v1
}  // namespace litz
