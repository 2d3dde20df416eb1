// Finds sets of nodes that can be taken out of a graph, each as one node, all at once.
//
//   supported: add       %a = add(%x, %y)     level 3   {%a}
//                        %b = relu(%a)        level 2
//                        %c = add(%b, %a)     level 1   {%c, %d}
//                        %d = add(%c, %x)     level 1
//
// The level of a node is the largest number of changes between supported and not supported on a
// path that leads from it to the end, counted so that supported nodes have odd levels:
//
//   level(n) = max(class(n), max over readers r of level(r) + [class(r) != class(n)])
//
// Supported nodes of one level form a set. Contracting all of them leaves no cycle, since a path
// never leads to a higher level and stays on one level only without leaving the set; and no other
// choice has fewer sets, since the supported runs of one path need a set each. One backward sweep,
// O(V + E). Readers are those of results and those that must come later for their effects, the
// memory that they touch or the sizes that they define (ir/dependences.h).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/partition/support.h"

namespace litz::passes {

/// Which of the levels that a node may have it gets.
enum class LevelChoice : uint8_t {
  late,          ///< With its readers.
  early,         ///< With what it reads.
  least_memory,  ///< Early when its results are smaller than what it alone keeps alive, else late.
};

struct PartitionOptions {
  /// Keeps sets with fewer than two nodes that compute.
  bool single_nodes = false;
  /// Operators (names as of is_operator) that compute nothing, besides views.
  std::vector<std::string> non_compute;
  /// Operators that are worth a set of their own.
  std::vector<std::string> may_stand_alone;
  /// Takes operators of `non_compute` off the ends of a set: those that, towards its operands or
  /// towards its results, are followed by their like alone.
  bool trim_ends = false;
  /// Lets nodes be in one set that no operands inside of it connect. Without it, sets grow along
  /// operands as far as they can (connected_levels.h).
  bool join_unconnected = true;
  LevelChoice level = LevelChoice::late;
};

/// A path that leads out of a set and on to supported nodes that for this reason are another set.
struct Barrier {
  const ir::Node* from = nullptr;     ///< In the set.
  const ir::Node* through = nullptr;  ///< The first node on the path that is not supported.
  const ir::Node* to = nullptr;       ///< The first one that is supported again.
};

struct Partition {
  std::vector<ir::Node*> nodes;    ///< In graph order.
  std::string kind;                ///< As KindOf said; empty for propose_partitions.
  std::optional<Barrier> barrier;  ///< None: no set of its kind depends on it through others.
};

struct LeftOut {
  enum class Cause : uint8_t {
    refused,    ///< By the predicate.
    too_small,  ///< Its set would have had fewer than two nodes that compute.
    unread,     ///< Its set would have had no results that are read, and no effects.
    trimmed,    ///< It computes nothing, at the end of a set.
  };

  const ir::Node* node = nullptr;
  std::string reason;
  Cause cause = Cause::refused;
};

struct Proposal {
  /// By kind in order of first appearance; those of a kind nearest to the end of the graph first.
  std::vector<Partition> partitions;
  std::vector<LeftOut> left_out;  ///< In graph order.
};

/// One kind of sets. Sets of nodes that nobody notices, since they are dead, are left out. Throws Error{invalid_argument} unless the graph is in topological order, as every
/// verified graph is.
Proposal propose_partitions(const ir::Graph& graph, const Support& support,
                            const PartitionOptions& options = {});

/// What kind of set a node belongs in, or nothing.
struct KindOrRefusal {
  std::optional<std::string> kind;
  std::string reason;  ///< Without a kind.
};

using KindOf = std::function<KindOrRefusal(const ir::Node&)>;

/// Several kinds, which never mix. Sets of a kind are chosen in a graph in which those of earlier
/// kinds are one node each, so that all of them together can be contracted, too. O(kinds * (V + E)).
Proposal propose_partitions_by_kind(const ir::Graph& graph, const KindOf& kind_of,
                                    const PartitionOptions& options = {});

}  // namespace litz::passes
