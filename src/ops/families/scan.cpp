// Scans: each result element depends on all elements before it along a dimension (cumsum, cummax,
// logcumsumexp), and the differences and integrals that go with them.
//
// Intermediate results have a wider dtype than the result: f64 for f32, as in PyTorch's CPU
// kernels.

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;
using Tuple = KernelBuilder::Tuple;
using Scalars = std::span<const Scalar>;

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

DType carried_dtype(DType dtype) {
  if (dtype == DType::f32) return DType::f64;
  if (dtype == DType::c64) return DType::c128;
  return compute_dtype(dtype);
}

Scalar zero(KernelBuilder& b, DType dtype) {
  return b.cast(b.constant(DType::i64, int64_t{0}), dtype);
}

Scalar one(KernelBuilder& b, DType dtype) {
  return b.cast(b.constant(DType::i64, int64_t{1}), dtype);
}

// Runs `line` for every line along `dim`, with its length and a map from positions to indices.
void for_each_line(
    NestCall& call, const TensorType& type,
    const std::function<void(Expr extent, const std::function<IndexVector(Expr)>&)>& line) {
  const int64_t dim = call.dim("dim", type.rank());
  if (type.rank() == 0) {
    line(Expr(1), [](Expr) { return IndexVector(); });
    return;
  }
  Sizes outer = type.sizes;
  const Expr extent = outer[at(dim)];
  outer.erase(outer.begin() + dim);
  call.builder().loop(outer, [&](Exprs index) {
    line(extent, [&, index](Expr i) {
      IndexVector full(index.begin(), index.end());
      full.insert(full.begin() + dim, i);
      return full;
    });
  });
}

// --- sums and products ---

TensorType cumulative_meta(const Call& call) {
  const TensorType& self = call.type("self");
  call.dim("dim", self.rank());
  const bool counts = is_integer(self.dtype) || self.dtype == DType::bool_;
  return contiguous_type(call.dtype().value_or(counts ? DType::i64 : self.dtype), self.sizes,
                         self.device);
}

template <bool kProduct>
void cumulative(NestCall& call) {
  const TensorType& self = call.type("self");
  const DType result = call.result().dtype;
  const DType carried = carried_dtype(result);
  KernelBuilder& b = call.builder();
  for_each_line(call, self, [&](Expr extent, const auto& element) {
    const std::array initial{kProduct ? one(b, carried) : zero(b, carried)};
    b.scan(
        extent, initial,
        [&](Expr i) -> Tuple {
          // PyTorch casts the input to the result's dtype first.
          return {b.cast(b.cast(b.load(call.in("self"), element(i)), result), carried)};
        },
        [](Scalars so_far, Scalars next) -> Tuple {
          return {kProduct ? so_far[0] * next[0] : so_far[0] + next[0]};
        },
        [&](Expr i, Scalars total) { b.store(call.out(), element(i), b.cast(total[0], result)); });
  });
}

TensorType logcumsumexp_meta(const Call& call) {
  const TensorType& self = call.type("self");
  call.dim("dim", self.rank());
  require(is_floating(self.dtype), ErrorCode::unsupported,
          "logcumsumexp needs a floating tensor, got", name(self.dtype));
  return contiguous_type(self.dtype, self.sizes, self.device);
}

// log(exp(a) + exp(b)) without overflow; equal infinities stay.
Scalar add_exponentials(Scalar a, Scalar b) {
  const Scalar low = min(a, b);
  const Scalar high = max(a, b);
  return select((low == high) & is_inf(low), a, log1p(exp(low - high)) + high);
}

void logcumsumexp(NestCall& call) {
  const TensorType& self = call.type("self");
  const DType carried = carried_dtype(self.dtype);
  KernelBuilder& b = call.builder();
  for_each_line(call, self, [&](Expr extent, const auto& element) {
    const std::array initial{b.constant(carried, -std::numeric_limits<double>::infinity())};
    b.scan(
        extent, initial,
        [&](Expr i) -> Tuple { return {b.cast(b.load(call.in("self"), element(i)), carried)}; },
        [](Scalars so_far, Scalars next) -> Tuple {
          return {add_exponentials(next[0], so_far[0])};
        },
        [&](Expr i, Scalars total) {
          b.store(call.out(), element(i), b.cast(total[0], self.dtype));
        });
  });
}

