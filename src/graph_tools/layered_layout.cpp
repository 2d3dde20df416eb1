// Layered layout. See layered_layout.h.

#include "graph_tools/layered_layout.h"

#include <algorithm>
#include <map>
#include <utility>

namespace litz::ir {
namespace {

constexpr double kBoxGap = 18;
constexpr double kLineGap = 7;
constexpr double kLayerGap = 34;
constexpr double kBoxWeight = 1;
constexpr double kLineWeight = 4;  // Bent lines are harder to follow than shifted boxes.
constexpr double kPortSpan = 0.6;  // The part of a box's width where lines arrive.
constexpr int kSweeps = 8;         // Trades time against crossings and bends.

// A box, or the point where a line crosses a layer.
struct Place {
  size_t layer = 0;
  double width = 0;
  double centre = 0;
  double gap = kLineGap;
  double weight = kLineWeight;
  size_t position = 0;             ///< Within its layer.
  std::vector<size_t> above = {};  ///< Neighbours, by index.
  std::vector<size_t> below = {};
};

class LayerPlanner {
 public:
  LayerPlanner(std::span<const Extent> boxes, std::span<const BoxPair> edges)
      : boxes_(boxes), edges_(edges) {}

  BoxLayout plan() {
    assign_layers();
    make_places();
    order_layers();
    place_layers();
    return result();
  }

 private:
  static bool leads_down(const BoxPair& edge) { return edge.from < edge.to; }

  void assign_layers() {
    layer_.assign(boxes_.size(), 0);
    std::vector<bool> has_predecessor(boxes_.size());
    std::vector<std::vector<size_t>> readers(boxes_.size());
    for (const BoxPair& edge : edges_) {
      if (leads_down(edge)) readers[edge.from].push_back(edge.to);
    }
    for (size_t box = 0; box < boxes_.size(); ++box) {
      for (const size_t reader : readers[box]) {
        layer_[reader] = std::max(layer_[reader], layer_[box] + 1);
        has_predecessor[reader] = true;
      }
    }
    for (size_t box = 0; box < boxes_.size(); ++box) {
      if (has_predecessor[box] || readers[box].empty()) continue;
      size_t nearest = layer_[readers[box].front()];
      for (const size_t reader : readers[box]) nearest = std::min(nearest, layer_[reader]);
      layer_[box] = nearest - 1;
    }
  }

  void make_places() {
    size_t layers = 0;
    for (const size_t layer : layer_) layers = std::max(layers, layer + 1);
    layers_.resize(layers);
    for (size_t box = 0; box < boxes_.size(); ++box) {
      places_.push_back(
          {.layer = layer_[box], .width = boxes_[box].width, .gap = kBoxGap, .weight = kBoxWeight});
      layers_[layer_[box]].push_back(box);
    }
    passes_.resize(edges_.size());
    for (size_t i = 0; i < edges_.size(); ++i) {
      if (leads_down(edges_[i])) add_passes(i);
    }
    for (const std::vector<size_t>& layer : layers_) number(layer);
  }

  // Edges from the same box share their places: (box, layer) -> place.
  void add_passes(size_t edge) {
    const auto [from, to] = edges_[edge];
    size_t last = from;
    for (size_t layer = layer_[from] + 1; layer < layer_[to]; ++layer) {
      const auto [found, is_new] = shared_.try_emplace({from, layer}, places_.size());
      if (is_new) {
        places_.push_back({.layer = layer});
        layers_[layer].push_back(found->second);
        connect(last, found->second);
      }
      last = found->second;
      passes_[edge].push_back(last);
    }
    connect(last, to);
  }

  void connect(size_t upper, size_t lower) {
    places_[upper].below.push_back(lower);
    places_[lower].above.push_back(upper);
  }

  void number(const std::vector<size_t>& layer) {
    for (size_t i = 0; i < layer.size(); ++i) places_[layer[i]].position = i;
  }

