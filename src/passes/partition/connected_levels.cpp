// Joins along edges, by raising a producer to the level of its reader's set. See
// connected_levels.h.

#include "passes/partition/connected_levels.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace litz::passes {
namespace {

/// An open level, higher than all others.
constexpr int64_t kOpen = INT64_MAX;
/// Limits how often all joins together visit a unit or an edge, on average. Graphs of networks need
/// fewer than 5 visits.
constexpr size_t kLooks = 100;

/// One path from every unit to an end, which quickly refuses most impossible joins: each unit
/// continues to the reader on the longest way to an end.
class LongestPaths {
 public:
  explicit LongestPaths(const UnitsInOrder& units)
      : next_(units.supported.size()),
        jump_(next_.size()),
        depth_(next_.size()),
        others_(next_.size()) {
    std::vector<int64_t> level(next_.size());
    for (size_t k = units.order.size(); k-- > 0;) {
      const size_t unit = units.order[k];
      next_[unit] = unit;
      for (const size_t reader : units.edges.readers[unit]) {
        const int64_t through =
            level[reader] + (units.supported[reader] == units.supported[unit] ? 0 : 1);
        if (next_[unit] != unit && through <= level[unit]) continue;
        level[unit] = through;
        next_[unit] = reader;
      }
      attach(unit, units.supported[unit]);
    }
  }

  /// True when the path of `unit` leads to `other` through an unsupported unit. O(log V).
  bool leads_through_others(size_t unit, size_t other) const {
    if (others_[unit] == others_[other] || depth_[unit] < depth_[other]) return false;
    while (depth_[unit] > depth_[other]) {
      unit = depth_[jump_[unit]] >= depth_[other] ? jump_[unit] : next_[unit];
    }
    return unit == other;
  }

 private:
  // Jumps double where two of equal length meet, as digits of skew binary numbers do.
  void attach(size_t unit, bool is_supported) {
    const size_t next = next_[unit];
    others_[unit] = is_supported ? 0 : 1;
    jump_[unit] = unit;
    if (next == unit) return;
    others_[unit] += others_[next];
    depth_[unit] = depth_[next] + 1;
    const size_t jump = jump_[next];
    const bool doubles = depth_[next] - depth_[jump] == depth_[jump] - depth_[jump_[jump]];
    jump_[unit] = doubles ? jump_[jump] : next;
  }

  std::vector<size_t> next_;  ///< Itself at an end.
  std::vector<size_t> jump_;  ///< Further along the path.
  std::vector<size_t> depth_;
  std::vector<size_t> others_;  ///< Unsupported units on the path.
};

/// At any time, supported units on one level with edges between them form one set. Other units are
/// sets of their own.
class Joiner {
 public:
  Joiner(const UnitsInOrder& units, const LongestPaths& paths, std::vector<int64_t> level)
      : units_(units),
        paths_(paths),
        level_(std::move(level)),
        position_(level_.size()),
        parent_(level_.size()),
        next_(level_.size()),
        size_(level_.size(), 1),
        needed_(level_.size()),
        looks_left_(kLooks) {
    for (size_t k = 0; k < units.order.size(); ++k) position_[units.order[k]] = k;
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    std::iota(next_.begin(), next_.end(), size_t{0});
    for (size_t unit = 0; unit < level_.size(); ++unit) {
      looks_left_ += kLooks * (1 + units.edges.readers[unit].size());
      if (level_[unit] != kOpen) unite_with_readers(unit);
    }
  }

  void join() {
    for (size_t k = units_.order.size(); k-- > 0;) {
      const size_t unit = units_.order[k];
      if (level_[unit] == kOpen) {
        level_[unit] = least_level(unit);
        unite_with_readers(unit);
      }
      if (!units_.supported[unit]) continue;
      for (const size_t reader : units_.operands.readers[unit]) {
        if (!units_.supported[reader] || paths_.leads_through_others(unit, reader)) continue;
        join(find(unit), find(reader));
      }
    }
  }