// --- running extremes ---

Types extreme_meta(const Call& call) {
  const TensorType& self = call.type("self");
  call.dim("dim", self.rank());
  require(!is_complex(self.dtype), "complex numbers have no order:", call.op().name());
  return {contiguous_type(self.dtype, self.sizes, self.device),
          contiguous_type(DType::i64, self.sizes, self.device)};
}

// The last among equals and among NaN wins. The identity has position -1.
template <bool kMax>
void running_extreme(NestCall& call) {
  const TensorType& self = call.type("self");
  KernelBuilder& b = call.builder();
  const bool is_bool = self.dtype == DType::bool_;
  const DType compute = is_bool ? DType::u8 : compute_dtype(self.dtype);
  for_each_line(call, self, [&](Expr extent, const auto& element) {
    const std::array initial{zero(b, compute), b.constant(DType::i64, int64_t{-1})};
    b.scan(
        extent, initial,
        [&](Expr i) -> Tuple {
          return {b.cast(b.load(call.in("self"), element(i)), compute), b.index(i)};
        },
        [&](Scalars so_far, Scalars next) -> Tuple {
          Scalar wins = kMax ? next[0] >= so_far[0] : next[0] <= so_far[0];
          if (is_floating(compute)) wins = (wins & !is_nan(so_far[0])) | is_nan(next[0]);
          wins = (wins & (next[1] >= 0)) | (so_far[1] < 0);
          return {select(wins, next[0], so_far[0]), select(wins, next[1], so_far[1])};
        },
        [&](Expr i, Scalars best) {
          b.store(call.out(0), element(i), b.cast(best[0], self.dtype));
          b.store(call.out(1), element(i), best[1]);
        });
  });
}

// --- differences ---

ir::Value sliced(const DecomposeCall& call, ir::Value value, int64_t dim, Expr start, Expr end) {
  return call.aten("slice.Tensor", {value, Expr(dim), start, end});
}

// All elements but the last, and all but the first, along a dimension.
struct Neighbours {
  ir::Value left;
  ir::Value right;
};

Neighbours neighbours(const DecomposeCall& call, ir::Value value, int64_t dim) {
  const Expr size = value.tensor().sizes[at(dim)];
  const Expr last = max(size - 1, Expr(0));
  return {sliced(call, value, dim, 0, last), sliced(call, value, dim, min(Expr(1), size), size)};
}

TensorType diff_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() > 0, "diff needs at least one dimension");
  const int64_t dim = call.dim("dim", self.rank());
  const int64_t times = call.integer("n");
  require(times >= 0, "diff: n must not be negative:", times);
  Sizes sizes = self.sizes;
  std::vector<TensorType> operands{self};
  for (const char* extra : {"prepend", "append"}) {
    if (!call.has(extra)) continue;
    operands.push_back(call.type(extra));
    require(operands.back().rank() == self.rank(),
            "diff: what is joined must have the rank of the "
            "input:",
            operands.back(), self);
    for (size_t d = 0; d < self.rank(); ++d) {
      if (d == at(dim)) continue;
      call.require_sizes(eq(operands.back().sizes[d], self.sizes[d]),
                         "diff: what is joined must have the sizes of the input beside the "
                         "dimension:",
                         operands.back(), self);
    }
    sizes[at(dim)] = sizes[at(dim)] + operands.back().sizes[at(dim)];
  }
  if (times == 0) return preserved_type(self.dtype, self, MemoryFormat::preserve);
  sizes[at(dim)] = max(sizes[at(dim)] - times, Expr(0));
  return contiguous_type(promoted_dtype(operands), sizes, self.device);
}

std::vector<ir::Value> diff(DecomposeCall& call) {
  ir::Value value = call["self"];
  const int64_t times = call.integer("n");
  if (times == 0) return {call.aten("clone", {value})};
  const int64_t dim = call.dim("dim", value.tensor().rank());
  std::vector<ir::Value> parts;
  if (call.has("prepend")) parts.push_back(call["prepend"]);
  parts.push_back(value);
  if (call.has("append")) parts.push_back(call["append"]);
  if (parts.size() > 1) value = call.aten("cat", {ir::Argument(parts), Expr(dim)});
  const bool is_bool = value.tensor().dtype == DType::bool_;
  for (int64_t i = 0; i < times; ++i) {
    if (i > 0 && known_equal(value.tensor().sizes[at(dim)], 0)) break;
    const Neighbours pair = neighbours(call, value, dim);
    value = call.aten(is_bool ? "logical_xor" : "sub.Tensor", {pair.right, pair.left});
  }
  return {value};
}

