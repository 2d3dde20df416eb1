// Greedy buckets over a scheduled order. See join_overlapped.h.
//
//   s0 ....h0.... w0                A bucket of both starts at s0 or s1, before h0, and waits at w0
//        s1 ....h1.... w1           or w1, behind h1 and before what reads w0 and w1.

#include "passes/overlap/join_overlapped.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/collectives.h"
#include "passes/bucketing/merge.h"
#include "passes/overlap/live_memory.h"
#include "passes/overlap/opportunities.h"
#include "passes/overlap/timeline.h"
#include "passes/overlap/units.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;

// A bucket looks so far for more members: at candidates that do not fit, one after the other.
constexpr size_t kMostRefused = 20;
// How far from a member others are looked for if those that are exposed come first.
constexpr size_t kNear = 20;
// Views and conversions on the way into a member that move with it.
constexpr int kMostOnTheWay = 8;
constexpr double kRounding = 1e-9;
// A collective that is exposed for more of its time loses less by a move than a bucket saves.
constexpr double kMostExposed = 0.5;

bool is_hidden(const OverlappedCollective& each) {
  return !each.hidden_by.empty() && each.exposed_us <= kMostExposed * each.us;
}

bool is_null_or_before(const Node* node, const Node& other) {
  return node == nullptr || node->is_before(other);
}

const Node* later(const Node* a, const Node* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return a->is_before(*b) ? b : a;
}

const Node* earlier(const Node* a, const Node* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return a->is_before(*b) ? a : b;
}

/// What a bucket's start and wait must lie between.
struct Window {
  const Node* last_need = nullptr;     ///< Before the start.
  const Node* first_hiding = nullptr;  ///< Behind the start.
  const Node* last_hiding = nullptr;   ///< Before the wait.
  const Node* first_use = nullptr;     ///< Behind the wait.

  void join(const Window& other) {
    last_need = later(last_need, other.last_need);
    first_hiding = earlier(first_hiding, other.first_hiding);
    last_hiding = later(last_hiding, other.last_hiding);
    first_use = earlier(first_use, other.first_use);
  }

  bool allows_start(const Node& at) const {
    return is_null_or_before(last_need, at) &&
           (first_hiding == nullptr || at.is_before(*first_hiding));
  }

  bool allows_wait(const Node& at) const {
    return is_null_or_before(last_hiding, at) && (first_use == nullptr || at.is_before(*first_use));
  }
};

struct Joinable {
  BucketMember member;
  double bytes = 0;
  double exposed_us = 0;
  const Node* first_hiding = nullptr;
  const Node* last_hiding = nullptr;
  size_t place = 0;  ///< Among the starts of its group.
};

/// Of a bucket while it grows, besides its members.
struct Shape {
  Window window;
  Node* start = nullptr;
  Node* wait = nullptr;
  size_t members = 0;
  size_t first_place = 0;
  size_t last_place = 0;
  size_t hidden = 0;  ///< Members that something hides.

  size_t distance(size_t place) const {
    if (place > last_place) return place - last_place;
    return place < first_place ? first_place - place : 0;
  }
};

struct Growing {
  SelectedBucket selected;
  Shape shape;
};

class OverlapJoiner {
 public:
  OverlapJoiner(ir::Graph& graph, const OverlapReport& report, const JoinOptions& options)
      : graph_(graph),
        options_(options),
        buckets_(*options.buckets),
        is_in_scope_(graph, buckets_.scope) {
    for (const auto& [first, second] : kept_dependences(graph, false)) {
      behind_[first].push_back(second);
      before_[second].push_back(first);
    }
    for (const OverlappedCollective& each : report.collectives) {
      if (is_hidden(each)) hiding_.insert(each.hidden_by.begin(), each.hidden_by.end());
    }
    for (const OverlappedCollective& each : report.collectives) {
      std::vector<size_t>& hidden = hidden_before_[ir::collective_group(*each.start)];
      if (hidden.empty()) hidden.push_back(0);
      add(each, hidden.size() - 1);
      hidden.push_back(hidden.back() + (is_hidden(each) ? 1 : 0));
    }
  }

  BucketReport run() {
    BucketReport report;
    for (auto& [key, list] : joinable_) {
      if (options_.exposed_first) {
        std::ranges::stable_sort(list, std::greater<>(), &Joinable::exposed_us);
      }
      grow_all(list, report);
    }
    return report;
  }

 private:
  using Key = std::pair<Bucketed, std::string>;

