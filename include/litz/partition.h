// Sets of nodes of an exported program, and the program in which every set is one call.
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
// Sets that are proposed can always be fused, all together. `litz partition` does the same, with a flag
// for everything here but predicates.

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
  DType dtype = DType::float32;  ///< Of tensors.
  std::string device;            ///< Of tensors: "cpu", "cuda:0"
};

/// A node as a predicate sees it.
struct NodeInfo {
  std::string graph;   ///< "main", or a child graph's name.
  std::string name;    ///< "relu"; as PyTorch names the node where it has not one result.
  std::string op;      ///< The operator with its overload: "aten.add.Tensor"
  std::string module;  ///< The module of the exported model that it comes from: "encoder.layer.0"
  std::string source;  ///< The line of Python: "model.py:12". Empty where it is not known.
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
};

/// Empty when the node may be in a set; otherwise why not, in words that can follow its name.
using NodePredicate = std::function<std::string(const NodeInfo&)>;

/// Where nodes go that could be in several sets.
enum class SetLevel : uint8_t {
  late,          ///< With their readers.
  early,         ///< With what they read.
  least_memory,  ///< Early when their results are smaller than what they alone keep alive, else late.
};

/// Nodes are taken that everything here takes; something must be said. Operators are named with their
/// overload ("aten.add.Tensor") or without, for all of them ("aten.add").
struct PartitionOptions {
  std::vector<std::string> operators;           ///< --ops. Empty: any.
  std::vector<std::string> excluded_operators;  ///< --not-ops
  std::vector<DType> excluded_dtypes;           ///< --not-dtypes: no operand has one of these.
  std::vector<std::string> nodes;               ///< --nodes: by name. Empty: any.
  bool cuda_graphs = false;                     ///< --cudagraphs: what a CUDA graph can record.
  std::vector<std::string> unsafe;              ///< --unsafe: operators that must not be recorded.
  bool random = true;         ///< Off is --no-random: what draws random numbers is not recorded.
  NodePredicate predicate;    ///< Asked once for every node, in graph order. None: any.
  bool single_nodes = false;  ///< --single-nodes: fewer than two that compute.
  std::vector<std::string> non_compute;      ///< --non-compute: operators, besides views.
  std::vector<std::string> may_stand_alone;  ///< --stand-alone: worth a set of their own.
  bool trim_ends = false;        ///< --trim-ends: takes `non_compute` off the ends of sets.
  bool join_unconnected = true;  ///< Off is --connected: edges inside connect the nodes of a set.
  SetLevel level = SetLevel::late;  ///< --level
};

struct NodeSet {
  std::string graph;
  std::vector<std::string> nodes;      ///< By name.
  std::vector<std::string> operators;  ///< Of the nodes, in their order.
  std::vector<std::string> inputs;     ///< Values from outside, as they stand in the program.
  std::vector<std::string> outputs;    ///< Values that others read.
  /// The path that keeps it from being one set with another: "%a leads to %c through %b".
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
  std::vector<NodeSet> sets;  ///< By graph, callers first; those nearest to the end first.
  std::vector<LeftOutNode> left_out;
  std::vector<std::string> hints;  ///< What to try, where there are no sets or some are left out.
  std::string against;  ///< With `cuda_graphs`: why the program as a whole is not recorded.
};

/// How arguments and results of fused sets are ordered.
enum class SetBoundary : uint8_t {
  place,      ///< As they stand in the program: its inputs, then results of nodes.
  first_use,  ///< Arguments as nodes of the set read them, results as they are read outside.
};

struct FuseOptions {
  std::string prefix = "fused_";  ///< --prefix: child graphs are named GRAPH.PREFIX0, made unique.
  SetBoundary boundary = SetBoundary::place;  ///< --boundary
};

/// An exported program as a graph with its weights, not compiled. Calls of one object follow each
/// other.
class LITZ_API Program {
 public:
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  /// All nodes of the main graph and of those that it calls, callers first.
  std::vector<NodeInfo> nodes() const;
  /// --device: all tensors lie on "cpu", "cuda" or "cuda:N", as if the model had been exported there.
  Result<bool> place_on(const std::string& device);

  Result<Proposal> propose(const PartitionOptions& options) const;
  /// Makes each set a child graph and a call, and gives the names of these graphs. Of a set, graph and
  /// nodes count, in any order, so sets may be edited. Fails, with the program as it was, for a node in
  /// two sets, for sets without results that are read or effects, and for sets that need each other:
  /// the message names a path that leaves a set and comes back.
  Result<std::vector<std::string>> fuse(std::span<const NodeSet> sets,
                                        const FuseOptions& options = {});
  /// The way back: puts the nodes of child graphs in the place of all calls of them. Gives the number
  /// of calls.
  Result<size_t> inline_graphs(std::span<const std::string> graphs);

  /// As `litz print` prints it.
  std::string text() const;
  /// Writes a file that `open_program`, `load` and the litz command take; a name that ends in ".ir"
  /// gets the text alone. Gives its size in bytes.
  Result<size_t> save(const std::string& path) const;
  /// A copy of the program, ready to run. Sets are compiled together with what is around them.
  Result<Executable> prepare(const Options& options = {}) const;

 private:
  friend LITZ_API Result<Program> open_program(const std::string& path, const std::string& model);
  struct Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads an exported program (.pt2), or what Program::save wrote; `model` names one of an archive with
/// several.
LITZ_API Result<Program> open_program(const std::string& path, const std::string& model = {});

}  // namespace v1
}  // namespace litz
