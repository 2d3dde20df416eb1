// Derivatives over coordinates in tensors, with unequal steps (scan.cpp has those with numeric
// steps).

#include <array>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

// Values along one dimension with the steps between their coordinates, and the arithmetic for
// derivatives.
class Line {
 public:
  Line(const DecomposeCall& call, Value values, Value places, int64_t dim)
      : call_(call), values_(values), dim_(dim), size_(places.tensor().sizes[0]) {
    steps_ = minus(part(places, 0, 1, size_ - 1), part(places, 0, 0, size_ - 1));
  }

  Value value(Expr start, Expr count) const { return part(values_, dim_, start, count); }

  Value steps(Expr start, Expr count) const { return part(steps_, 0, start, count); }

  /// One step, of rank 0.
  Value step(Expr at) const { return call_.aten("select.int", {steps_, Expr(0), at}); }

  /// A weight for each element along the dimension.
  Value along(Value weights) const {
    Sizes sizes(values_.tensor().rank(), Expr(1));
    sizes[static_cast<size_t>(dim_)] = weights.tensor().sizes[0];
    return call_.aten("reshape", {weights, sizes});
  }

  Value plus(Value a, Value b) const { return call_.aten("add.Tensor", {a, b}); }

  Value minus(Value a, Value b) const { return call_.aten("sub.Tensor", {a, b}); }

  Value times(Value a, Value b) const { return call_.aten("mul.Tensor", {a, b}); }

  Value scaled(Value a, Expr factor) const { return call_.aten("mul.Scalar", {a, factor}); }

  Value over(Value a, Value b) const { return call_.aten("div.Tensor", {a, b}); }

  Value negative(Value a) const { return call_.aten("neg", {a}); }

  Value joined(Value low, Value inner, Value high) const {
    return call_.aten("cat", {std::vector{low, inner, high}, Expr(dim_)});
  }

 private:
  Value part(Value of, int64_t dim, Expr start, Expr count) const {
    return call_.aten("slice.Tensor", {of, Expr(dim), start, start + count, Expr(1)});
  }

  const DecomposeCall& call_;
  Value values_;
  Value steps_;
  int64_t dim_;
  Expr size_;
};

// Weights of three neighbours for the slope of the parabola through them.
struct Weights {
  Value first;
  Value second;
  Value third;
};

Value weighted(const Line& line, const Weights& weights, Expr start, Expr count) {
  const Value low = line.times(weights.first, line.value(start, count));
  const Value middle = line.times(weights.second, line.value(start + 1, count));
  const Value high = line.times(weights.third, line.value(start + 2, count));
  return line.plus(line.plus(low, middle), high);
}

// The slope at the middle point, for steps a and b on its sides.
Value slope_inside(const Line& line, Expr count) {
  const Value a = line.steps(0, count);
  const Value b = line.steps(1, count);
  const Value both = line.plus(a, b);
  const Weights weights{line.along(line.over(line.negative(b), line.times(a, both))),
                        line.along(line.over(line.minus(b, a), line.times(a, b))),
                        line.along(line.over(a, line.times(b, both)))};
  return weighted(line, weights, 0, count);
}

// The slope at the outermost of three points: `near` is the step next to it, `far` the other. As in
// PyTorch, the factor of integer steps is a real number at the start, an integer at the end.
Weights weights_at_start(const Line& line, Value near, Value far) {
  const Value both = line.plus(near, far);
  return {line.over(line.negative(line.plus(line.scaled(near, Expr::real(2)), far)),
                    line.times(near, both)),
          line.over(both, line.times(near, far)),
          line.over(line.negative(near), line.times(far, both))};
}

Weights weights_at_end(const Line& line, Value near, Value far) {
  const Value both = line.plus(near, far);
  return {line.over(near, line.times(far, both)),
          line.over(line.negative(both), line.times(near, far)),
          line.over(line.plus(line.scaled(near, Expr(2)), far), line.times(near, both))};
}

Value chord(const Line& line, Expr start) {
  return line.over(line.minus(line.value(start + 1, 1), line.value(start, 1)), line.step(start));
}

Value derivative(const DecomposeCall& call, Value self, Value places, int64_t dim) {
  const Expr size = self.tensor().sizes[static_cast<size_t>(dim)];
  require(places.tensor().rank() == 1 && !known_not_equal(places.tensor().sizes[0], size),
          "gradient C2: there must be a place per element along a dimension:", places.tensor(),
          size);
  require(places.tensor().dtype != DType::bool_,
          "gradient C2: places are not bool:", places.tensor());
  const Line line(call, self, places, dim);
  const Value inner = slope_inside(line, size - 2);
  if (call.integer("edge_order") == 1)
    return line.joined(chord(line, 0), inner, chord(line, size - 2));
  const Weights low = weights_at_start(line, line.step(0), line.step(1));
  const Weights high = weights_at_end(line, line.step(size - 2), line.step(size - 3));
  return line.joined(weighted(line, low, 0, 1), inner, weighted(line, high, size - 3, 1));
}

std::vector<int64_t> derived_dims(const Call& call) {
  const size_t rank = call.type("self").rank();
  require(rank > 0 || !call.has("dim"),
          "gradient C2: there must be a dimension:", call.type("self"));
  if (call.has("dim")) return call.dims("dim", rank, Call::WhenEmpty::none);
  std::vector<int64_t> dims;
  for (size_t d = 0; d < rank; ++d) dims.push_back(static_cast<int64_t>(d));
  return dims;
}

std::vector<Value> gradient(DecomposeCall& call) {
  const int64_t order = call.integer("edge_order");
  require(order == 1 || order == 2, "gradient C1: the edge order is 1 or 2:", order);
  const std::vector<int64_t> dims = derived_dims(call);
  const std::span<const Value> places = call.values("spacing");
  require(places.size() == dims.size(),
          "gradient C2: there must be places for each dimension:", places.size(), dims.size());
  const Value self = call["self"];
  std::vector<Value> results;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Expr size = self.tensor().sizes[static_cast<size_t>(dims[i])];
    call.require_sizes(lt(order, size),
                       "gradient C3: there must be more elements than the edge order:", size,
                       order);
    results.push_back(derivative(call, self, places[i], dims[i]));
  }
  return results;
}

constexpr std::array kDims{"(f32[4, 5], spacing=[f32[4], f32[5]], dim=[0, 1])"sv,
                           "(f32[4, 5], spacing=[f64[5]], dim=[-1], edge_order=2)"sv};
constexpr std::array kAll{"(f32[4, 5], spacing=[f32[4], i64[5] in [0, 90)])"sv};

constexpr std::string_view kDoc =
    "Derivatives by the slopes of parabolas through neighbours.\n"
    "C1: the edge order is 1 or 2. C2: each dimension has its places. C3: it has more elements "
    "than "
    "the edge order.";

constexpr std::array kOps{
    composite("aten.gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, "
              "int edge_order=1) -> Tensor[]",
              kDoc, gradient, {.calls = kDims}),
    composite("aten.gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, "
              "int edge_order=1) -> Tensor[]",
              kDoc, gradient, {.calls = kAll}),
};

}  // namespace

std::span<const OpDef> gradient_ops() { return kOps; }

}  // namespace litz::ops
