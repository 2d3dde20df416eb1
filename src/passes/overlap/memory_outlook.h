// How much memory will be live later, if some of it becomes live earlier than before.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace litz::passes {

/// Bytes at numbered moments; ranges of moments get more, and have a largest one. Each call takes
/// logarithmic time.
class MemoryOutlook {
 public:
  explicit MemoryOutlook(std::span<const double> bytes);

  /// Over moments [begin, end); 0 for none.
  double most(size_t begin, size_t end) const;
  void add(size_t begin, size_t end, double bytes);

 private:
  double most_in(size_t node, size_t low, size_t high, size_t begin, size_t end) const;
  void add_in(size_t node, size_t low, size_t high, size_t begin, size_t end, double bytes);

  size_t width_ = 1;
  std::vector<double> most_;   ///< By node of a tree, the root is 1; without what its parents add.
  std::vector<double> added_;  ///< To all moments of a node.
};

}  // namespace litz::passes
