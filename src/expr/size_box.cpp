#include "expr/size_box.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "expr/node.h"
#include "expr/wide.h"

namespace litz {
namespace {

Interval common(Interval a, Interval b) {
  const Interval both{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  return both.lo <= both.hi ? both : a;
}

class BoxRanges final : public OperandRanges {
 public:
  explicit BoxRanges(const std::vector<std::pair<SymbolId, Interval>>& ranges) : ranges_(ranges) {}

  // Facts for all values of the symbols also hold in the box.
  Interval integer(Expr a) const override {
    if (a.is_constant()) return range_of(a);
    const ExprNode& node = *a.node();
    if (!is_narrowed(node)) return node.range;
    const auto known = integers_.find(&node);
    if (known != integers_.end()) return known->second;
    const Interval range = node.domain == ExprDomain::boolean
                               ? node.range
                               : common(integer_range(node, *this), node.range);
    integers_.emplace(&node, range);
    return range;
  }

  RealInterval real(Expr a) const override {
    if (a.is_constant() || !is_narrowed(*a.node())) return real_range_of(a);
    return real_range(*a.node(), *this);
  }

  Interval symbol(SymbolId id) const override {
    const auto found = std::ranges::find(ranges_, id, &std::pair<SymbolId, Interval>::first);
    return found != ranges_.end() ? found->second : Interval{};
  }

  Interval sum(const ExprNode& node) const override {
    Wide lo = 0;
    Wide hi = 0;
    for (const Expr& term : node.operands()) {
      const Interval range = integer(term);
      lo = plus(lo, wide_lo(range));
      hi = plus(hi, wide_hi(range));
    }
    return interval_of(lo, hi);
  }

 private:
  bool is_narrowed(const ExprNode& node) const {
    return std::ranges::any_of(ranges_, [&](const auto& range) {
      return std::ranges::binary_search(node.symbols(), range.first);
    });
  }

  const std::vector<std::pair<SymbolId, Interval>>& ranges_;
  mutable std::unordered_map<const ExprNode*, Interval> integers_;
};

}  // namespace

SizeBox::SizeBox(std::vector<std::pair<SymbolId, Interval>> ranges) : ranges_(std::move(ranges)) {}

Interval SizeBox::bounds(Expr a) const {
  require_domain(a, ExprDomain::integer, "bounds");
  return BoxRanges(ranges_).integer(a);
}

}  // namespace litz
