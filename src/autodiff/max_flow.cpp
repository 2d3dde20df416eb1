// Dinic's method: flows along shortest paths until these get longer.

#include "autodiff/max_flow.h"

#include <algorithm>

#include "support/check.h"

namespace litz::autodiff {

int FlowNetwork::add_vertex() {
  edges_of_.emplace_back();
  return static_cast<int>(edges_of_.size()) - 1;
}

void FlowNetwork::add_edge(int from, int to, int64_t capacity) {
  check(capacity >= 0 && capacity <= kUnlimited, "a capacity must be in range:", capacity);
  edges_of_[static_cast<size_t>(from)].push_back(edges_.size());
  edges_.push_back({to, capacity});
  edges_of_[static_cast<size_t>(to)].push_back(edges_.size());
  edges_.push_back({from, 0});
}

bool FlowNetwork::find_levels() {
  levels_.assign(edges_of_.size(), -1);
  levels_[kSource] = 0;
  std::vector<int> reached{kSource};
  for (size_t i = 0; i < reached.size(); ++i) {
    const auto vertex = static_cast<size_t>(reached[i]);
    for (const size_t e : edges_of_[vertex]) {
      const Edge& edge = edges_[e];
      if (edge.capacity == 0 || levels_[static_cast<size_t>(edge.to)] >= 0) continue;
      levels_[static_cast<size_t>(edge.to)] = levels_[vertex] + 1;
      reached.push_back(edge.to);
    }
  }
  return levels_[kSink] >= 0;
}

/// Sends flow along one shortest path; returns how much, 0 if there is none.
int64_t FlowNetwork::augment(int64_t limit) {
  // A stack instead of recursion, since paths may be as long as a program.
  std::vector<size_t> path;
  int vertex = kSource;
  while (vertex != kSink) {
    const auto at = static_cast<size_t>(vertex);
    const std::vector<size_t>& edges = edges_of_[at];
    size_t& next = tried_[at];
    while (next < edges.size()) {
      const Edge& edge = edges_[edges[next]];
      if (edge.capacity > 0 && levels_[static_cast<size_t>(edge.to)] == levels_[at] + 1) break;
      ++next;
    }
    if (next < edges.size()) {
      path.push_back(edges[next]);
      vertex = edges_[edges[next]].to;
      continue;
    }
    if (path.empty()) return 0;
    vertex = edges_[path.back() ^ 1].to;
    ++tried_[static_cast<size_t>(vertex)];
    path.pop_back();
  }
  int64_t flow = limit;
  for (const size_t e : path) flow = std::min(flow, edges_[e].capacity);
  for (const size_t e : path) {
    edges_[e].capacity -= flow;
    // Unlimited edges stay below 2 * kUnlimited, as the total flow stays below kUnlimited.
    edges_[e ^ 1].capacity += flow;
  }
  return flow;
}

std::vector<bool> FlowNetwork::cut() {
  int64_t total = 0;
  while (find_levels()) {
    tried_.assign(edges_of_.size(), 0);
    while (const int64_t flow = augment(kUnlimited)) {
      total += flow;
      if (total >= kUnlimited) return {};
    }
  }
  // What can still reach the sink is on its side.
  std::vector<bool> side(edges_of_.size(), false);
  side[kSink] = true;
  std::vector<int> reached{kSink};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const size_t e : edges_of_[static_cast<size_t>(reached[i])]) {
      const auto from = static_cast<size_t>(edges_[e].to);
      if (side[from] || edges_[e ^ 1].capacity == 0) continue;
      side[from] = true;
      reached.push_back(edges_[e].to);
    }
  }
  return side;
}

}  // namespace litz::autodiff
