// Quantiles: elements of sorted lines, or values between two elements.
//
// NaN counts as the largest element. A line with NaN has NaN quantiles, unless NaN are skipped.

#include <algorithm>
#include <array>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Attribute;
using ir::Value;

bool ignores_nan(const Call& call) { return call.op().name().starts_with("aten.nanquantile"); }

void require_quantile(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.dtype == DType::f32 || self.dtype == DType::f64,
          "quantile C1: self must be f32 or f64:", name(self.dtype));
  if (call.has("dim")) call.dim("dim", self.rank());
  call.require_sizes(lt(Expr(0), self.numel()), "quantile C2: self must not be empty:", self);
  if (call.is_tensor("q")) {
    const TensorType& q = call.type("q");
    require(q.rank() <= 1 && q.dtype == self.dtype,
            "quantile C3: q must be a number or a list in the dtype of self:", q);
  } else {
    require(call.real("q") >= 0 && call.real("q") <= 1,
            "quantile C4: q must be between 0 and 1:", call.real("q"));
  }
  constexpr std::array kWays{"linear"sv, "lower"sv, "higher"sv, "midpoint"sv, "nearest"sv};
  require(std::ranges::find(kWays, call.str("interpolation")) != kWays.end(),
          "quantile C5: interpolation must be linear, lower, higher, midpoint or nearest:",
          call.str("interpolation"));
}

// q as a list in f64, first rounded to self's dtype, and checked at run time.
Value quantiles(const DecomposeCall& call) {
  const DType dtype = call.type("self").dtype;
  if (!call.is_tensor("q")) {
    return call.to(call.aten("full", {ir::Scalars{Expr(1)}, call.pass("q"), dtype}), DType::f64);
  }
  const Value q = call["q"];
  const Value is_inside = call.aten(
      "logical_and", {call.aten("ge.Scalar", {q, Expr(0)}), call.aten("le.Scalar", {q, Expr(1)})});
  call.aten_all("_assert_async.msg",
                {call.aten("all", {is_inside}),
                 std::string("quantile() q values must be in the range [0, 1]")});
  return call.to(q.tensor().rank() == 1 ? q : call.aten("unsqueeze", {q, Expr(0)}), DType::f64);
}

// Sorts lines along the last dimension.
Value sorted_lines(const DecomposeCall& call) {
  Value self = call["self"];
  if (!call.has("dim")) {
    self = call.aten("reshape", {self, ir::Scalars{Expr(-1)}});
  } else if (self.tensor().rank() > 0) {
    self = call.aten("movedim.int", {self, call.pass("dim"), Expr(-1)});
  } else {
    self = call.aten("unsqueeze", {self, Expr(0)});
  }
  return call.aten_all("sort", {self, Expr(-1)})[0];
}

// Positions in sorted lines, with fractions, along the last dimension.
Value ranks_in(const DecomposeCall& call, Value sorted, Value q) {
  const Expr last = sorted.tensor().sizes.back() - 1;
  const Value is_nan = call.aten("isnan", {sorted});
  if (!ignores_nan(call)) {
    const Value has_nan = call.aten("any.dim", {is_nan, Expr(-1), Expr::boolean(true)});
    return call.aten("where.ScalarSelf", {has_nan, last, call.aten("mul.Scalar", {q, last})});
  }
  const Value absent =
      call.aten("sum.dim_IntList", {is_nan, ir::Scalars{Expr(-1)}, Expr::boolean(true)});
  const Value highest = call.aten("rsub.Scalar", {absent, last});
  return call.aten("clamp_min", {call.aten("mul.Tensor", {q, highest}), Expr(0)});
}

Value elements(const DecomposeCall& call, Value sorted, Value ranks) {
  return call.aten("gather", {sorted, Expr(-1), call.to(ranks, DType::i64)});
}

Value at_ranks(const DecomposeCall& call, Value sorted, Value ranks) {
  const std::string_view way = call.str("interpolation");
  if (way == "lower") return elements(call, sorted, call.aten("floor", {ranks}));
  if (way == "higher") return elements(call, sorted, call.aten("ceil", {ranks}));
  if (way == "nearest") return elements(call, sorted, call.aten("round", {ranks}));
  const Value floor = call.aten("floor", {ranks});
  const Value below = elements(call, sorted, floor);
  const Value above = elements(call, sorted, call.aten("ceil", {ranks}));
  if (way == "midpoint") return call.aten("lerp.Scalar", {below, above, Expr::real(0.5)});
  const Value weight = call.aten("sub.Tensor", {ranks, floor});
  return call.aten("lerp.Tensor", {below, above, call.to(weight, below.tensor().dtype)});
}

// Results along q's dimension come first; a scalar q adds none.
Value arranged(const DecomposeCall& call, Value results) {
  if (call.has("dim") && call.flag("keepdim") && call.type("self").rank() > 0) {
    results = call.aten("unsqueeze", {results, Expr(call.dim("dim", call.type("self").rank()))});
  } else if (!call.has("dim") && call.flag("keepdim")) {
    for (size_t i = 0; i < call.type("self").rank(); ++i) {
      results = call.aten("unsqueeze", {results, Expr(0)});
    }
  }
  const bool is_list = call.is_tensor("q") && call.type("q").rank() == 1;
  if (!is_list) return call.aten("squeeze.dim", {results, Expr(-1)});
  return call.aten("movedim.int", {results, Expr(-1), Expr(0)});
}

std::vector<Value> quantile(DecomposeCall& call) {
  require_quantile(call);
  const Value q = quantiles(call);
  const Value sorted = sorted_lines(call);
  return {arranged(call, at_ranks(call, sorted, ranks_in(call, sorted, q)))};
}

constexpr std::array kNumber{"(f32[2, 5], 0.3)"sv, "(f32[4, 3], 0.5, 0, True)"sv,
                             "(f64[5], 0.7, interpolation='nearest')"sv, "(f32[s0, 3], 0.25, 0)"sv};
constexpr std::array kList{"(f32[2, 5], f32[3] in [0, 1), 1)"sv, "(f32[4, 3], f32[] in [0, 1))"sv};

constexpr std::string_view kDoc =
    "The element below which a part q of the line lies, or a value between two elements.\n"
    "C1: self is f32 or f64. C2: it is not empty. C3: q is a number or a list. C4: q is in [0, 1]. "
    "C5: interpolation has one of five names.";

constexpr std::array kOps{
    composite("aten.nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, "
              "str interpolation='linear') -> Tensor",
              kDoc, quantile, {.lo = 0, .hi = 1, .calls = kList}),
    composite("aten.nanquantile.scalar(Tensor self, float q, int? dim=None, "
              "bool keepdim=False, *, str interpolation='linear') -> Tensor",
              kDoc, quantile, {.calls = kNumber}),
    composite("aten.quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, "
              "str interpolation='linear') -> Tensor",
              kDoc, quantile, {.lo = 0, .hi = 1, .calls = kList}),
    composite("aten.quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, "
              "*, str interpolation='linear') -> Tensor",
              kDoc, quantile, {.calls = kNumber}),
};

}  // namespace

std::span<const OpDef> quantile_ops() { return kOps; }

}  // namespace litz::ops
