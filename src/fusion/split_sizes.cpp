#include "fusion/split_sizes.h"

#include <algorithm>
#include <cmath>

#include "loops/pointwise.h"

namespace litz::fusion {
namespace {

// The fewest elements per part of a split variable: the rest is then a small share of it. A smaller
// limit would split more variables, and leave more to the second kernel.
constexpr int64_t kLeastLength = 16;

bool is_position(loops::ReduceKind kind) {
  return kind == loops::ReduceKind::argmax || kind == loops::ReduceKind::argmin;
}

bool is_idempotent(loops::ReduceKind kind) {
  return kind == loops::ReduceKind::max || kind == loops::ReduceKind::min || is_position(kind);
}

// A count near the wanted one that divides the extent, or the wanted one.
int64_t dividing(int64_t extent, int64_t parts) {
  for (int64_t count = parts; count < 2 * parts && count <= extent; ++count) {
    if (extent % count == 0) return count;
  }
  return parts;
}

/// The number of elements per part: enough parts for many threads, unless these are too short.
struct PartLengths {
  int64_t shortest;
  /// Half a second-level cache of floats: reductions of the same values find them there.
  int64_t longest;
  int64_t enough_parts;

  PartLengths(int64_t least, const machine::Machine& machine)
      : longest(machine.second_cache_bytes / 2 / static_cast<int64_t>(sizeof(float))),
        enough_parts(machine.enough_iterations) {
    shortest = std::max<int64_t>(1, std::min(least / 8, longest));
  }

  double wanted_parts(double total) const {
    const double length = std::clamp(total / static_cast<double>(enough_parts),
                                     static_cast<double>(shortest), static_cast<double>(longest));
    return total / length;
  }

  /// The number of parts for an element count that only a call knows, rounded down; at least 1.
  Expr wanted_parts(Expr total) const {
    const Expr some = min(Expr(enough_parts), floor_div(total, Expr(shortest)));
    return max(Expr(1), max(some, floor_div(total, Expr(longest))));
  }
};

class Splitting {
 public:
  Splitting(const std::vector<loops::LoopVar>& vars, loops::ReduceKind kind, PartLengths lengths)
      : vars_(vars), kind_(kind), lengths_(lengths) {}

  std::optional<SplitSizes> run() {
    const bool is_known = std::ranges::all_of(
        vars_, [](const loops::LoopVar& var) { return var.extent.is_constant(); });
    if (!(is_known ? choose_parts() : choose_symbolic_parts())) return std::nullopt;
    const Expr extent = vars_[sizes_.split].extent;
    sizes_.length = floor_div(extent, sizes_.parts);
    sizes_.rest = extent - sizes_.parts * sizes_.length;
    if (!sizes_.rest.is(0) && is_idempotent(kind_)) {
      // Positions of a rest that is not at the end would have to be reordered.
      if (is_position(kind_) && sizes_.split > 0) return std::nullopt;
      sizes_.rest = min(extent, sizes_.rest + 1);
    }
    return sizes_;
  }

 private:
  bool choose_parts() {
    double wanted = lengths_.wanted_parts(std::max(trips(vars_), 1.0));
    if (wanted < 2) return false;
    for (; sizes_.split < vars_.size(); ++sizes_.split) {
      const int64_t extent = vars_[sizes_.split].extent.constant();
      const double count = std::max(static_cast<double>(extent), 1.0);
      const bool is_last = sizes_.split + 1 == vars_.size();
      if (count < wanted * static_cast<double>(kLeastLength) && !is_last) {
        wanted = std::max(1.0, wanted / count);
        continue;
      }
      const auto parts = std::max<int64_t>(1, std::llround(std::min(wanted, count / 2)));
      sizes_.parts = Expr(dividing(extent, parts));
      return true;
    }
    return false;
  }

  /// Splits the first variable that may be long; those before it count parts unchanged.
  bool choose_symbolic_parts() {
    Expr before = 1;
    Expr total = 1;
    for (const loops::LoopVar& var : vars_) total = total * var.extent;
    for (; sizes_.split < vars_.size(); ++sizes_.split) {
      const Expr extent = vars_[sizes_.split].extent;
      if (known_less(extent, Expr(kLeastLength))) {
        before = before * extent;
        continue;
      }
      const Expr wanted = floor_div(lengths_.wanted_parts(total), before);
      sizes_.parts = max(Expr(1), min(extent, wanted));
      return true;
    }
    return false;
  }

  const std::vector<loops::LoopVar>& vars_;
  loops::ReduceKind kind_;
  PartLengths lengths_;
  SplitSizes sizes_;
};

}  // namespace

std::optional<SplitSizes> split_sizes(const std::vector<loops::LoopVar>& vars,
                                      loops::ReduceKind kind, int64_t least,
                                      const machine::Machine& machine) {
  return Splitting(vars, kind, PartLengths(least, machine)).run();
}

}  // namespace litz::fusion
