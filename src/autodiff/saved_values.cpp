#include "autodiff/saved_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "autodiff/max_flow.h"
#include "ir/effects.h"
#include "ir/inferred_types.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::autodiff {
namespace {

using ir::Graph;
using ir::Node;
using ir::Trait;
using ir::Value;

// Beyond this distance all values count as equally far.
constexpr int64_t kMostDistance = 100;
// Of two values, the one closer to the backward part is kept for a shorter time: a tenth a step.
constexpr double kPriceOfDistance = 1.1;
// Repeating a reduction saves its result, which is small, and reads its operands, which are not.
constexpr int64_t kSmallPart = 4;
// Longer chains of pointwise operators would not fit into one kernel.
constexpr size_t kLongestChain = 100;
// A price above it (64 TB) changes nothing, and sums of them stay in range.
constexpr double kMostPrice = 64e12;
// The resolution of the memory budget when products are chosen.
constexpr size_t kBudgetSteps = 4096;

bool is_view(const Node& node) { return has(node.op().traits, Trait::view); }

bool is_random(const Node& node) { return has(node.op().traits, Trait::random); }

/// Pointwise operators, reductions, copies and fills.
bool is_light(const Node& node) {
  if (node.op().origin != ir::OpOrigin::table || node.op().definition == nullptr) return false;
  if (is_random(node)) return false;
  const ops::OpDef& definition = ops::definition(node.op());
  return is_view(node) || std::holds_alternative<ops::Pointwise>(definition.impl) ||
         std::holds_alternative<ops::Reduction>(definition.impl) ||
         has(node.op().traits, Trait::copy) || !definition.fills_with.empty();
}

/// True if a second run could have other results or effects.
bool is_impure(const Node& node) {
  const Trait kinds = Trait::collective_start | Trait::collective_wait | Trait::data_dependent |
                      Trait::opaque | Trait::hidden_mutation | Trait::side_effect;
  return has(node.op().traits, kinds) || node.op().origin != ir::OpOrigin::table ||
         ir::has_effects(node) || !ir::defined_symbols(node).empty();
}

/// Which limits of repetition apply.
struct Bans {
  bool speed = true;        ///< Far apart, long chains, materialised anyway.
  bool unlisted = true;     ///< Operators that are not known to be light.
  bool everything = false;  ///< Nothing but inputs is kept.
  std::set<const Node*> lifted = {};
};

/// One choice, and what it was not allowed to repeat.
struct Choice {
  std::vector<Value> saved;
  std::vector<Node*> banned;
};

class Chooser {
 public:
  Chooser(const Graph& graph, const JointGraph& joint, const SavedOptions& options)
      : graph_(graph), joint_(joint), options_(options) {
    for (const ir::Argument& output : graph.outputs()) {
      if (output.is_value()) outputs_.insert(output.value().data());
    }
    for (const EarlyNode& each : joint.early()) {
      require(!must_recompute(*each.node) || !is_impure(*each.node), ErrorCode::unsupported,
              "a checkpointed region must not have effects or sizes that depend on data, since it "
              "runs again for gradients:",
              each.node->op().name());
    }
  }

  std::vector<Value> choose() const {
    if (options_.keeps_all) return solve({}).saved;
    const double budget = options_.memory_budget;
    if (budget == 0) return solve({.speed = false, .unlisted = false, .everything = true}).saved;
    Choice plain = solve({});
    const double least = bytes_of_inputs();
    const double range = bytes_of_saved(plain) - least;
    if (budget == 1 || range <= 0) return std::move(plain.saved);
    const auto share = [&](const Choice& choice) {
      return (bytes_of_saved(choice) - least) / range;
    };
    Choice slower = solve({.speed = false});
    if (share(slower) < budget) return std::move(slower.saved);
    Choice slowest = solve({.speed = false, .unlisted = false});
    if (share(slowest) < budget) return std::move(slowest.saved);
    const double room = budget * range + least;
    return solve({.speed = false, .unlisted = false, .lifted = repeated_within(slowest, room)})
        .saved;
  }