// --- integrals ---

// The sizes that make abscissae broadcast to ordinates: a list belongs to `dim`, others get leading
// dimensions.
Sizes abscissa_sizes(const TensorType& x, size_t rank, int64_t dim) {
  if (x.rank() >= rank) return x.sizes;
  Sizes sizes(rank, Expr(1));
  if (x.rank() == 1) {
    sizes[at(dim)] = x.sizes[0];
  } else {
    std::copy(x.sizes.begin(), x.sizes.end(),
              sizes.begin() + static_cast<ptrdiff_t>(rank - x.rank()));
  }
  return sizes;
}

bool has_abscissae(const Call& call) { return call.op().schema.find("x") >= 0; }

// The integral over an empty dimension is 0, in y's dtype.
bool is_over_nothing(const Call& call) {
  const TensorType& y = call.type("y");
  return !call.op().name().starts_with("aten.cumulative") && y.rank() > 0 &&
         known_equal(y.sizes[at(call.dim("dim", y.rank()))], Expr(0));
}

TensorType cumulative_trapezoid_meta(const Call& call) {
  const TensorType& y = call.type("y");
  require(y.rank() > 0, "integrals need at least one dimension");
  const int64_t dim = call.dim("dim", y.rank());
  require(y.dtype != DType::bool_, "integrals are not of bool:", y);
  require(call.op().schema.find("dx") < 0 || call.scalar_category("dx") == DTypeCategory::integer ||
              call.scalar_category("dx") == DTypeCategory::floating,
          "the steps of an integral are a real number:", call.op().name());
  DType dtype = floating_dtype(y.dtype);
  Sizes sizes = y.sizes;
  sizes[at(dim)] = max(sizes[at(dim)] - 1, Expr(0));
  if (has_abscissae(call)) {
    const TensorType& x = call.type("x");
    require(x.dtype != DType::bool_, "places are not bool:", x);
    if (x.rank() == 1) {
      call.require_sizes(eq(x.sizes[0], y.sizes[at(dim)]),
                         "an integral needs a place for every element:", x, y);
    }
    dtype = floating_dtype(promoted_dtype(call, {"y", "x"}));
    Sizes steps = abscissa_sizes(x, y.rank(), dim);
    steps[at(dim)] = max(steps[at(dim)] - 1, Expr(0));
    sizes = broadcast_sizes(sizes, steps);
  }
  return contiguous_type(dtype, sizes, y.device);
}

TensorType trapezoid_meta(const Call& call) {
  const int64_t dim = call.dim("dim", call.type("y").rank());
  if (is_over_nothing(call)) {
    const TensorType& y = call.type("y");
    return contiguous_type(y.dtype, reduced_sizes(y.sizes, std::array{dim}, false), y.device);
  }
  TensorType type = cumulative_trapezoid_meta(call);
  type.sizes.erase(type.sizes.begin() + dim);
  return contiguous_type(type.dtype, type.sizes, type.device);
}

// Twice the area between each pair of neighbours, with steps of 1 if no abscissae are given.
ir::Value pair_areas(const DecomposeCall& call, int64_t dim) {
  const ir::Value y = call["y"];
  const Neighbours ends = neighbours(call, y, dim);
  const ir::Value both = call.aten("add.Tensor", {ends.left, ends.right});
  if (!has_abscissae(call)) return both;
  ir::Value x = call["x"];
  const size_t rank = y.tensor().rank();
  if (x.tensor().rank() < rank) {
    x = call.aten("reshape", {x, ir::Attribute(abscissa_sizes(x.tensor(), rank, dim))});
  }
  const Neighbours places = neighbours(call, x, dim);
  const ir::Value steps = call.aten("sub.Tensor", {places.right, places.left});
  return call.aten("mul.Tensor", {both, steps});
}