  std::vector<int64_t> levels() {
    std::vector<int64_t> levels(level_.size());
    for (size_t unit = 0; unit < levels.size(); ++unit) levels[unit] = level_[find(unit)];
    return levels;
  }

  size_t set_count() const {
    size_t count = 0;
    for (size_t unit = 0; unit < parent_.size(); ++unit) {
      if (units_.supported[unit] && parent_[unit] == unit) ++count;
    }
    return count;
  }

 private:
  size_t find(size_t unit) {
    while (parent_[unit] != unit) {
      parent_[unit] = parent_[parent_[unit]];
      unit = parent_[unit];
    }
    return unit;
  }

  void unite(size_t a, size_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
    std::swap(next_[a], next_[b]);  // Merges two rings.
  }

  template <typename Visit>
  void for_each_member(size_t set, const Visit& visit) const {
    size_t unit = set;
    do {
      visit(unit);
      unit = next_[unit];
    } while (unit != set);
  }

  int64_t least_level(size_t unit) {
    int64_t level = units_.supported[unit] ? 1 : 0;
    for (const size_t reader : units_.edges.readers[unit]) {
      level = std::max(level, level_[find(reader)] + step(unit, reader));
    }
    return level;
  }

  int64_t step(size_t producer, size_t reader) const {
    return units_.supported[producer] == units_.supported[reader] ? 0 : 1;
  }

  bool is_one_set(size_t a, size_t b) {
    return units_.supported[a] && units_.supported[b] && level_[find(a)] == level_[find(b)];
  }

  void unite_with_readers(size_t unit) {
    for (const size_t reader : units_.edges.readers[unit]) {
      if (is_one_set(unit, reader)) unite(unit, reader);
    }
  }

  void join(size_t set, size_t below) {
    if (set == below || looks_left_ == 0) return;
    // A path through other units never disappears, so the refusal is final.
    if (refused_.contains(std::pair(set, below))) return;
    if (!raise(below, level_[set], set)) refused_.emplace(set, below);
  }

  struct Raised {
    int64_t level;  ///< The level before.
    size_t position;
    size_t set;

    // The queue takes the lowest level first, and readers first within a level.
    bool operator<(const Raised& other) const {
      return std::tuple(other.level, position) < std::tuple(level, other.position);
    }
  };

  /// Raises a set to a level, and everything that leads to it. False, with all levels unchanged, if
  /// that would also raise `fixed`.
  bool raise(size_t set, int64_t level, size_t fixed) {
    std::priority_queue<Raised> next;
    std::vector<size_t> raised;
    const auto need = [&](size_t other, int64_t least) {
      if (needed_[other] == 0) {
        next.push({level_[other], position_[other], other});
        raised.push_back(other);
      }
      needed_[other] = std::max(needed_[other], least);
    };
    need(set, level);
    bool fits = true;
    while (!next.empty() && fits) {
      const size_t at = next.top().set;
      next.pop();
      for_each_member(at, [&](size_t unit) {
        const std::span<const size_t> producers = units_.edges.producers[unit];
        looks_left_ -= std::min(looks_left_, 1 + producers.size());
        for (const size_t producer : producers) {
          const size_t other = find(producer);
          const int64_t least = needed_[at] + step(producer, unit);
          if (other == at || level_[other] >= least) continue;
          fits = fits && other != fixed;
          need(other, least);
        }
      });
      fits = fits && looks_left_ > 0;
    }
    if (fits) settle(raised);
    for (const size_t other : raised) needed_[other] = 0;
    return fits;
  }

  void settle(const std::vector<size_t>& raised) {
    std::vector<size_t> members;
    for (const size_t set : raised) {
      level_[set] = needed_[set];
      if (units_.supported[set]) {
        for_each_member(set, [&](size_t unit) { members.push_back(unit); });
      }
    }
    for (const size_t unit : members) {
      unite_with_readers(unit);
      for (const size_t producer : units_.edges.producers[unit]) {
        if (is_one_set(producer, unit)) unite(producer, unit);
      }
    }
  }

