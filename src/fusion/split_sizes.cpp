#include "fusion/split_sizes.h"

#include <algorithm>
#include <cmath>

#include "fusion/pointwise.h"

namespace litz::fusion {
namespace {

// Half a second-level cache of floats: reductions of the same values find them there.
constexpr double kLongestPart = 1 << 16;
// Enough parts for many threads, where they are not too short.
constexpr double kManyParts = 64;
// The rest is less than this share of the whole.
constexpr double kLeastLength = 16;

bool is_idempotent(loops::ReduceKind kind) {
  return kind == loops::ReduceKind::max || kind == loops::ReduceKind::min ||
         kind == loops::ReduceKind::argmax || kind == loops::ReduceKind::argmin;
}

// A count near the wanted one that divides the extent, or the wanted one.
int64_t dividing(int64_t extent, int64_t parts) {
  for (int64_t count = parts; count < 2 * parts && count <= extent; ++count) {
    if (extent % count == 0) return count;
  }
  return parts;
}

}  // namespace

std::optional<SplitSizes> split_sizes(const std::vector<loops::LoopVar>& vars,
                                      loops::ReduceKind kind, int64_t least) {
  double total = 1;
  for (const loops::LoopVar& var : vars) total *= std::max(estimate(var.extent), 1.0);
  const double shortest = std::max(1.0, std::min(static_cast<double>(least) / 8, kLongestPart));
  const double length = std::clamp(total / kManyParts, shortest, kLongestPart);
  double wanted = total / length;
  SplitSizes sizes;
  for (; sizes.split < vars.size(); ++sizes.split) {
    const Expr extent = vars[sizes.split].extent;
    const double count = std::max(estimate(extent), 1.0);
    const bool is_last = sizes.split + 1 == vars.size();
    if (wanted < 2 && sizes.split == 0) return std::nullopt;
    if (count < wanted * kLeastLength && !is_last) {
      wanted = std::max(1.0, wanted / count);
      continue;
    }
    if (const auto constant = extent.maybe_constant()) {
      const auto parts = std::max<int64_t>(1, std::llround(std::min(wanted, count / 2)));
      sizes.parts = Expr(dividing(*constant, parts));
    } else {
      // By elements, so that it fits all sizes.
      const auto elements = static_cast<int64_t>(std::ceil(std::max(2.0, count / wanted)));
      sizes.parts = max(Expr(1), floor_div(extent, Expr(elements)));
    }
    sizes.length = floor_div(extent, sizes.parts);
    sizes.rest = extent - sizes.parts * sizes.length;
    if (!sizes.rest.is(0) && is_idempotent(kind)) {
      // Positions of a rest that is not at the end would have to be put in order.
      const bool is_arg = kind == loops::ReduceKind::argmax || kind == loops::ReduceKind::argmin;
      if (is_arg && sizes.split > 0) return std::nullopt;
      sizes.rest = min(extent, sizes.rest + 1);
    }
    return sizes;
  }
  return std::nullopt;
}

}  // namespace litz::fusion
