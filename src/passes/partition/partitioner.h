// Finds sets of nodes that can all be contracted to one node each at the same time.
//
//   supported: add       %a = add(%x, %y)     level 3   {%a}
//                        %b = relu(%a)        level 2
//                        %c = add(%b, %a)     level 1   {%c, %d}
//                        %d = add(%c, %x)     level 1
//
// The level of a node is the largest number of changes between supported and unsupported nodes on a
// path from it to the end, counted so that supported nodes have odd levels:
//
//   level(n) = max(class(n), max over readers r of level(r) + [class(r) != class(n)])
//
// The supported nodes of one level form a set. Contracting all of them leaves no cycle, since a
// path never leads to a higher level, and stays on one level only within the set. No other choice
// has fewer sets, since the supported runs of one path need a set each. The sweep runs backwards in
// O(V + E). Readers are those of results, and nodes that must come later because of effects, shared
// memory or the sizes that they define (ir/dependences.h).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/partition/support.h"

namespace litz::passes {

/// Selects one of the levels that a node may have.
enum class LevelChoice : uint8_t {
  late,          ///< The level of its readers.
  early,         ///< The level of its operands.
  least_memory,  ///< Early if its results are smaller than what it alone keeps alive, otherwise
                 ///< late.
};

struct PartitionOptions {
  /// Keeps sets with fewer than two nodes that compute.
  bool single_nodes = false;
  /// Operators (names as in is_operator) that compute nothing, besides views.
  std::vector<std::string> non_compute;
  /// Operators that may form a set alone.
  std::vector<std::string> may_stand_alone;
  /// Removes operators of `non_compute` from the ends of a set: those followed only by such
  /// operators towards the set's operands or its results.
  bool trim_ends = false;
  /// Allows nodes in one set that no operands inside connect. Otherwise, sets grow along operands
  /// as far as possible (connected_levels.h).
  bool join_unconnected = true;
  LevelChoice level = LevelChoice::late;
};

/// A path that leaves a set and leads to supported nodes, which must therefore be another set.
struct Barrier {
  const ir::Node* from = nullptr;     ///< In the set.
  const ir::Node* through = nullptr;  ///< The first unsupported node on the path.
  const ir::Node* to = nullptr;       ///< The first supported node after it.
};

struct Partition {
  std::vector<ir::Node*> nodes;    ///< In graph order.
  std::string kind;                ///< The answer of KindOf; empty for propose_partitions.
  std::optional<Barrier> barrier;  ///< None: no such path to a set of its kind.
};

struct LeftOut {
  enum class Cause : uint8_t {
    refused,    ///< By the predicate.
    too_small,  ///< Its set would have had fewer than two nodes that compute.
    unread,     ///< Its set would have had no effects and no results that are read.
    trimmed,    ///< It computes nothing and is at the end of a set.
  };

  const ir::Node* node = nullptr;
  std::string reason;
  Cause cause = Cause::refused;
};

struct Proposal {
  /// Ordered by the first appearance of their kinds, and within a kind from the end of the graph
  /// on.
  std::vector<Partition> partitions;
  std::vector<LeftOut> left_out;  ///< In graph order.
};

/// Proposes sets of one kind, without sets of dead nodes. Throws Error{invalid_argument} unless the
/// graph is in topological order, as every verified graph is.
Proposal propose_partitions(const ir::Graph& graph, const Support& support,
                            const PartitionOptions& options = {});

/// The kind of set that a node belongs in, or a refusal.
struct KindOrRefusal {
  std::optional<std::string> kind;
  std::string reason;  ///< Set if there is no kind.
};

using KindOf = std::function<KindOrRefusal(const ir::Node&)>;

/// Proposes sets of several kinds, which never mix. Sets of a kind are chosen in a graph in which
/// earlier kinds' sets are single nodes, so that all of them can be contracted together. O(kinds *
/// (V + E)).
Proposal propose_partitions_by_kind(const ir::Graph& graph, const KindOf& kind_of,
                                    const PartitionOptions& options = {});

}  // namespace litz::passes