  void add(const OverlappedCollective& each, size_t place) {
    const auto kind = bucketed_kind(*each.start);
    if (!kind) return;
    Joinable joinable;
    joinable.member = bucket_member(each.start);
    if (!reason_against(joinable.member).empty()) return;
    if (!is_in_scope_(joinable.member, *kind)) return;
    joinable.member.keeps_convert = hiding_.contains(each.start->input(0).producer());
    joinable.bytes = bucket_bytes(*each.start);
    joinable.exposed_us = each.exposed_us;
    joinable.place = place;
    for (const Node* hiding : is_hidden(each) ? each.hidden_by : std::vector<const Node*>()) {
      joinable.first_hiding = earlier(joinable.first_hiding, hiding);
      joinable.last_hiding = later(joinable.last_hiding, hiding);
    }
    joinable_[{*kind, bucket_key(*each.start, *kind, buckets_.mode)}].push_back(joinable);
  }

  void grow_all(const std::vector<Joinable>& list, BucketReport& report) {
    std::vector<bool> is_taken(list.size());
    size_t index = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (is_taken[i]) continue;
      Growing bucket = grow(list, i, is_taken, buckets_.cap_mb(index) * 1024 * 1024);
      if (bucket.selected.members.size() < 2) continue;
      ++index;
      merge(bucket, report);
    }
  }

  Growing grow(const std::vector<Joinable>& list, size_t seed, std::vector<bool>& is_taken,
               double cap) {
    Growing bucket;
    add(bucket, list[seed]);
    is_taken[seed] = true;
    size_t refused = 0;
    bucket.selected.closed = "no other collective fits without losing what hides it";
    for (size_t i = seed + 1; i < list.size() && refused < kMostRefused; ++i) {
      if (is_taken[i]) continue;
      if (options_.exposed_first && bucket.shape.distance(list[i].place) > kNear) continue;
      if (bucket.selected.bytes + list[i].bytes > cap) {
        bucket.selected.closed = "the next collective would exceed the cap";
        break;
      }
      is_taken[i] = add(bucket, list[i]);
      refused += is_taken[i] ? 0 : 1;
    }
    return bucket;
  }

  bool add(Growing& bucket, const Joinable& next) {
    const std::optional<Shape> shape = with(bucket.shape, next);
    if (!shape) return false;
    bucket.shape = *shape;
    bucket.selected.members.push_back(next.member);
    bucket.selected.bytes += next.bytes;
    return true;
  }

  /// The shape of a bucket with one more member; nothing if there is none.
  std::optional<Shape> with(const Shape& old, const Joinable& next) {
    Shape shape = old;
    const bool is_first = old.members == 0;
    ++shape.members;
    shape.window.join(window_of(next));
    shape.first_place = is_first ? next.place : std::min(old.first_place, next.place);
    shape.last_place = is_first ? next.place : std::max(old.last_place, next.place);
    shape.hidden += next.first_hiding != nullptr ? 1 : 0;
    if (overtakes(shape, *next.member.start)) return std::nullopt;
    // As wide as possible, which hides most.
    shape.start = shape.wait = nullptr;
    for (Node* at : {old.start, next.member.start}) {
      if (at == nullptr || !shape.window.allows_start(*at)) continue;
      if (shape.start == nullptr || at->is_before(*shape.start)) shape.start = at;
    }
    for (Node* at : {old.wait, next.member.wait}) {
      if (at == nullptr || !shape.window.allows_wait(*at)) continue;
      if (shape.wait == nullptr || shape.wait->is_before(*at)) shape.wait = at;
    }
    const bool has_place = shape.start != nullptr && shape.wait != nullptr;
    if (!has_place || !shape.start->is_before(*shape.wait)) return std::nullopt;
    return shape;
  }

  /// Another collective of the group that must not would start on the other side of a member: one
  /// that something hides, or any if starts keep their order.
  bool overtakes(const Shape& shape, const Node& start) const {
    if (options_.overlap.keeps_order) {
      return shape.last_place - shape.first_place + 1 > shape.members;
    }
    const std::vector<size_t>& hidden = hidden_before_.at(ir::collective_group(start));
    return hidden[shape.last_place + 1] - hidden[shape.first_place] > shape.hidden;
  }

  Window window_of(const Joinable& joinable) {
    Window window;
    window.first_hiding = joinable.first_hiding;
    window.last_hiding = joinable.last_hiding;
    const BucketMember& member = joinable.member;
    std::vector<Node*> moved;
    window.last_need = last_need(*member.start, kMostOnTheWay, moved);
    for (const Node* user : member.wait->output().users()) {
      if (user != graph_.return_node()) window.first_use = earlier(window.first_use, user);
    }
    for (const Node* other : around(before_, *member.start)) {
      window.last_need = later(window.last_need, other);
    }
    for (const Node* other : around(behind_, *member.start)) {
      window.first_hiding = earlier(window.first_hiding, other);
    }
    for (const Node* other : around(before_, *member.wait)) {
      window.last_hiding = later(window.last_hiding, other);
    }
    for (const Node* other : around(behind_, *member.wait)) {
      window.first_use = earlier(window.first_use, other);
    }
    return window;
  }

  /// The last node that the operands of `node` need and that stays; `moved` get those that move.
  const Node* last_need(const Node& node, int steps, std::vector<Node*>& moved) const {
    const Node* last = nullptr;
    for (size_t i = 0; i < node.input_count(); ++i) {
      Node* producer = node.input(i).producer();
      if (producer == nullptr) continue;
      if (steps > 0 && moves_along(*producer)) {
        last = later(last, last_need(*producer, steps - 1, moved));
        moved.push_back(producer);
      } else {
        last = later(last, producer);
      }
    }
    return last;
  }

  bool moves_along(const Node& node) const {
    return has(node.op().traits, Trait::view | Trait::copy) && !before_.contains(&node) &&
           !behind_.contains(&node) && !hiding_.contains(&node);
  }

  using Around = std::unordered_map<const Node*, std::vector<Node*>>;

  static std::span<Node* const> around(const Around& map, const Node& node) {
    const auto found = map.find(&node);
    return found == map.end() ? std::span<Node* const>() : std::span<Node* const>(found->second);
  }

  void merge(Growing& bucket, BucketReport& report) {
    const Bucketed kind = *bucketed_kind(*bucket.selected.members[0].start);
    for (const BucketMember& member : bucket.selected.members) {
      std::vector<Node*> moved;
      last_need(*member.start, kMostOnTheWay, moved);
      for (Node* node : moved) {
        if (bucket.shape.start->is_before(*node)) graph_.move_before(node, bucket.shape.start);
      }
    }
    report.buckets.push_back(describe_bucket(bucket.selected, kind));
    const auto next = [&](Node* node) {
      return node->next() != nullptr ? node->next() : graph_.return_node();
    };
    merge_bucket(graph_, bucket.selected, kind, buckets_.mode,
                 {next(bucket.shape.start), next(bucket.shape.wait)});
  }

  ir::Graph& graph_;
  const JoinOptions& options_;
  const BucketOptions& buckets_;
  ScopeFilter is_in_scope_;
  std::unordered_set<const Node*> hiding_;  // What hides some collective.
  Around before_;                           // Dependences besides operands.
  Around behind_;
  std::map<Key, std::vector<Joinable>> joinable_;
  /// By group, for each of its starts: how many hidden ones there are before it.
  std::map<std::string, std::vector<size_t>> hidden_before_;
};

}  // namespace

