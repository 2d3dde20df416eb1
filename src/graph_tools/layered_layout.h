// Places the boxes of a drawing in layers from top to bottom, with every edge leading down.
//
//   1. A box goes one layer below the lowest of its predecessors; sources go near their readers.
//   2. An edge over several layers gets a place in each, shared by all edges from the same box.
//   3. Layers are reordered by positions of neighbours (barycenters), which removes most crossings.
//   4. Places in a layer move towards their neighbours as far as adjacent places permit.
//
// Time grows with boxes, edges and places; drawings bound the first two.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace litz::ir {

struct Point {
  double x = 0;
  double y = 0;
};

struct Extent {
  double width = 0;
  double height = 0;
};

struct BoxPair {
  size_t from = 0;
  size_t to = 0;
};

struct BoxLayout {
  std::vector<Point> corners;  ///< The upper left corner, by box.
  /// By edge: points from the bottom of one box through top and bottom of every layer between to
  /// the top of the other box. Two points for an edge that leads up, which the layout ignores.
  std::vector<std::vector<Point>> routes;
  Extent size;
};

/// Edges lead from boxes to later ones; other edges are routed but do not affect the layout.
BoxLayout layered_layout(std::span<const Extent> boxes, std::span<const BoxPair> edges);

}  // namespace litz::ir
