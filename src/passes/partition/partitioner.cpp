// Levels over a graph of units. See partitioner.h.

#include "passes/partition/partitioner.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "ir/dependences.h"
#include "ir/printer.h"
#include "passes/partition/connected_levels.h"
#include "passes/partition/edge_lists.h"
#include "passes/partition/purpose.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Graph;
using ir::Node;

constexpr size_t kNone = SIZE_MAX;

bool computes(const Node& node, const PartitionOptions& options) {
  if (ir::has(node.op().traits, ir::Trait::view)) return false;
  return std::ranges::none_of(
      options.non_compute, [&](const std::string& name) { return is_operator(node.op(), name); });
}

bool may_stand_alone(const Node& node, const PartitionOptions& options) {
  return std::ranges::any_of(options.may_stand_alone,
                             [&](const std::string& name) { return is_operator(node.op(), name); });
}

/// Bytes of a tensor of constant sizes; 0 for other values.
int64_t constant_bytes(ir::Value value) {
  if (!value.is_tensor()) return 0;
  const TensorType& type = value.tensor();
  return type.numel().maybe_constant().value_or(0) * static_cast<int64_t>(item_size(type.dtype));
}

class Proposer {
 public:
  Proposer(const Graph& graph, const KindOf& kind_of, const PartitionOptions& options)
      : options_(options),
        nodes_(graph.in_order()),
        return_(graph.return_node()),
        set_(nodes_.size(), kNone) {
    uint32_t ids = 0;
    for (const Node* node : nodes_) ids = std::max(ids, node->id() + 1);
    position_.resize(ids);
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]->id()] = i;
    connect(graph);
    classify(kind_of);
  }

  Proposal propose() {
    for (size_t kind = 0; kind < kinds_.size(); ++kind) propose_kind(kind);
    Proposal proposal;
    for (Set& set : sets_) {
      if (set.members.empty()) continue;
      Partition partition{.nodes = {}, .kind = kinds_[set.kind], .barrier = set.barrier};
      partition.nodes.reserve(set.members.size());
      for (const size_t member : set.members) partition.nodes.push_back(nodes_[member]);
      proposal.partitions.push_back(std::move(partition));
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (reason_[i].empty()) continue;
      proposal.left_out.push_back({nodes_[i], std::move(reason_[i]), cause_[i]});
    }
    return proposal;
  }

 private:
  struct Set {
    size_t kind = 0;
    std::vector<size_t> members;  ///< In graph order.
    std::optional<Barrier> barrier;
  };

  /// The graph with every set as one unit: its members and the dependences between units.
  struct Units {
    Lists members;
    Edges edges;
    Edges operands;               ///< The `edges` that connect; set only if these matter.
    std::vector<size_t> order;    ///< Topological.
    std::vector<bool> supported;  ///< Units of the kind being chosen.

    UnitsInOrder in_order() const { return {edges, operands, order, supported}; }
  };

  void connect(const Graph& graph) {
    Pairs pairs;
    pairs.reserve(nodes_.size() * 2);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (size_t k = 0; k < nodes_[i]->input_count(); ++k) {
        const Node* producer = nodes_[i]->input(k).producer();
        if (producer != nullptr) pairs.emplace_back(position(*producer), i);
      }
    }
    if (!options_.join_unconnected) operands_ = Edges(nodes_.size(), pairs);
    for (const auto& [first, second] : ir::hidden_dependences(graph)) {
      pairs.emplace_back(position(*first), position(*second));
    }
    for (const auto& [first, second] : pairs) {
      if (first < second) continue;
      fail(
          ErrorCode::invalid_argument,
          "a graph that is partitioned must be sorted; this node stands before what it depends on:",
          ir::node_context(*nodes_[second]));
    }
    edges_ = Edges(nodes_.size(), std::move(pairs));
  }

  size_t position(const Node& node) const { return position_[node.id()]; }

  void classify(const KindOf& kind_of) {
    std::map<std::string, size_t> known;
    kind_.assign(nodes_.size(), kNone);
    reason_.resize(nodes_.size());
    cause_.resize(nodes_.size(), LeftOut::Cause::refused);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      KindOrRefusal answer = kind_of(*nodes_[i]);
      if (!answer.kind) {
        reason_[i] = std::move(answer.reason);
        check(!reason_[i].empty(),
              "a predicate must say why it refuses a node:", nodes_[i]->op().name());
        continue;
      }
      const auto [found, is_new] = known.try_emplace(*answer.kind, kinds_.size());
      if (is_new) kinds_.push_back(std::move(*answer.kind));
      kind_[i] = found->second;
    }
  }

  void propose_kind(size_t kind) {
    Units units = contract(kind);
    std::vector<int64_t> level = late_levels(units);
    const bool is_late = options_.level == LevelChoice::late;
    if (!is_late) raise_levels(units, level);
    if (!options_.join_unconnected) {
      level = connected_levels(units.in_order(), std::move(level), is_late);
    }
    const std::vector<size_t> leads_to = reached(units, level);
    for (const std::vector<size_t>& group : group(units, level)) {
      add_set({kind, nodes_of(units, group), barrier(units, level, leads_to, group)});
    }
  }

  /// By unsupported unit: the supported one that keeps it at its level, if any. Levels of connected
  /// sets do not bind units: for these, any supported unit that it leads to.
  std::vector<size_t> reached(const Units& units, const std::vector<int64_t>& level) const {
    std::vector<size_t> leads_to(level.size(), kNone);
    for (size_t k = units.order.size(); k-- > 0;) {
      const size_t unit = units.order[k];
      if (units.supported[unit]) continue;
      for (const size_t reader : units.edges.readers[unit]) {
        const int64_t step = units.supported[reader] ? 1 : 0;
        if (options_.join_unconnected && level[reader] + step != level[unit]) continue;
        const size_t target = units.supported[reader] ? reader : leads_to[reader];
        if (target != kNone) leads_to[unit] = std::min(leads_to[unit], target);
      }
    }
    return leads_to;
  }

  std::optional<Barrier> barrier(const Units& units, const std::vector<int64_t>& level,
                                 const std::vector<size_t>& leads_to,
                                 const std::vector<size_t>& group) const {
    const auto node = [&](size_t unit) { return nodes_[units.members[unit].front()]; };
    for (const size_t unit : group) {
      for (const size_t reader : units.edges.readers[unit]) {
        if (units.supported[reader] || leads_to[reader] == kNone) continue;
        if (options_.join_unconnected && level[reader] + 1 != level[unit]) continue;
        return Barrier{node(unit), node(reader), node(leads_to[reader])};
      }
    }
    return std::nullopt;
  }

  Units contract(size_t kind) const {
    Units units;
    std::vector<size_t> unit_of(nodes_.size());
    std::vector<size_t> unit_of_set(sets_.size(), kNone);
    Pairs members;
    members.reserve(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      size_t unit = units.supported.size();
      if (set_[i] != kNone) {
        if (unit_of_set[set_[i]] == kNone) unit_of_set[set_[i]] = unit;
        unit = unit_of_set[set_[i]];
      }
      if (unit == units.supported.size()) {
        units.supported.push_back(set_[i] == kNone && kind_[i] == kind);
      }
      members.emplace_back(unit, i);
      unit_of[i] = unit;
    }
    units.members = Lists(units.supported.size(), members);
    const auto between = [&](const Edges& edges) {
      Pairs pairs;
      for (size_t i = 0; i < nodes_.size(); ++i) {
        for (const size_t reader : edges.readers[i]) {
          if (unit_of[i] != unit_of[reader]) pairs.emplace_back(unit_of[i], unit_of[reader]);
        }
      }
      return Edges(units.members.size(), std::move(pairs));
    };
    units.edges = between(edges_);
    if (!options_.join_unconnected) units.operands = between(operands_);
    sort(units);
    return units;
  }

  // Without sets, the graph's own order is topological.
  void sort(Units& units) const {
    const size_t count = units.members.size();
    units.order.reserve(count);
    if (sets_.empty()) {
      for (size_t unit = 0; unit < count; ++unit) units.order.push_back(unit);
      return;
    }
    std::vector<size_t> waits_for(count);
    for (size_t unit = 0; unit < count; ++unit) {
      waits_for[unit] = units.edges.producers[unit].size();
      if (waits_for[unit] == 0) units.order.push_back(unit);
    }
    for (size_t next = 0; next < units.order.size(); ++next) {
      for (const size_t reader : units.edges.readers[units.order[next]]) {
        if (--waits_for[reader] == 0) units.order.push_back(reader);
      }
    }
    check(units.order.size() == count, "partitions of one kind must leave no cycle behind:", count);
  }

  static std::vector<int64_t> late_levels(const Units& units) {
    std::vector<int64_t> level(units.members.size());
    for (size_t k = units.order.size(); k-- > 0;) {
      const size_t unit = units.order[k];
      level[unit] = units.supported[unit] ? 1 : 0;
      for (const size_t reader : units.edges.readers[unit]) {
        const bool changes = units.supported[reader] != units.supported[unit];
        level[unit] = std::max(level[unit], level[reader] + (changes ? 1 : 0));
      }
    }
    return level;
  }

  // Goes from the front: a unit may rise to the level of its operands, at most to the highest level
  // that is needed at all.
  void raise_levels(const Units& units, std::vector<int64_t>& level) {
    int64_t highest = 0;
    for (size_t unit = 0; unit < level.size(); ++unit) {
      if (units.supported[unit]) highest = std::max(highest, level[unit]);
    }
    if (highest == 0) return;
    const std::vector<LastUse> last_uses = last_uses_of(units, level);
    for (const size_t unit : units.order) {
      int64_t most = units.supported[unit] ? highest : highest + 1;
      for (const size_t producer : units.edges.producers[unit]) {
        const bool changes = units.supported[producer] != units.supported[unit];
        most = std::min(most, level[producer] - (changes ? 1 : 0));
      }
      const bool raises =
          options_.level == LevelChoice::early || frees_memory(units, unit, last_uses);
      if (raises) level[unit] = most;
    }
  }

  /// The unit at the lowest level that reads a value; kNone if several do, or the return does.
  struct LastUse {
    int64_t level = INT64_MAX;
    size_t unit = kNone;
  };

  /// By value, as value_number counts; filled only if memory decides.
  std::vector<LastUse> last_uses_of(const Units& units, const std::vector<int64_t>& level) {
    if (options_.level != LevelChoice::least_memory) return {};
    first_value_.assign(1, 0);
    for (const Node* node : nodes_) {
      first_value_.push_back(first_value_.back() + node->output_count());
    }
    std::vector<LastUse> last(first_value_.back());
    for (size_t unit = 0; unit < units.members.size(); ++unit) {
      for (const size_t member : units.members[unit]) {
        const Node& node = *nodes_[member];
        for (size_t k = 0; k < node.input_count(); ++k) {
          if (node.input(k).producer() == nullptr) continue;
          LastUse& use = last[value_number(node.input(k))];
          if (level[unit] > use.level || unit == use.unit) continue;
          use = {level[unit], level[unit] == use.level ? kNone : unit};
        }
      }
    }
    const Node& end = *return_;
    for (size_t k = 0; k < end.input_count(); ++k) {
      if (end.input(k).producer() != nullptr) last[value_number(end.input(k))] = {-1, kNone};
    }
    return last;
  }

  size_t value_number(ir::Value value) const {
    return first_value_[position(*value.producer())] + value.index();
  }

  bool frees_memory(const Units& units, size_t unit, const std::vector<LastUse>& last_uses) const {
    int64_t made = 0;
    std::set<size_t> freed;
    int64_t freed_bytes = 0;
    for (const size_t member : units.members[unit]) {
      const Node& node = *nodes_[member];
      for (const ir::Value output : node.outputs()) made += constant_bytes(output);
      for (size_t k = 0; k < node.input_count(); ++k) {
        const ir::Value input = node.input(k);
        if (input.producer() == nullptr) continue;
        const size_t number = value_number(input);
        if (last_uses[number].unit != unit || !freed.insert(number).second) continue;
        freed_bytes += constant_bytes(input);
      }
    }
    return made < freed_bytes;
  }

  /// The units of each set, those nearest to the end first.
  std::vector<std::vector<size_t>> group(const Units& units,
                                         const std::vector<int64_t>& level) const {
    std::vector<std::vector<size_t>> by_level;  // Units in topological order.
    for (const size_t unit : units.order) {
      if (!units.supported[unit]) continue;
      const auto number = static_cast<size_t>(level[unit]);
      if (number >= by_level.size()) by_level.resize(number + 1);
      by_level[number].push_back(unit);
    }
    std::vector<std::vector<size_t>> groups;
    for (std::vector<size_t>& members : by_level) {
      if (members.empty()) continue;
      if (options_.join_unconnected) {
        groups.push_back(std::move(members));
      } else {
        std::ranges::move(connected_parts(units.in_order(), level, members),
                          std::back_inserter(groups));
      }
    }
    return groups;
  }

  static std::vector<size_t> nodes_of(const Units& units, const std::vector<size_t>& members) {
    std::vector<size_t> nodes;
    for (const size_t unit : members) {
      nodes.insert(nodes.end(), units.members[unit].begin(), units.members[unit].end());
    }
    std::ranges::sort(nodes);
    return nodes;
  }

  void add_set(Set set) {
    if (!options_.single_nodes && !is_worthwhile(set.members)) {
      refuse(set.members, "alone it would be a set with fewer than two nodes that compute",
             LeftOut::Cause::too_small);
      return;
    }
    const size_t number = sets_.size();
    for (const size_t member : set.members) set_[member] = number;
    if (options_.trim_ends) set.members = trimmed(std::move(set.members), number);
    if (!set.members.empty() && !has_purpose(set.members, number)) {
      refuse(set.members, "nobody reads what it computes", LeftOut::Cause::unread);
      for (const size_t member : set.members) set_[member] = kNone;
      return;
    }
    sets_.push_back(std::move(set));
  }

  bool has_purpose(const std::vector<size_t>& members, size_t number) {
    return std::ranges::any_of(members, [&](size_t member) {
      return is_of_use(*nodes_[member], effects_, [&](const Node& user) {
        return &user != return_ && set_[position(user)] == number;
      });
    });
  }

  bool is_worthwhile(const std::vector<size_t>& members) const {
    size_t count = 0;
    bool stands_alone = false;
    for (const size_t member : members) {
      if (computes(*nodes_[member], options_)) ++count;
      stands_alone = stands_alone || may_stand_alone(*nodes_[member], options_);
    }
    return count + (stands_alone ? 1 : 0) > 1;
  }

  void refuse(const std::vector<size_t>& members, const std::string& reason, LeftOut::Cause cause) {
    for (const size_t member : members) {
      reason_[member] = reason;
      cause_[member] = cause;
    }
  }

  std::vector<size_t> trimmed(std::vector<size_t> members, size_t number) {
    const auto trim = [&](size_t member, std::span<const size_t> beyond) {
      const Node& node = *nodes_[member];
      const bool may_go = std::ranges::any_of(options_.non_compute, [&](const std::string& name) {
        return is_operator(node.op(), name);
      });
      // Neighbours that were removed earlier are already outside.
      if (!may_go ||
          std::ranges::any_of(beyond, [&](size_t other) { return set_[other] == number; })) {
        return;
      }
      set_[member] = kNone;
      refuse({member}, "it computes nothing, at the end of a set", LeftOut::Cause::trimmed);
    };
    for (const size_t member : members) trim(member, edges_.producers[member]);
    for (size_t k = members.size(); k-- > 0;) {
      if (set_[members[k]] == number) trim(members[k], edges_.readers[members[k]]);
    }
    std::erase_if(members, [&](size_t member) { return set_[member] != number; });
    return members;
  }

  const PartitionOptions& options_;
  std::vector<Node*> nodes_;
  const Node* return_;
  ir::EffectWalk effects_;
  std::vector<size_t> position_;     ///< By id of the node.
  std::vector<size_t> first_value_;  ///< By node: the number of values of earlier nodes.
  Edges edges_;
  Edges operands_;                   ///< Without hidden dependences; set on demand.
  std::vector<std::string> kinds_;   ///< In order of first appearance.
  std::vector<size_t> kind_;         ///< By node.
  std::vector<std::string> reason_;  ///< By node; empty unless it is left out.
  std::vector<LeftOut::Cause> cause_;
  std::vector<Set> sets_;
  std::vector<size_t> set_;  ///< By node.
};

}  // namespace

Proposal propose_partitions(const Graph& graph, const Support& support,
                            const PartitionOptions& options) {
  return propose_partitions_by_kind(
      graph,
      [&](const Node& node) -> KindOrRefusal {
        Refusal refusal = support(node);
        if (refusal) return {std::nullopt, std::move(*refusal)};
        return {std::string(), {}};
      },
      options);
}

Proposal propose_partitions_by_kind(const Graph& graph, const KindOf& kind_of,
                                    const PartitionOptions& options) {
  return Proposer(graph, kind_of, options).propose();
}

}  // namespace litz::passes