ir::Value halved(const DecomposeCall& call, ir::Value areas) {
  if (has_abscissae(call)) return call.aten("div.Scalar", {areas, Expr::real(2)});
  return call.aten("mul.Scalar", {areas, Expr::real(call.real("dx") / 2)});
}

std::vector<ir::Value> cumulative_trapezoid(DecomposeCall& call) {
  const int64_t dim = call.dim("dim", call.type("y").rank());
  const ir::Value areas = pair_areas(call, dim);
  // PyTorch adds up what is halved already, unless there are abscissae: sums of halves overflow.
  if (!has_abscissae(call)) return {call.aten("cumsum", {halved(call, areas), Expr(dim)})};
  return {halved(call, call.aten("cumsum", {areas, Expr(dim)}))};
}

std::vector<ir::Value> trapezoid(DecomposeCall& call) {
  if (is_over_nothing(call)) {
    const TensorType& type = call.result();
    return {call.aten("zeros", {type.sizes, type.dtype})};
  }
  const int64_t dim = call.dim("dim", call.type("y").rank());
  const ir::Scalars dims{Expr(dim)};
  if (!has_abscissae(call)) {
    // All elements, with the first and the last halved.
    const auto end = [&](int64_t place) {
      return call.aten("select.int", {call["y"], Expr(dim), Expr(place)});
    };
    const ir::Value ends = call.aten("add.Tensor", {end(0), end(-1)});
    const ir::Value all = call.aten("sum.dim_IntList", {call["y"], ir::Attribute(dims)});
    const ir::Value half = call.aten("mul.Scalar", {ends, Expr::real(0.5)});
    return {call.aten("mul.Scalar", {call.aten("sub.Tensor", {all, half}), call.pass("dx")})};
  }
  return {halved(call, call.aten("sum.dim_IntList", {pair_areas(call, dim), ir::Attribute(dims)}))};
}

// --- gradients ---

// One derivative: its dimension and its step.
struct Direction {
  int64_t dim = 0;
  double step = 1;
};

std::vector<double> given_steps(const Call& call) {
  std::vector<double> steps;
  if (call.op().schema.find("spacing") < 0 || !call.has("spacing")) return {1.0};
  const std::string_view name = call.op().name();
  if (name == "aten.gradient.scalararray" || name == "aten.gradient.scalarint") {
    return {call.real("spacing")};
  }
  for (const Expr step : call.sizes("spacing")) {
    require(step.is_constant(), "the steps of a gradient must be numbers:", step);
    steps.push_back(step.domain() == ExprDomain::real ? step.real_constant()
                                                      : static_cast<double>(step.constant()));
  }
  return steps;
}

std::vector<Direction> directions_of(const Call& call) {
  const size_t rank = call.type("self").rank();
  const std::string_view name = call.op().name();
  const bool takes_one = name == "aten.gradient.scalarint" || name == "aten.gradient.scalarrayint";
  const bool states_dims = call.has("dim") && (takes_one || !call.integers("dim").empty());
  require(rank > 0 || !states_dims, "a gradient needs a dimension:", call.type("self"));
  std::vector<int64_t> dims;
  if (!takes_one) {
    dims = call.dims("dim", rank, Call::WhenEmpty::none);
  } else if (call.has("dim")) {
    dims.push_back(call.dim("dim", rank));
  } else {
    for (size_t d = 0; d < rank; ++d) dims.push_back(static_cast<int64_t>(d));
  }
  const std::vector<double> steps = given_steps(call);
  const bool is_list =
      name == "aten.gradient.scalarrayarray" || name == "aten.gradient.scalarrayint";
  require((steps.size() == 1 && !is_list) || steps.size() == dims.size(),
          "a gradient takes one step, or one per dimension:", steps.size(), dims.size());
  std::vector<Direction> directions;
  for (size_t i = 0; i < dims.size(); ++i) {
    directions.push_back({dims[i], steps[steps.size() == 1 ? 0 : i]});
  }
  return directions;
}

