// Compact graphs of numbers for partitioning: a million nodes must not allocate a million vectors.

#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace litz::passes {

/// A list of numbers for every number, all in one allocation.
class Lists {
 public:
  Lists() = default;

  /// `items` are (list, item); within a list they keep their order.
  Lists(size_t count, std::span<const std::pair<size_t, size_t>> items)
      : begin_(count + 1), items_(items.size()) {
    for (const auto& [list, item] : items) ++begin_[list + 1];
    for (size_t i = 0; i < count; ++i) begin_[i + 1] += begin_[i];
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [list, item] : items) items_[next[list]++] = item;
  }

  std::span<const size_t> operator[](size_t list) const {
    return std::span(items_).subspan(begin_[list], begin_[list + 1] - begin_[list]);
  }

  size_t size() const { return begin_.size() - 1; }

 private:
  std::vector<size_t> begin_{0};
  std::vector<size_t> items_;
};

using Pairs = std::vector<std::pair<size_t, size_t>>;

/// Dependences in both directions.
struct Edges {
  Lists readers;
  Lists producers;

  Edges() = default;

  /// Pairs of (producer, reader).
  Edges(size_t count, Pairs pairs) : readers(count, pairs) {
    for (auto& [producer, reader] : pairs) std::swap(producer, reader);
    producers = Lists(count, pairs);
  }
};

}  // namespace litz::passes