 private:
  /// The numbers of a random node follow from the call, so another program would draw others.
  bool draws_elsewhere(const Node& node) const {
    return !options_.is_one_program && is_random(node);
  }

  bool is_repeated(const Node& node) const {
    return must_recompute(node) && !draws_elsewhere(node);
  }

  // --- Prices.

  /// True if no kernel of its own computes the value: all its readers can be part of that kernel.
  bool is_never_stored(Value value) const {
    const Node* producer = value.producer();
    if (producer == nullptr) return false;
    return std::ranges::all_of(value.users(),
                               [&](const Node* user) { return are_fusible(*producer, *user); });
  }

  bool are_fusible(const Node& producer, const Node& reader) const {
    const auto may = [&](const Node& node) {
      return &node != graph_.return_node() && (is_recomputable(node) || is_random(node));
    };
    return may(producer) && may(reader);
  }

  bool is_recomputable(const Node& node) const {
    return options_.is_recomputable ? options_.is_recomputable(node) : is_light(node);
  }

  int64_t price(Value value) const {
    const Node* producer = value.producer();
    if (options_.is_one_program && (producer == nullptr || outputs_.contains(value.data()))) {
      return 0;
    }
    if (!value.is_tensor()) return 1;
    if (producer != nullptr && is_view(*producer)) return FlowNetwork::kUnlimited;
    if (producer != nullptr && is_repeated(*producer)) return FlowNetwork::kUnlimited;
    double bytes = static_cast<double>(bytes_of(value));
    // Of values of the same size, the one that the forward part computes anyway.
    const bool is_extra = producer != nullptr && !joint_.find(producer)->is_forward;
    if (options_.keeps_all) return 1 + static_cast<int64_t>(std::min(bytes, kMostPrice)) + is_extra;
    const int64_t distance = std::clamp<int64_t>(joint_.distance(value), 1, kMostDistance);
    bytes *= std::pow(kPriceOfDistance, static_cast<double>(distance));
    if (is_never_stored(value)) bytes *= 2;
    return 1 + static_cast<int64_t>(std::min(bytes, kMostPrice));
  }

  double bytes_of_saved(const Choice& choice) const {
    double bytes = 0;
    for (const Value value : choice.saved) {
      if (price(value) > 0) bytes += static_cast<double>(bytes_of(value));
    }
    return bytes;
  }

  double bytes_of_inputs() const {
    double bytes = 0;
    for (const Value input : graph_.inputs()) {
      if (joint_.is_early(input) && price(input) > 0) {
        bytes += static_cast<double>(bytes_of(input));
      }
    }
    return bytes;
  }

  // --- Bans.

  bool is_heavy(const Node& node) const {
    return has(node.op().traits, Trait::library) || (options_.time && options_.time(node) > 0);
  }

  bool is_banned(const EarlyNode& each, const Bans& bans) const {
    const Node& node = *each.node;
    if (is_repeated(node)) return false;
    if (is_impure(node) || draws_elsewhere(node)) return true;
    // What only the backward part reads is computed once, before or in it.
    if (is_view(node) || !each.is_forward) return false;
    if (options_.keeps_all) return true;
    if (bans.everything || bans.lifted.contains(&node)) return false;
    const bool is_known =
        bans.unlisted ? is_recomputable(node) : !is_heavy(node) && !is_random(node);
    if (!is_known) return true;
    if (bans.speed && is_stored_for_backward(node)) return true;
    return is_small(node);
  }

  static bool is_small(const Node& node) {
    int64_t read = 0;
    int64_t made = 0;
    for (size_t i = 0; i < node.input_count(); ++i) read += bytes_of(node.input(i));
    for (const Value output : node.outputs()) made += bytes_of(output);
    return made * kSmallPart < read;
  }

  /// True if the backward part reads the value as a whole, so that it is stored there anyway.
  bool is_stored_for_backward(const Node& node) const {
    std::vector<const Node*> seen{&node};
    for (size_t i = 0; i < seen.size(); ++i) {
      for (const Value output : seen[i]->outputs()) {
        for (const Node* user : output.users()) {
          if (user == graph_.return_node()) continue;
          if (is_view(*user)) {
            seen.push_back(user);
            continue;
          }
          const EarlyNode* early = joint_.find(user);
          const bool is_forward = early != nullptr && early->is_forward;
          if (!is_forward && !are_fusible(*seen[i], *user)) return true;
        }
      }
    }
    return false;
  }

