// Splits a graph into parts that are called one after the other.
//
//   part_of = {mm: 0, relu: 1, add: 1}
//   %a = aten.mm(%x, %w)                    %a = higher_order.invoke_subgraph(@main.part_0, [%x, %w])
//   %b = aten.relu(%a)                =>    %c = higher_order.invoke_subgraph(@main.part_1, [%a, %x])
//   %c = aten.add.Tensor(%b, %x)            return %c
//
// A part's arguments come in the order in which its nodes first use them, its results in the order
// in which later parts, and at last the return, first use them, or both by their place in the graph
// (BoundaryOrder). Results go straight to every part
// that reads them. Within a part nodes keep their order, names, places in the source and
// annotations. Takes time linear in the graph, and (P log P) in the number of parts.
//
// Parts depend on each other by operands, by the memory and other effects of their nodes, and by
// data-dependent sizes (ir/dependences.h).

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

enum class SplitOrder : uint8_t {
  original,    ///< As their first nodes stand; an error when a part depends on a later one.
  dependency,  ///< Topological; among parts that are ready, the one whose first node stood first.
};

/// How the arguments and results of a part are ordered.
enum class BoundaryOrder : uint8_t {
  first_use,  ///< Arguments as the part's nodes read them, results as they are read outside.
  place,      ///< Arguments of the graph, then results of nodes, as they stand in the graph.
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
  std::vector<std::string> nodes =
      {};  ///< Names that the nodes' results had, "" where they had none.
};

/// The order of BoundaryOrder::place.
bool stands_before(ir::Value a, ir::Value b);

/// The part of a node; negative: the node stays outside of parts.
using PartOf = std::function<int64_t(const ir::Node&)>;

/// Edits the graph in place (ir::clone_graph keeps the original); parts in the order of their calls.
/// A graph without nodes, or with none in a part, stays as it is. Throws Error{invalid_argument},
/// with the graph as it was, when parts depend on each other in a circle, or against the order.
std::vector<SplitPart> split_graph(ir::Graph& graph, const PartOf& part_of,
                                   const SplitOptions& options = {});

/// One part per tag, in the order of `tags`; tags without nodes have none. Throws when a node has
/// another tag, or an earlier one than the node before it.
std::vector<SplitPart> split_by_tags(ir::Graph& graph, std::span<const std::string> tags,
                                     const std::function<std::string_view(const ir::Node&)>& tag_of,
                                     const SplitOptions& options = {});

}  // namespace litz::passes
