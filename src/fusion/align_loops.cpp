// Splits the loops of two nests until they agree, outermost first.
//
//   32, 64  and  2, 16, 64    =>    2, 16, 64 in common

#include "fusion/fuse_loops.h"
#include "fusion/kernel_edit.h"

namespace litz::fusion {
namespace {

using loops::LoopVar;

using Replacements = std::vector<std::pair<SymbolId, Expr>>;

/// Splits pieces off the loops of one nest, outermost first.
class Splitter {
 public:
  Splitter(const std::vector<LoopVar>& vars, Replacements& values) : values_(values) {
    for (const LoopVar& var : vars) {
      if (var.extent.is(1)) {
        values.emplace_back(var.symbol.symbol(), Expr(0));
      } else {
        vars_.push_back(var);
      }
    }
    if (!is_done()) left_ = vars_[0].extent;
  }

  bool is_done() const { return at_ == vars_.size(); }

  Expr left() const { return left_; }

  /// The variable itself if no piece was taken from it and all of it is wanted.
  std::optional<LoopVar> whole(Expr extent) const {
    if (value_.is(0) && left_ == vars_[at_].extent && left_ == extent) return vars_[at_];
    return std::nullopt;
  }

  /// Makes `var` the next piece of the current loop; each of its iterations leaves `below`
  /// iterations.
  void take(const LoopVar& var, Expr below) {
    value_ = value_ + var.symbol * below;
    left_ = below;
    if (!below.is(1)) return;
    finish_var();
  }

  /// The remaining loops.
  std::vector<LoopVar> rest(ExprPool& pool) {
    std::vector<LoopVar> rest;
    if (!is_done() && !value_.is(0)) {
      rest.push_back(make_loop_var(pool, "r", left_));
      value_ = value_ + rest.back().symbol;
      finish_var();
    }
    rest.insert(rest.end(), vars_.begin() + static_cast<ptrdiff_t>(at_), vars_.end());
    return rest;
  }

 private:
  void finish_var() {
    if (!(value_ == vars_[at_].symbol)) values_.emplace_back(vars_[at_].symbol.symbol(), value_);
    ++at_;
    value_ = 0;
    if (!is_done()) left_ = vars_[at_].extent;
  }

  std::vector<LoopVar> vars_;
  Replacements& values_;
  size_t at_ = 0;
  Expr left_ = 1;   ///< Iterations left in the current loop.
  Expr value_ = 0;  ///< The value of its variable, from the pieces so far.
};

// How often `piece` fits into the rest. Loops without iterations fit each other once.
Expr pieces(Expr left, Expr piece) {
  return left == piece ? Expr(1) : *exact_quotient(left, piece);
}

}  // namespace

Alignment align(ExprPool& pool, const std::vector<LoopVar>& first,
                const std::vector<LoopVar>& second, size_t limit) {
  Alignment found;
  Splitter x(first, found.first_values);
  Splitter y(second, found.second_values);
  while (!x.is_done() && !y.is_done() && found.common.size() < limit) {
    const Expr of_x = x.left();
    const Expr of_y = y.left();
    Expr extent = of_x;
    if (!(of_x == of_y)) {
      // The smaller one is the piece if it divides the larger.
      if (exact_quotient(of_x, of_y)) {
        extent = of_y;
      } else if (!exact_quotient(of_y, of_x)) {
        break;
      }
    }
    std::optional<LoopVar> var = x.whole(extent);
    if (!var) var = y.whole(extent);
    if (!var) var = make_loop_var(pool, "s", extent);
    x.take(*var, pieces(of_x, extent));
    y.take(*var, pieces(of_y, extent));
    found.common.push_back(*var);
  }
  found.first_rest = x.rest(pool);
  found.second_rest = y.rest(pool);
  return found;
}

}  // namespace litz::fusion
