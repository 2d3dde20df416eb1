// Splits a graph into parts that are called one after the other.
//
//   part_of = {mm: 0, relu: 1, add: 1}
//   %a = aten.mm(%x, %w)                    %a = higher_order.invoke_subgraph(@main.part_0, [%x, %w])
//   %b = aten.relu(%a)                =>    %c = higher_order.invoke_subgraph(@main.part_1, [%a, %x])
//   %c = aten.add.Tensor(%b, %x)            return %c
//
// A part's arguments come in the order in which its nodes first use them, its results in the order
// in which later parts, and last the return, first use them; or both by their position in the graph
// (BoundaryOrder). Every part that reads a result gets it directly. Within a part, nodes keep their
// order, names, source locations and annotations. Takes time linear in the graph and O(P log P) in
// the number of parts.
//
// Parts depend on each other through operands, through memory and other effects of their nodes, and
// through data-dependent sizes (ir/dependences.h).

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

enum class SplitOrder : uint8_t {
  original,    ///< By their first nodes; an error if a part depends on a later one.
  dependency,  ///< Topological; among ready parts, the one with the earliest first node.
};

/// How the arguments and results of a part are ordered.
enum class BoundaryOrder : uint8_t {
  first_use,  ///< Arguments in the order of the part's reads, results in that of the outer reads.
  place,      ///< Arguments of the graph, then results of nodes, in graph order.
};

struct SplitOptions {
  SplitOrder order = SplitOrder::dependency;
  BoundaryOrder boundary = BoundaryOrder::first_use;
  std::string prefix = "part_";  ///< A part's graph is named @<graph>.<prefix><number or tag>.
};

struct SplitPart {
  std::string name;  ///< Number or tag.
  ir::Graph* graph = nullptr;
  ir::Node* call = nullptr;
  std::vector<std::string> nodes = {};  ///< The old names of the results, "" for those without.
};

/// The order of BoundaryOrder::place.
bool stands_before(ir::Value a, ir::Value b);

/// The part of a node; negative: the node stays outside.
using PartOf = std::function<int64_t(const ir::Node&)>;

/// Edits the graph in place (ir::clone_graph keeps the original) and returns parts in the order of
/// their calls. A graph without nodes in parts stays unchanged. Throws Error{invalid_argument},
/// with the graph unchanged, when parts depend on each other in a cycle or against the order.
std::vector<SplitPart> split_graph(ir::Graph& graph, const PartOf& part_of,
                                   const SplitOptions& options = {});

/// One part per tag, in the order of `tags`; tags without nodes have no part. Throws when a node
/// has an unknown tag, or an earlier one than the node before it.
std::vector<SplitPart> split_by_tags(ir::Graph& graph, std::span<const std::string> tags,
                                     const std::function<std::string_view(const ir::Node&)>& tag_of,
                                     const SplitOptions& options = {});

}  // namespace litz::passes