  struct PairHash {
    size_t operator()(const std::pair<size_t, size_t>& pair) const {
      return pair.first * 0x9e3779b97f4a7c15U + pair.second;
    }
  };

  UnitsInOrder units_;
  const LongestPaths& paths_;
  std::vector<int64_t> level_;  ///< By set.
  std::vector<size_t> position_;
  std::vector<size_t> parent_;
  std::vector<size_t> next_;  ///< Members of a set form a ring.
  std::vector<size_t> size_;
  std::vector<int64_t> needed_;  ///< By set that is being raised; else 0.
  std::unordered_set<std::pair<size_t, size_t>, PairHash> refused_;
  size_t looks_left_;
};

/// Marks the parts on a cycle of edges, or on a path between two cycles.
std::vector<bool> in_circles(size_t count, const Pairs& pairs) {
  const Edges edges(count, pairs);
  std::vector<bool> left(count, true);
  const auto trim = [&](const Lists& before, const Lists& after) {
    std::vector<size_t> waits_for(count);
    std::vector<size_t> ready;
    for (size_t part = 0; part < count; ++part) {
      for (const size_t other : before[part]) waits_for[part] += left[other] ? 1 : 0;
      if (left[part] && waits_for[part] == 0) ready.push_back(part);
    }
    while (!ready.empty()) {
      const size_t part = ready.back();
      ready.pop_back();
      left[part] = false;
      for (const size_t other : after[part]) {
        if (left[other] && --waits_for[other] == 0) ready.push_back(other);
      }
    }
  };
  trim(edges.producers, edges.readers);
  trim(edges.readers, edges.producers);
  return left;
}

}  // namespace

std::vector<std::vector<size_t>> connected_parts(const UnitsInOrder& units,
                                                 const std::vector<int64_t>& level,
                                                 const std::vector<size_t>& members) {
  std::unordered_map<size_t, size_t> part_of;
  std::vector<std::vector<size_t>> parts;
  std::vector<size_t> stack;
  for (const size_t start : members) {
    if (!part_of.emplace(start, parts.size()).second) continue;
    parts.emplace_back();
    stack.assign(1, start);
    while (!stack.empty()) {
      const size_t unit = stack.back();
      stack.pop_back();
      parts.back().push_back(unit);
      const auto visit = [&](size_t other) {
        if (!units.supported[other] || level[other] != level[unit]) return;
        if (part_of.emplace(other, parts.size() - 1).second) stack.push_back(other);
      };
      for (const size_t producer : units.operands.producers[unit]) visit(producer);
      for (const size_t reader : units.operands.readers[unit]) visit(reader);
    }
  }
  Pairs between;
  for (const size_t unit : members) {
    for (const size_t reader : units.edges.readers[unit]) {
      if (!units.supported[reader] || level[reader] != level[unit]) continue;
      if (part_of.at(unit) != part_of.at(reader)) {
        between.emplace_back(part_of.at(unit), part_of.at(reader));
      }
    }
  }
  if (between.empty()) return parts;
  const std::vector<bool> circular = in_circles(parts.size(), between);
  const auto first = std::ranges::find(circular, true) - circular.begin();
  for (size_t part = parts.size(); part-- > 0;) {
    if (!circular[part] || static_cast<ptrdiff_t>(part) == first) continue;
    std::vector<size_t>& all = parts[static_cast<size_t>(first)];
    all.insert(all.end(), parts[part].begin(), parts[part].end());
    parts.erase(parts.begin() + static_cast<ptrdiff_t>(part));
  }
  return parts;
}

std::vector<int64_t> connected_levels(const UnitsInOrder& units, std::vector<int64_t> start,
                                      bool is_free) {
  const LongestPaths paths(units);
  Joiner joined(units, paths, start);
  joined.join();
  if (!is_free) return joined.levels();
  Joiner opened(units, paths, std::vector<int64_t>(start.size(), kOpen));
  opened.join();
  return opened.set_count() <= joined.set_count() ? opened.levels() : joined.levels();
}

}  // namespace litz::passes