std::pair<OverlapReport, BucketReport> overlap_collectives(ir::Graph& graph,
                                                           const JoinOptions& options) {
  OverlapReport report = schedule_collectives(graph, options.overlap);
  BucketReport buckets = join_overlapped(graph, report, options);
  keep_overlap(graph, report);
  return {std::move(report), std::move(buckets)};
}

BucketReport join_overlapped(ir::Graph& graph, OverlapReport& report, const JoinOptions& options) {
  if (!options.buckets) return {};
  const PriceOptions& prices = options.overlap.prices;
  const double total_before = timeline(graph, prices).total_us;
  graph.begin_transaction();
  BucketReport buckets = OverlapJoiner(graph, report, options).run();
  OverlapReport joined = describe_overlap(graph, prices);
  const double limit = report.exposed_before_us * (1 + kRounding);
  const bool is_slower = timeline(graph, prices).total_us > total_before * (1 + kRounding);
  if (is_slower || joined.exposed_us > limit || joined.peak > report.allowed_peak) {
    graph.rollback_transaction();
    return {};
  }
  graph.commit_transaction();
  find_opportunities(graph, prices, joined);
  joined.exposed_before_us = report.exposed_before_us;
  joined.peak_before = report.peak_before;
  joined.allowed_peak = report.allowed_peak;
  report = std::move(joined);
  return buckets;
}

}  // namespace litz::passes