  void order_layers() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t i = 0; i < layers_.size(); ++i) {
        order_layer(layers_[down ? i : layers_.size() - 1 - i], down);
      }
    }
  }

  // Positions are fractions of a layer, because layers have different numbers of places.
  double fraction(size_t place) const {
    const Place& each = places_[place];
    return (static_cast<double>(each.position) + 0.5) /
           static_cast<double>(layers_[each.layer].size());
  }

  void order_layer(std::vector<size_t>& layer, bool down) {
    std::vector<std::pair<double, size_t>> keys;
    keys.reserve(layer.size());
    for (const size_t place : layer) {
      const std::vector<size_t>& near = down ? places_[place].above : places_[place].below;
      double sum = 0;
      for (const size_t neighbour : near) sum += fraction(neighbour);
      keys.emplace_back(near.empty() ? fraction(place) : sum / static_cast<double>(near.size()),
                        place);
    }
    std::ranges::stable_sort(keys, {}, &std::pair<double, size_t>::first);
    for (size_t i = 0; i < layer.size(); ++i) layer[i] = keys[i].second;
    number(layer);
  }

  void place_layers() {
    for (std::vector<size_t>& layer : layers_) {
      double x = 0;
      for (const size_t place : layer) {
        places_[place].centre = x + places_[place].width / 2;
        x += places_[place].width + places_[place].gap;
      }
    }
    for (int sweep = 0; sweep <= kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      const bool both = sweep == kSweeps;
      for (size_t i = 0; i < layers_.size(); ++i) {
        place_layer(layers_[down ? i : layers_.size() - 1 - i], down || both, !down || both);
      }
    }
  }

  double wanted(const Place& place, bool above, bool below) const {
    double sum = 0;
    double count = 0;
    for (const auto& [use, near] :
         {std::pair(above, &place.above), std::pair(below, &place.below)}) {
      if (!use) continue;
      for (const size_t neighbour : *near) sum += places_[neighbour].centre;
      count += static_cast<double>(near->size());
    }
    return count > 0 ? sum / count : place.centre;
  }

  // Finds the places nearest to the wanted ones that keep order and distance. Without the distances
  // this is monotone regression, solved by pooling neighbours that would overlap.
  void place_layer(const std::vector<size_t>& layer, bool above, bool below) {
    struct Pool {
      double sum = 0;
      double weight = 0;
      size_t count = 0;

      double mean() const { return sum / weight; }
    };

    std::vector<double> offsets;
    std::vector<Pool> pools;
    offsets.reserve(layer.size());
    pools.reserve(layer.size());
    double offset = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      const Place& place = places_[layer[i]];
      if (i > 0) {
        const Place& left = places_[layer[i - 1]];
        offset += (left.width + place.width) / 2 + std::max(left.gap, place.gap);
      }
      offsets.push_back(offset);
      Pool pool{(wanted(place, above, below) - offset) * place.weight, place.weight, 1};
      while (!pools.empty() && pools.back().mean() > pool.mean()) {
        pool.sum += pools.back().sum;
        pool.weight += pools.back().weight;
        pool.count += pools.back().count;
        pools.pop_back();
      }
      pools.push_back(pool);
    }
    size_t i = 0;
    for (const Pool& pool : pools) {
      for (size_t k = 0; k < pool.count; ++k, ++i) {
        places_[layer[i]].centre = pool.mean() + offsets[i];
      }
    }
  }

  BoxLayout result() const {
    BoxLayout layout;
    double left = 0;
    double right = 0;
    for (const Place& place : places_) {
      left = std::min(left, place.centre - place.width / 2);
      right = std::max(right, place.centre + place.width / 2);
    }
    std::vector<double> top(layers_.size() + 1);
    std::vector<double> bottom(layers_.size());
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      bottom[layer] = top[layer];
      for (const size_t place : layers_[layer]) {
        if (place >= boxes_.size()) continue;
        bottom[layer] = std::max(bottom[layer], top[layer] + boxes_[place].height);
      }
      top[layer + 1] = bottom[layer] + kLayerGap;
    }
    layout.size = {right - left, bottom.empty() ? 0 : bottom.back()};
    for (size_t box = 0; box < boxes_.size(); ++box) {
      layout.corners.push_back(
          {places_[box].centre - places_[box].width / 2 - left, top[layer_[box]]});
    }
    for (size_t i = 0; i < edges_.size(); ++i) {
      layout.routes.push_back(route(i, layout.corners, left, top, bottom));
    }
    spread_arrivals(layout);
    return layout;
  }

  std::vector<Point> route(size_t edge, const std::vector<Point>& corners, double left,
                           const std::vector<double>& top,
                           const std::vector<double>& bottom) const {
    const auto [from, to] = edges_[edge];
    const auto middle = [&](size_t box) { return corners[box].x + boxes_[box].width / 2; };
    std::vector<Point> points{{middle(from), corners[from].y + boxes_[from].height}};
    if (leads_down(edges_[edge])) points.push_back({middle(from), bottom[layer_[from]]});
    for (const size_t pass : passes_[edge]) {
      const Place& place = places_[pass];
      points.push_back({place.centre - left, top[place.layer]});
      points.push_back({place.centre - left, bottom[place.layer]});
    }
    points.push_back({middle(to), corners[to].y});
    return points;
  }

  // Lines that enter one box arrive side by side, sorted by their origin.
  void spread_arrivals(BoxLayout& layout) const {
    std::vector<std::vector<size_t>> arriving(boxes_.size());
    for (size_t i = 0; i < edges_.size(); ++i) arriving[edges_[i].to].push_back(i);
    for (size_t box = 0; box < boxes_.size(); ++box) {
      std::vector<size_t>& edges = arriving[box];
      std::ranges::stable_sort(edges, {}, [&](size_t edge) {
        const std::vector<Point>& points = layout.routes[edge];
        return points[points.size() - 2].x;
      });
      const double span = boxes_[box].width * kPortSpan;
      for (size_t i = 0; i < edges.size(); ++i) {
        const double fraction = (static_cast<double>(i) + 0.5) / static_cast<double>(edges.size());
        layout.routes[edges[i]].back().x += span * (fraction - 0.5);
      }
    }
  }

  std::span<const Extent> boxes_;
  std::span<const BoxPair> edges_;
  std::vector<size_t> layer_;  ///< By box.
  std::vector<Place> places_;  ///< Boxes first.
  std::vector<std::vector<size_t>> layers_;
  std::vector<std::vector<size_t>> passes_;  ///< By edge: places from top to bottom.
  std::map<std::pair<size_t, size_t>, size_t> shared_;
};

}  // namespace

BoxLayout layered_layout(std::span<const Extent> boxes, std::span<const BoxPair> edges) {
  return LayerPlanner(boxes, edges).plan();
}

}  // namespace litz::ir