  /// Bans what would be computed again far from the readers that it shares a kernel with now.
  void ban_far_uses(std::set<const Node*>& banned) const {
    for (const EarlyNode& each : joint_.early()) {
      if (!each.is_forward) continue;
      std::vector<const Node*> readers;
      for (const Value output : each.node->outputs()) {
        for (const Node* user : output.users()) {
          const EarlyNode* early = joint_.find(user);
          if (early != nullptr && early->is_forward) readers.push_back(user);
        }
      }
      if (readers.size() < 2) continue;
      std::ranges::sort(readers, [](const Node* a, const Node* b) { return a->is_before(*b); });
      const Node* end = first_unfusible(readers);
      if (end == nullptr) continue;
      for (const Node* reader : readers) {
        if (end->is_before(*reader) && are_fusible(*each.node, *reader)) banned.insert(reader);
      }
    }
  }

  /// The first node after some readers that ends kernels which begin with them; null if none comes
  /// before the last reader.
  const Node* first_unfusible(const std::vector<const Node*>& readers) const {
    const auto later = [](const Node* a, const Node* b) { return a->is_before(*b); };
    std::set<const Node*, decltype(later)> todo(readers.begin(), readers.end(), later);
    while (!todo.empty()) {
      const Node* node = *todo.begin();
      todo.erase(todo.begin());
      for (const Value output : node->outputs()) {
        for (const Node* user : output.users()) {
          const EarlyNode* early = joint_.find(user);
          if (early == nullptr || !early->is_forward) continue;
          if (!readers.back()->is_before(*user)) {
            if (!are_fusible(*node, *user) && user == readers.back()) return user;
            continue;
          }
          if (!are_fusible(*node, *user)) return user;
          todo.insert(user);
        }
      }
    }
    return nullptr;
  }

  /// Ends chains of fusible nodes that would not fit into one kernel.
  void ban_long_chains(std::set<const Node*>& banned) const {
    std::unordered_map<const Node*, size_t> lengths;
    for (const EarlyNode& each : joint_.early()) {
      if (!each.is_forward || is_view(*each.node)) continue;
      size_t length = 1;
      for (size_t i = 0; i < each.node->input_count(); ++i) {
        const Node* producer = each.node->input(i).producer();
        const auto known = lengths.find(producer);
        if (known != lengths.end() && are_fusible(*producer, *each.node)) {
          length = std::max(length, known->second + 1);
        }
      }
      if (length > kLongestChain) {
        banned.insert(each.node);
        length = 1;
      }
      lengths[each.node] = length;
    }
  }

  std::set<const Node*> banned_nodes(const Bans& bans) const {
    std::set<const Node*> banned;
    if (bans.speed && !options_.keeps_all) {
      ban_far_uses(banned);
      ban_long_chains(banned);
      std::erase_if(banned, [&](const Node* node) { return is_view(*node) || is_repeated(*node); });
    }
    for (const EarlyNode& each : joint_.early()) {
      if (is_banned(each, bans)) banned.insert(each.node);
    }
    return banned;
  }

  // --- The cut.

  struct Vertices {
    int in = 0;
    int out = 0;
  };