Types gradient_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const int64_t order = call.integer("edge_order");
  require(order == 1 || order == 2, "the edge order of a gradient is 1 or 2:", order);
  const std::vector<Direction> directions = directions_of(call);
  require(directions.empty() || (self.dtype != DType::u8 && self.dtype != DType::bool_),
          "a gradient needs numbers with a sign, got", name(self.dtype));
  Types types;
  for (const Direction& direction : directions) {
    call.require_sizes(lt(order, self.sizes[at(direction.dim)]),
                       "a gradient needs more elements than its edge order:",
                       self.sizes[at(direction.dim)], order);
    types.emplace_back(contiguous_type(floating_dtype(self.dtype), self.sizes, self.device));
  }
  return types;
}

// Central differences inside; one-sided differences of first or second order at the edges.
ir::Value derivative(const DecomposeCall& call, ir::Value self, const Direction& direction) {
  const Expr size = self.tensor().sizes[at(direction.dim)];
  const auto part = [&](Expr start, Expr end) {
    return sliced(call, self, direction.dim, start, end);
  };
  // Twice an integer is an integer, which wraps; its other multiples are real numbers.
  const auto weighted = [&](ir::Value value, Expr weight) {
    return call.aten("mul.Scalar", {value, weight});
  };
  const auto per_step = [&](ir::Value value, double steps) {
    return call.aten("div.Scalar", {value, Expr::real(steps * direction.step)});
  };
  const auto difference = [&](ir::Value a, ir::Value b) { return call.aten("sub.Tensor", {a, b}); };
  // The weights of the three elements next to an edge, from the edge inwards.
  const auto edge = [&](ir::Value first, ir::Value second, ir::Value third, bool is_low) {
    if (!third) return per_step(is_low ? difference(second, first) : difference(first, second), 1);
    const ir::Value twice = weighted(second, Expr(2));
    const ir::Value half = weighted(third, Expr::real(0.5));
    const ir::Value most = weighted(first, Expr::real(1.5));
    // At the high edge, far elements come first, so that equal ones also give 0 there.
    if (!is_low) return per_step(call.aten("add.Tensor", {difference(half, twice), most}), 1);
    return per_step(difference(difference(twice, most), half), 1);
  };
  const bool second_order = call.integer("edge_order") == 2;
  const ir::Value low = edge(part(0, 1), part(1, 2), second_order ? part(2, 3) : ir::Value(), true);
  const ir::Value high = edge(part(size - 1, size), part(size - 2, size - 1),
                              second_order ? part(size - 3, size - 2) : ir::Value(), false);
  const ir::Value inner = per_step(difference(part(2, size), part(0, size - 2)), 2);
  return call.aten("cat",
                   {ir::Argument(std::vector<ir::Value>{low, inner, high}), Expr(direction.dim)});
}

std::vector<ir::Value> gradient(DecomposeCall& call) {
  std::vector<ir::Value> results;
  for (const Direction& direction : directions_of(call)) {
    results.push_back(derivative(call, call["self"], direction));
  }
  return results;
}

constexpr std::array kGradientSample{"(f32[4, 5], edge_order=2)"sv, "(f32[4], spacing=2.5)"sv};
constexpr std::array kGradientArraySample{"(f32[4, 5], dim=[1])"sv};
constexpr std::array kGradientStepSample{"(f32[4, 5], spacing=0.5, dim=[0, 1])"sv};
constexpr std::array kGradientStepsSample{"(f32[4, 5], spacing=[2.0, 2.5])"sv};
constexpr std::array kGradientAllSample{"(f32[4, 5], spacing=[2.0, 2.5], dim=[0, 1])"sv};
constexpr std::array kScanSample{"(f32[2, 5], 1)"sv, "(f32[3, 4, 2], -2)"sv};
constexpr std::array kDtypeSample{"(f32[2, 5], 1)"sv, "(i64[3, 4], 0)"sv,
                                  "(i64[3, 4], -1, dtype=f32)"sv};
