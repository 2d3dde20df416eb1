// Derivatives of distances between all rows: cdist of two matrices, pdist within one.
//
// The contribution of the distance d of x and y to an element of x depends on t = x - y there:
//   p = 1                sign(t)
//   p = infinity         sign(t) where |t| is the distance
//   else                 sign(t) * (|t| / d)^(p - 1)
// It is 0 where the distance is 0.

#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

// The gradient of a distance times its slope along t; 0 if the slope is 0, even for an infinite
// gradient.
Scalar passed_on(KernelBuilder& b, double p, Scalar gradient, Scalar t, Scalar distance) {
  if (p == 0) return b.constant(t.dtype(), 0.0);
  if (p == 1) return gradient * select(is_nan(t), t, sign(t));
  if (std::isinf(p)) {
    const Scalar apart = abs(abs(t) - distance);
    // NaN propagates.
    return gradient * select(apart == 0, sign(t), select(apart > 0, 0.0, apart));
  }
  Scalar value;
  if (p == 2) {
    value = gradient * t / distance;
  } else if (p < 2) {
    value = sign(t) * pow(abs(t), p - 1) * gradient / pow(distance, p - 1);
    if (p < 1) value = select(t == 0, 0.0, value);
  } else {
    value = t * pow(abs(t), p - 2) * gradient / pow(distance, p - 1);
  }
  return select(distance == 0, 0.0, value);
}

void require_dtypes(const Call& call, std::string_view rows,
                    std::initializer_list<std::string_view> others) {
  const DType dtype = call.type(rows).dtype;
  require(dtype == DType::f32 || dtype == DType::f64,
          "distances C1: rows are f32 or f64:", call.op().name(), name(dtype));
  for (const std::string_view other : others) {
    require(call.type(other).dtype == dtype,
            "distances C1: gradients and distances have the dtype of the rows:", call.op().name(),
            name(call.type(other).dtype), name(dtype));
  }
}

void require_power(const Call& call) {
  require(call.real("p") >= 0, "distances C2: p is not negative:", call.real("p"));
}

// [..., P, M] from gradients and distances [..., P, R] and other rows [..., R, M].
TensorType cdist_meta(const Call& call) {
  const TensorType& rows = call.type("x1");
  const TensorType& others = call.type("x2");
  const TensorType& gradient = call.type("grad_output");
  require_dtypes(call, "x1", {"x2", "grad_output", "cdist"});
  require_power(call);
  require(rows.rank() >= 2 && others.rank() == rows.rank() && gradient.rank() == rows.rank() &&
              call.type("cdist").rank() == rows.rank(),
          "distances C3: rows, other rows and gradients have one rank:", rows, others, gradient);
  const size_t last = rows.rank() - 1;
  for (size_t d = 0; d + 1 < last; ++d) {
    require(!known_not_equal(rows.sizes[d], others.sizes[d]) &&
                !known_not_equal(rows.sizes[d], gradient.sizes[d]),
            "distances C3: batches agree:", rows, others, gradient);
  }
  require(!known_not_equal(gradient.sizes[last - 1], rows.sizes[last - 1]) &&
              !known_not_equal(gradient.sizes[last], others.sizes[last - 1]) &&
              !known_not_equal(rows.sizes[last], others.sizes[last]),
          "distances C4: every pair of rows has a gradient:", rows, others, gradient);
  require(may_be_same_sizes(call.type("cdist").sizes, gradient.sizes),
          "distances C4: every pair of rows has a gradient and a distance:", call.type("cdist"),
          gradient);
  // PyTorch makes zeros like x1 if there are no pairs or no coordinates.
  if (known_equal(rows.numel(), Expr(0)) || known_equal(others.numel(), Expr(0))) {
    return preserved_type(rows.dtype, rows, std::nullopt);
  }
  return contiguous_type(rows.dtype, rows.sizes, rows.device);
}

