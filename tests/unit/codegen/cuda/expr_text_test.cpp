// Index expressions of every kind on the card against their evaluation, at operands of any sign.

#include "emulated_kernel.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;

/// Stores expressions of a variable from -20 to 20 and of symbols.
class ExprTextTest : public EmulatedKernelTest {
 protected:
  static constexpr int64_t kPoints = 41;

  void compare_all(const std::function<std::vector<Expr>(Expr)>& make) {
    KernelBuilder b("expressions", pool_);
    std::vector<BufferId> outputs;
    std::vector<Tensor> tensors;
    const auto dtype_of_domain = [](Expr expr) {
      return expr.domain() == ExprDomain::real      ? DType::f64
             : expr.domain() == ExprDomain::boolean ? DType::bool_
                                                    : DType::i64;
    };
    const auto shape = std::vector<Expr>{kPoints};
    for (const Expr expr : make(Expr(3))) {
      const DType dtype = dtype_of_domain(expr);
      outputs.push_back(
          b.output("y" + std::to_string(outputs.size()), contiguous_type(dtype, shape)));
      tensors.push_back(Tensor::zeros(dtype, {kPoints}));
    }
    b.loop(shape, [&](Exprs i) {
      const std::vector<Expr> exprs = make(i[0] - 20);
      for (size_t e = 0; e < exprs.size(); ++e) {
        b.store(outputs[e], i, b.index(exprs[e], dtype_of_domain(exprs[e])));
      }
    });
    compare(std::move(b).finish(), tensors, sizes_, 1e-15);
  }

  Expr symbol(const char* name, Interval range, int64_t value) {
    const Expr made = pool_.add_symbol({.name = name, .range = range});
    sizes_.set(made.symbol(), value);
    return made;
  }

  Expr apply_to(ExprKind kind, std::vector<Expr> operands) {
    return litz::apply(kind, std::span<const Expr>(operands));
  }

  Bindings sizes_;
};

TEST_F(ExprTextTest, DivisionsRoundDown) {
  const Expr s = symbol("s", {1, Interval::kMax}, 7);
  const Expr t = symbol("t", {-9, -1}, -3);
  compare_all([&](Expr x) {
    return std::vector<Expr>{
        floor_div(x, 7), mod(x, 7),         ceil_div(x, 7),      floor_div(x, -7),
        mod(x, -7),      ceil_div(x, -7),   floor_div(x, s),     mod(x, s),
        ceil_div(x, s),  floor_div(x, t),   mod(x, t),           ceil_div(x, t),
        floor_div(s, t), mod(x * s - 5, s), clean_div(x * 6, 3), clean_div(x * s, s)};
  });
}

TEST_F(ExprTextTest, ChoicesAndComparisons) {
  const Expr s = symbol("s", {0, Interval::kMax}, 4);
  compare_all([&](Expr x) {
    const std::vector<Expr> three{x, s, Expr(2)};
    return std::vector<Expr>{min(x, s),
                             max(x, s),
                             min(std::span<const Expr>(three)),
                             max(std::span<const Expr>(three)),
                             where(lt(x, s), x * 2, s),
                             where(eq(x, s), Expr(1), x),
                             where(ne(x, s), Expr(1), x),
                             where(le(x, s), x, -x),
                             lt(x, s),
                             le(s, x),
                             eq(x, s),
                             ne(x, s),
                             logical_and(lt(x, s), lt(Expr(-3), x)),
                             logical_or(lt(x, Expr(-3)), lt(s, x)),
                             logical_not(lt(x, s))};
  });
}

TEST_F(ExprTextTest, Bits) {
  const Expr s = symbol("s", {0, 100}, 5);
  compare_all([&](Expr x) {
    return std::vector<Expr>{apply_to(ExprKind::bit_and, {x, s}),
                             apply_to(ExprKind::bit_or, {x, s}),
                             apply_to(ExprKind::bit_xor, {x, s}),
                             apply_to(ExprKind::shift_left, {x, s}),
                             apply_to(ExprKind::shift_left, {x, Expr(40)}),
                             apply_to(ExprKind::shift_right, {x * 100, s}),
                             apply_to(ExprKind::abs, {x}),
                             pow(x, 3),
                             pow(s, 2)};
  });
}

// Each part fits 32 bits, the whole does not.
TEST_F(ExprTextTest, LargeValues) {
  const Expr s = symbol("s", {0, int64_t{1} << 30}, (int64_t{1} << 30) - 3);
  const Expr t = symbol("t", {Interval::kMin, Interval::kMax}, -(int64_t{1} << 40) - 1);
  compare_all([&](Expr x) {
    return std::vector<Expr>{x * s,
                             x * 2'000'000'000,
                             (x * 100'000'000 + 3) * 5,
                             mod(x * s, 1000),
                             floor_div(x * s, 77),
                             x + t,
                             mod(t + x, 1'000'003),
                             min(x, t),
                             Expr(int64_t{1} << 31) + x,
                             Expr(INT32_MIN) + x,
                             Expr(-(int64_t{1} << 62)) + x};
  });
}

TEST_F(ExprTextTest, Reals) {
  const Expr s = symbol("s", {0, Interval::kMax}, 3);
  const Expr r = pool_.add_symbol({.name = "r", .kind = SymbolKind::real_input});
  sizes_.set_real(r.symbol(), -2.75);
  compare_all([&](Expr x) {
    const Expr real = to_real(x);
    const auto of = [&](ExprKind kind, Expr operand) { return apply_to(kind, {operand}); };
    const Expr positive = of(ExprKind::abs, real) + Expr::real(0.5);
    const Expr small = true_div(x, Expr(21));
    return std::vector<Expr>{real,
                             r * real,
                             real + r,
                             true_div(x, s),
                             of(ExprKind::abs, real),
                             of(ExprKind::trunc_to_int, real * r),
                             of(ExprKind::floor_to_int, real * r),
                             of(ExprKind::ceil_to_int, real * r),
                             of(ExprKind::round_to_int, true_div(x, Expr(2))),
                             of(ExprKind::trunc_real, real * r),
                             of(ExprKind::sqrt, positive),
                             of(ExprKind::exp, small),
                             of(ExprKind::log, positive),
                             of(ExprKind::log2, positive),
                             of(ExprKind::sin, real),
                             of(ExprKind::cos, real),
                             of(ExprKind::tan, real),
                             of(ExprKind::sinh, small),
                             of(ExprKind::cosh, small),
                             of(ExprKind::tanh, small),
                             of(ExprKind::asin, small),
                             of(ExprKind::acos, small),
                             of(ExprKind::atan, real),
                             of(ExprKind::asinh, real),
                             min(real, r),
                             max(real, r),
                             pow(positive, Expr::real(1.5)),
                             lt(real, r),
                             where(lt(real, r), real, r)};
  });
}

TEST_F(ExprTextTest, Flags) {
  const Expr flag = pool_.add_symbol({.name = "a flag", .kind = SymbolKind::boolean});
  for (const bool value : {false, true}) {
    sizes_.set_boolean(flag.symbol(), value);
    compare_all([&](Expr x) {
      return std::vector<Expr>{where(flag, x, -x), logical_and(flag, lt(x, Expr(0))),
                               logical_not(flag)};
    });
  }
}

}  // namespace
}  // namespace litz::codegen