constexpr std::array kDiffSample{"(f32[2, 5], 2, 1, f32[2, 1])"sv, "(bool[4])"sv};
constexpr std::array kDxSample{"(f32[2, 5], dx=2, dim=1)"sv};
constexpr std::array kXSample{"(f32[2, 5], f32[5], dim=1)"sv, "(f32[2, 5], f32[2, 5])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)",
          .doc = "The largest element up to each place, and where it is.",
          .meta = extreme_meta,
          .impl = LoopNest{running_extreme<true>},
          .samples = {.calls = kScanSample}},
    OpDef{.schema = "aten.cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)",
          .doc = "The smallest element up to each place, and where it is.",
          .meta = extreme_meta,
          .impl = LoopNest{running_extreme<false>},
          .samples = {.calls = kScanSample}},
    OpDef{.schema = "aten.cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
          .doc = "The product of the elements up to each place.",
          .meta = cumulative_meta,
          .impl = LoopNest{cumulative<true>},
          .inplace = true,
          .samples = {.calls = kDtypeSample}},
    OpDef{.schema = "aten.cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
          .doc = "The sum of the elements up to each place.",
          .meta = cumulative_meta,
          .impl = LoopNest{cumulative<false>},
          .inplace = true,
          .samples = {.calls = kDtypeSample}},
    OpDef{.schema = "aten.cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
          .doc = "Running integral by trapezoids of width dx.",
          .meta = cumulative_trapezoid_meta,
          .impl = Decompose{cumulative_trapezoid},
          .samples = {.calls = kDxSample}},
    OpDef{.schema = "aten.cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
          .doc = "Running integral by trapezoids between the places x.",
          .meta = cumulative_trapezoid_meta,
          .impl = Decompose{cumulative_trapezoid},
          .samples = {.calls = kXSample}},
    OpDef{.schema = "aten.diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? "
                    "append=None) -> Tensor",
          .doc = "Differences of neighbours, n times.",
          .meta = diff_meta,
          .impl = Decompose{diff},
          .samples = {.calls = kDiffSample}},
    OpDef{.schema = "aten.gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]",
          .doc = "Derivatives by central differences of unit steps.",
          .meta = gradient_meta,
          .impl = Decompose{gradient},
          .samples = {.calls = kGradientArraySample}},
    OpDef{.schema = "aten.gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int "
                    "edge_order=1) -> Tensor[]",
          .doc = "Derivatives by central differences of one step.",
          .meta = gradient_meta,
          .impl = Decompose{gradient},
          .samples = {.calls = kGradientStepSample}},
    OpDef{.schema = "aten.gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, "
                    "int edge_order=1) -> Tensor[]",
          .doc = "Derivatives by central differences of one step, along one or all dimensions.",
          .meta = gradient_meta,
          .impl = Decompose{gradient},
          .samples = {.calls = kGradientSample}},
    OpDef{.schema = "aten.gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int "
                    "edge_order=1) -> Tensor[]",
          .doc = "Derivatives by central differences, each dimension with its step.",
          .meta = gradient_meta,
          .impl = Decompose{gradient},
          .samples = {.calls = kGradientAllSample}},
    OpDef{.schema = "aten.gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, "
                    "int edge_order=1) -> Tensor[]",
          .doc = "Derivatives by central differences, every dimension with its step.",
          .meta = gradient_meta,
          .impl = Decompose{gradient},
          .samples = {.calls = kGradientStepsSample}},
    OpDef{.schema = "aten.logcumsumexp(Tensor self, int dim) -> Tensor",
          .doc = "The logarithm of the sum of exponentials up to each place, without overflow.",
          .meta = logcumsumexp_meta,
          .impl = LoopNest{logcumsumexp},
          .samples = {.calls = kScanSample}},
    OpDef{.schema = "aten.trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
          .doc = "Integral by trapezoids of width dx.",
          .meta = trapezoid_meta,
          .impl = Decompose{trapezoid},
          .samples = {.calls = kDxSample}},
    OpDef{.schema = "aten.trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
          .doc = "Integral by trapezoids between the places x.",
          .meta = trapezoid_meta,
          .impl = Decompose{trapezoid},
          .samples = {.calls = kXSample}},
    OpDef{.schema = "aten.trapz.dx(Tensor y, *, float dx=1.0, int dim=-1) -> Tensor",
          .doc = "Integral by trapezoids of width dx.",
          .meta = trapezoid_meta,
          .impl = Decompose{trapezoid},
          .samples = {.calls = kDxSample}},
    OpDef{.schema = "aten.trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
          .doc = "Integral by trapezoids between the places x.",
          .meta = trapezoid_meta,
          .impl = Decompose{trapezoid},
          .samples = {.calls = kXSample}},
};

}  // namespace

std::span<const OpDef> scan_ops() { return kOps; }

}  // namespace litz::ops
