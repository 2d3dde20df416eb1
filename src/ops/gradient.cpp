// Derivatives over places that tensors hold, of unequal distances (scan.cpp has those of numbers).

#include <array>

#include "ops/composite.h"
#include "ops/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

// Values and places along one dimension, and the arithmetic that derivatives are written in.
class Line {
 public:
  Line(const DecomposeCall& call, Value values, Value places, int64_t dim)
      : call_(call), values_(values), dim_(dim) {
    Sizes along(values.tensor().rank(), Expr(1));
    along[static_cast<size_t>(dim)] = places.tensor().sizes[0];
    places_ = call.aten("reshape", {places, along});
    size_ = places.tensor().sizes[0];
  }

  Expr size() const { return size_; }

  Value value(Expr start, Expr count) const { return part(values_, start, count); }

  /// The distances from a range of places to the next ones.
  Value step(Expr start, Expr count) const {
    return minus(part(places_, start + 1, count), part(places_, start, count));
  }

  Value plus(Value a, Value b) const { return call_.aten("add.Tensor", {a, b}); }

  Value minus(Value a, Value b) const { return call_.aten("sub.Tensor", {a, b}); }

  Value times(Value a, Value b) const { return call_.aten("mul.Tensor", {a, b}); }

  Value over(Value a, Value b) const { return call_.aten("div.Tensor", {a, b}); }

  Value joined(Value low, Value inner, Value high) const {
    return call_.aten("cat", {std::vector{low, inner, high}, Expr(dim_)});
  }

 private:
  Value part(Value of, Expr start, Expr count) const {
    return call_.aten("slice.Tensor", {of, Expr(dim_), start, start + count, Expr(1)});
  }

  const DecomposeCall& call_;
  Value values_;
  Value places_;
  int64_t dim_;
  Expr size_;
};

// The parabola through three neighbours, the steps between them being a and b: its slope at the
// middle one, or with `at_end` at the third.
Value slope(const Line& line, Expr start, Expr count, bool at_end) {
  const Value a = line.step(start, count);
  const Value b = line.step(start + 1, count);
  const Value both = line.plus(a, b);
  const Value left =
      line.over(line.minus(line.value(start + 1, count), line.value(start, count)), a);
  const Value right =
      line.over(line.minus(line.value(start + 2, count), line.value(start + 1, count)), b);
  if (at_end) {
    const Value bend = line.over(line.minus(right, left), both);
    return line.plus(right, line.times(bend, b));
  }
  return line.over(line.plus(line.times(left, b), line.times(right, a)), both);
}

// The same at the first of three.
Value slope_at_start(const Line& line) {
  const Value a = line.step(0, 1);
  const Value b = line.step(1, 1);
  const Value left = line.over(line.minus(line.value(1, 1), line.value(0, 1)), a);
  const Value right = line.over(line.minus(line.value(2, 1), line.value(1, 1)), b);
  const Value bend = line.over(line.minus(right, left), line.plus(a, b));
  return line.minus(left, line.times(bend, a));
}

Value chord(const Line& line, Expr start) {
  return line.over(line.minus(line.value(start + 1, 1), line.value(start, 1)), line.step(start, 1));
}

Value derivative(const DecomposeCall& call, Value self, Value places, int64_t dim) {
  const Expr size = self.tensor().sizes[static_cast<size_t>(dim)];
  require(places.tensor().rank() == 1 && !known_not_equal(places.tensor().sizes[0], size),
          "gradient C2: there must be a place per element along a dimension:", places.tensor(),
          size);
  const Line line(call, self, places, dim);
  const Value inner = slope(line, 0, size - 2, false);
  if (call.integer("edge_order") == 1)
    return line.joined(chord(line, 0), inner, chord(line, size - 2));
  return line.joined(slope_at_start(line), inner, slope(line, size - 3, 1, true));
}

std::vector<int64_t> derived_dims(const Call& call) {
  const size_t rank = call.type("self").rank();
  if (call.has("dim")) return call.dims("dim", rank);
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
  const Value self = call.to(call["self"], floating_dtype(call.type("self").dtype));
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