void cdist_backward(NestCall& call) {
  const Sizes& sizes = call.result().sizes;
  const double p = call.real("p");
  KernelBuilder& b = call.builder();
  const Expr others = call.type("x2").sizes[sizes.size() - 2];
  b.loop(sizes, [&](Exprs i) {
    const size_t last = i.size() - 1;
    const Scalar x = b.load(call.in("x1"), i);
    const Scalar total = b.reduce(ReduceKind::sum, std::array{others}, [&](Exprs r) {
      Sizes other(i.begin(), i.end());
      other[last - 1] = r[0];
      Sizes pair(i.begin(), i.end());
      pair[last] = r[0];
      const Scalar t = x - b.load(call.in("x2"), Exprs(other));
      return passed_on(b, p, b.load(call.in("grad_output"), Exprs(pair)), t,
                       b.load(call.in("cdist"), Exprs(pair)));
    });
    b.store(call.out(), i, total);
  });
}

TensorType pdist_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require_dtypes(call, "self", {"grad_output", "pdist"});
  require_power(call);
  require(
      self.rank() == 2 && call.type("grad_output").rank() == 1 && call.type("pdist").rank() == 1,
      "distances C5: pairs of the rows of a matrix:", self);
  require(is_contiguous(self) && is_contiguous(call.type("pdist")),
          "distances C6: rows and distances lie one behind another:", self, call.type("pdist"));
  const Expr rows = self.sizes[0];
  const Expr pairs = floor_div(rows * (rows - 1), Expr(2));
  for (const char* name : {"grad_output", "pdist"}) {
    call.require_sizes(eq(call.type(name).sizes[0], pairs),
                       "distances C4: every pair of rows has a gradient:", call.type(name), self);
  }
  return contiguous_type(self.dtype, self.sizes, self.device);
}

// Pairs are in the order (0, 1), (0, 2), ..., (1, 2), ...
void pdist_backward(NestCall& call) {
  const Sizes& sizes = call.result().sizes;
  const Expr rows = sizes[0];
  const double p = call.real("p");
  KernelBuilder& b = call.builder();
  b.loop(sizes, [&](Exprs i) {
    const Scalar x = b.load(call.in("self"), i);
    const Scalar total = b.reduce(ReduceKind::sum, std::array{rows}, [&](Exprs other) {
      const Expr low = min(i[0], other[0]);
      const Expr high = max(i[0], other[0]);
      const Expr place = low * rows - floor_div(low * (low + 1), Expr(2)) + high - low - 1;
      const Scalar is_pair = b.index(ne(i[0], other[0]), DType::bool_);
      const Scalar pair = b.index(where(eq(i[0], other[0]), Expr(0), place));
      const Scalar zero = b.cast(b.constant(DType::i64, int64_t{0}), call.result().dtype);
      const auto load = [&](const char* name) {
        return b.load_if(is_pair, call.in(name), {pair.id()}, zero);
      };
      const Scalar t = x - b.load(call.in("self"), {other[0], i[1]});
      return select(is_pair, passed_on(b, p, load("grad_output"), t, load("pdist")), zero);
    });
    b.store(call.out(), i, total);
  });
}

constexpr std::array kCdistSample{
    "(f32[2, 3, 4], f32[2, 3, 5], f32[2, 4, 5], 2.0, f32[2, 3, 4] in [1, 2))"sv,
    "(f32[s0, 4], f32[s0, 5], f32[4, 5], 1.5, f32[s0, 4] in [1, 2))"sv};
constexpr std::array kPdistSample{"(f32[6], f32[4, 3], 2.0, f32[6] in [1, 2))"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._cdist_backward(Tensor grad_output, Tensor x1, Tensor x2, float p, "
                    "Tensor cdist) -> Tensor",
          .doc = "Derivative of cdist by its first rows, from the distances.\n"
                 "C1: all are f32 or f64. C2: p is not negative. C3: ranks and batches agree. "
                 "C4: every pair of rows has a gradient.",
          .meta = cdist_meta,
          .impl = LoopNest{cdist_backward},
          .samples = {.calls = kCdistSample}},
    OpDef{.schema =
              "aten._pdist_backward(Tensor grad_output, Tensor self, float p, Tensor pdist) -> "
              "Tensor",
          .doc = "Derivative of pdist, from the distances.\n"
                 "C1: all are f32 or f64. C2: p is not negative. C4: every pair of rows has a "
                 "gradient. C5: of a matrix. C6: rows and distances lie one behind another.",
          .meta = pdist_meta,
          .impl = LoopNest{pdist_backward},
          .samples = {.calls = kPdistSample}},
};

}  // namespace

std::span<const OpDef> distance_backward_ops() { return kOps; }

}  // namespace litz::ops
