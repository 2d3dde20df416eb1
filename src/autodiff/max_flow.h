// Maximum flows in networks of integer capacities, and the cuts that limit them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace litz::autodiff {

/// A directed network between a source and a sink.
class FlowNetwork {
 public:
  /// A capacity that no cut may contain.
  static constexpr int64_t kUnlimited = int64_t{1} << 60;

  static constexpr int kSource = 0;
  static constexpr int kSink = 1;

  FlowNetwork() : edges_of_(2) {}

  int add_vertex();
  /// Capacities are from 0 to kUnlimited.
  void add_edge(int from, int to, int64_t capacity);

  /// By vertex: true on the sink's side of the least cut, of several the one closest to the sink.
  /// Empty if every cut contains an unlimited edge. Call it once.
  std::vector<bool> cut();

 private:
  struct Edge {
    int to = 0;
    int64_t capacity = 0;  ///< What is left of it.
  };

  bool find_levels();
  int64_t augment(int64_t limit);

  /// The edge that undoes the flow of edge i is edge i ^ 1.
  std::vector<Edge> edges_;
  std::vector<std::vector<size_t>> edges_of_;
  std::vector<int> levels_;    ///< The distance from the source; -1: out of reach.
  std::vector<size_t> tried_;  ///< By vertex: how many of its edges lead to no more flow.
};

}  // namespace litz::autodiff