  Choice solve(const Bans& bans) const {
    const std::set<const Node*> banned = banned_nodes(bans);
    FlowNetwork network;
    std::unordered_map<const ir::ValueData*, Vertices> vertices;
    std::vector<Value> values;
    const auto add_value = [&](Value value) {
      const Vertices both{network.add_vertex(), network.add_vertex()};
      const bool is_free = bans.everything && value.producer() == nullptr;
      network.add_edge(both.in, both.out, is_free ? 0 : price(value));
      if (joint_.is_read_backward(value)) {
        network.add_edge(both.out, FlowNetwork::kSink, FlowNetwork::kUnlimited);
      }
      vertices.emplace(value.data(), both);
      values.push_back(value);
      return both;
    };
    for (const Value input : graph_.inputs()) {
      if (!joint_.is_early(input)) continue;
      network.add_edge(FlowNetwork::kSource, add_value(input).in, FlowNetwork::kUnlimited);
    }
    Choice choice;
    for (const EarlyNode& each : joint_.early()) {
      const int vertex = network.add_vertex();
      for (size_t i = 0; i < each.node->input_count(); ++i) {
        network.add_edge(vertices.at(each.node->input(i).data()).out, vertex,
                         FlowNetwork::kUnlimited);
      }
      for (const Value output : each.node->outputs()) {
        network.add_edge(vertex, add_value(output).in, FlowNetwork::kUnlimited);
      }
      if (!banned.contains(each.node)) continue;
      network.add_edge(FlowNetwork::kSource, vertex, FlowNetwork::kUnlimited);
      choice.banned.push_back(each.node);
    }
    const std::vector<bool> side = network.cut();
    require(
        !side.empty(), ErrorCode::unsupported,
        "the joint forward-backward graph cannot be partitioned: the backward part needs a value "
        "that can neither be kept nor computed again");
    for (const Value value : values) {
      const Vertices& both = vertices.at(value.data());
      if (!side[static_cast<size_t>(both.in)] && side[static_cast<size_t>(both.out)]) {
        choice.saved.push_back(value);
      }
    }
    return choice;
  }

  // --- Products under a budget.

  double time_of(const Node& node) const {
    const double time = options_.time ? options_.time(node) : 0;
    if (time > 0) return time;
    double bytes = 0;
    for (const Value output : node.outputs()) bytes += static_cast<double>(bytes_of(output));
    return bytes;
  }

  /// The nodes to repeat so that the others fit into the room and the time is least: a knapsack.
  std::set<const Node*> repeated_within(const Choice& choice, double room) const {
    const std::set<const Node*> banned(choice.banned.begin(), choice.banned.end());
    std::vector<const Node*> nodes;
    std::vector<size_t> sizes;
    double fixed = 0;
    for (const Value value : choice.saved) {
      const Node* node = value.producer();
      if (node == nullptr || is_impure(*node) || draws_elsewhere(*node) || !banned.contains(node)) {
        if (price(value) > 0) fixed += static_cast<double>(bytes_of(value));
        continue;
      }
      const auto steps = static_cast<size_t>(
          std::ceil(static_cast<double>(bytes_of(value)) * kBudgetSteps / std::max(room, 1.0)));
      if (!nodes.empty() && nodes.back() == node) {
        sizes.back() += steps;
      } else {
        nodes.push_back(node);
        sizes.push_back(steps);
      }
    }
    const double share = std::max(0.0, 1 - fixed / std::max(room, 1.0));
    const auto capacity = static_cast<size_t>(share * kBudgetSteps);
    std::vector<double> best(capacity + 1, 0);
    std::vector<std::vector<bool>> is_kept(nodes.size(), std::vector<bool>(capacity + 1, false));
    for (size_t i = 0; i < nodes.size(); ++i) {
      const double time = time_of(*nodes[i]);
      for (size_t space = capacity + 1; space-- > sizes[i];) {
        const double with = best[space - sizes[i]] + time;
        if (with <= best[space]) continue;
        best[space] = with;
        is_kept[i][space] = true;
      }
    }
    std::set<const Node*> repeated;
    size_t space = capacity;
    for (size_t i = nodes.size(); i-- > 0;) {
      if (is_kept[i][space]) {
        space -= sizes[i];
      } else {
        repeated.insert(nodes[i]);
      }
    }
    return repeated;
  }

  const Graph& graph_;
  const JointGraph& joint_;
  const SavedOptions& options_;
  std::set<const ir::ValueData*> outputs_;
};

}  // namespace

std::vector<Value> choose_saved(const Graph& graph, const JointGraph& joint,
                                const SavedOptions& options) {
  require(options.memory_budget >= 0 && options.memory_budget <= 1,
          "a memory budget must be a share from 0 to 1, not", options.memory_budget);
  return Chooser(graph, joint, options).choose();
}

}  // namespace litz::autodiff
