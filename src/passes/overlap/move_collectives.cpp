#include "passes/overlap/move_collectives.h"

#include <algorithm>

#include "passes/overlap/units.h"

namespace litz::passes {
namespace {

/// Emits units, each with all that it leans on, in one direction of the dependences.
class Emission {
 public:
  explicit Emission(const std::vector<std::vector<uint32_t>>& leans_on)
      : leans_on_(leans_on), is_done_(leans_on.size()) {}

  void emit(uint32_t unit) {
    std::vector<std::pair<uint32_t, size_t>> stack{{unit, 0}};
    while (!stack.empty()) {
      auto& [current, next] = stack.back();
      if (is_done_[current]) {
        stack.pop_back();
      } else if (next < leans_on_[current].size()) {
        const uint32_t other = leans_on_[current][next++];
        if (!is_done_[other]) stack.emplace_back(other, 0);
      } else {
        is_done_[current] = true;
        order_.push_back(current);
        stack.pop_back();
      }
    }
  }

  bool is_done(uint32_t unit) const { return is_done_[unit]; }

  std::vector<uint32_t> take() { return std::move(order_); }

 private:
  const std::vector<std::vector<uint32_t>>& leans_on_;
  std::vector<bool> is_done_;
  std::vector<uint32_t> order_;
};

/// Marks what depends on one unit, among the units of a segment.
std::vector<bool> dependents(const Units& units, uint32_t first, uint32_t begin, uint32_t end) {
  std::vector<bool> found(end - begin);
  for (uint32_t i = begin; i < end; ++i) {
    found[i - begin] = std::ranges::any_of(units.needs[i], [&](uint32_t need) {
      return need == first || (need >= begin && found[need - begin]);
    });
  }
  return found;
}

std::vector<bool> needed_for(const Units& units, uint32_t last, uint32_t begin, uint32_t end) {
  std::vector<bool> found(end - begin);
  for (uint32_t i = end; i-- > begin;) {
    found[i - begin] = std::ranges::any_of(units.needed_by[i], [&](uint32_t user) {
      return user == last || (user >= begin && user < end && found[user - begin]);
    });
  }
  return found;
}

}  // namespace

void raise_starts(ir::Graph& graph) {
  const Units units(graph, {}, {.keeps_order = true});
  Emission emission(units.needs);
  for (uint32_t i = 0; i < units.all.size(); ++i) {
    if (units.all[i].kind == UnitKind::start) emission.emit(i);
  }
  for (uint32_t i = 0; i < units.all.size(); ++i) emission.emit(i);
  arrange(graph, units.nodes_of(emission.take()));
}

void sink_waits(ir::Graph& graph) {
  const Units units(graph, {}, {.keeps_order = true});
  Emission emission(units.needed_by);
  for (uint32_t i = static_cast<uint32_t>(units.all.size()); i-- > 0;) {
    if (units.all[i].kind == UnitKind::wait) emission.emit(i);
  }
  for (uint32_t i = static_cast<uint32_t>(units.all.size()); i-- > 0;) emission.emit(i);
  std::vector<uint32_t> order = emission.take();
  std::ranges::reverse(order);
  arrange(graph, units.nodes_of(order));
}

void reorder_compute(ir::Graph& graph, const PriceOptions& prices) {
  const Units units(graph, prices);
  std::vector<uint32_t> starts;
  for (uint32_t i = 0; i < units.all.size(); ++i) {
    if (units.all[i].kind == UnitKind::start) starts.push_back(i);
  }
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < (starts.empty() ? units.all.size() : starts[0]); ++i) order.push_back(i);
  for (size_t k = 0; k < starts.size(); ++k) {
    const uint32_t start = starts[k];
    const uint32_t end =
        static_cast<uint32_t>(k + 1 < starts.size() ? starts[k + 1] : units.all.size());
    order.push_back(start);
    const std::vector<bool> waits = dependents(units, start, start + 1, end);
    const std::vector<bool> leads = needed_for(units, end, start + 1, end);
    double covered = 0;
    std::vector<uint32_t> rest;
    for (uint32_t i = start + 1; i < end; ++i) {
      if (waits[i - start - 1] || !leads[i - start - 1]) continue;
      order.push_back(i);
      covered += units.all[i].us;
    }
    for (uint32_t i = start + 1; i < end; ++i) {
      if (!waits[i - start - 1] && leads[i - start - 1]) continue;
      const bool covers = !waits[i - start - 1] && covered < units.all[start].us;
      (covers ? order : rest).push_back(i);
      covered += covers ? units.all[i].us : 0;
    }
    order.insert(order.end(), rest.begin(), rest.end());
  }
  arrange(graph, units.nodes_of(order));
}

}  // namespace litz::passes
