// Histograms that return their edges: `histogram` and its multi-dimensional form.
//
// An element belongs to the bin whose lower edge is the last one at or below it; the last bin
// includes its upper edge. Elements outside the edges and NaN are not counted.

#include <array>
#include <cmath>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Argument;
using ir::Attribute;
using ir::Value;

void require_histogram(const Call& call) {
  const TensorType& self = call.type("self");
  require(is_floating(self.dtype), "histogram C1: self must be floating:", name(self.dtype));
  if (!call.has("weight")) return;
  const TensorType& weight = call.type("weight");
  require(weight.dtype == self.dtype, "histogram C2: weights must have the dtype of self:", weight);
  const bool is_of_rows = call.op().name().find("histogramdd") != std::string_view::npos;
  const size_t count = self.rank() - (is_of_rows ? 1 : 0);
  call.require_sizes(eq(weight.numel(), product(std::span(self.sizes).first(count))),
                     "histogram C2: there must be a weight for every element:", weight, self);
}

// Checks given edges.
void require_edges(const Call& call, Value edges) {
  require(edges.tensor().rank() == 1, "histogram C5: edges must be a list:", edges.tensor());
  require(edges.tensor().dtype == call.type("self").dtype,
          "histogram C5: edges must have the dtype of self:", edges.tensor());
  call.require_sizes(lt(1, edges.tensor().sizes[0]),
                     "histogram C5: there must be two edges at least:", edges.tensor());
}

std::vector<double> numbers(const Call& call, std::string_view name) {
  std::vector<double> values;
  if (!call.has(name)) return values;
  const auto* list = std::get_if<ir::Scalars>(&call.argument(name).attribute());
  require(list != nullptr, "histogram C3: range must be a list of numbers:", call.op().name());
  for (const Expr& entry : *list) {
    require(entry.is_constant(), "histogram C3: range must be a list of numbers:", entry);
    values.push_back(entry.domain() == ExprDomain::real ? entry.real_constant()
                                                        : static_cast<double>(entry.constant()));
  }
  return values;
}

// The range of the data. An empty range grows by half on each side.
std::pair<Value, Value> ends_of_data(const DecomposeCall& call, Value column) {
  const DType dtype = column.tensor().dtype;
  if (known_equal(column.tensor().numel(), Expr(0))) {
    const auto end = [&](double x) {
      return call.aten("full", {ir::Scalars{}, Expr::real(x), dtype});
    };
    return {end(0), end(1)};
  }
  require(!is_half(dtype), ErrorCode::unsupported,
          "histogram C1: the ends of halves must be given, in `range`:", name(dtype));
  const Value low = call.aten("amin", {column});
  const Value high = call.aten("amax", {column});
  // The range of data with NaN or infinity is not finite.
  const Value width = call.aten("isfinite", {call.aten("sub.Tensor", {high, low})});
  call.aten_all("_assert_async.msg",
                {width, std::string("histogram C3: the data must be finite unless `range` says "
                                    "which of them count")});
  const Value is_flat = call.aten("eq.Tensor", {low, high});
  const auto widened = [&](Value end, double by) {
    const Value moved = call.aten("add.Scalar", {end, Expr::real(by)});
    return call.aten("where.self", {is_flat, moved, end});
  };
  return {widened(low, -0.5), widened(high, 0.5)};
}

// bins + 1 equidistant edges for one column of the data.
Value even_edges(const DecomposeCall& call, Value column, Expr bins, size_t dimension,
                 size_t dimensions) {
  const DType dtype = column.tensor().dtype;
  const std::vector<double> range = numbers(call, "range");
  require(!known_less(bins, Expr(1)), "histogram C4: there must be at least one bin:", bins);
  if (!call.has("range")) {
    const auto [low, high] = ends_of_data(call, column);
    return call.aten("linspace.Tensor_Tensor", {low, high, bins + 1, dtype});
  }
  require(range.size() == 2 * dimensions,
          "histogram C3: range must have two ends per dimension:", range.size(), dimensions);
  double low = range[2 * dimension];
  double high = range[2 * dimension + 1];
  require(low <= high && std::isfinite(high - low),
          "histogram C3: range must rise, from one finite end to another:", low, high);
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  return call.aten("linspace", {Expr::real(low), Expr::real(high), bins + 1, dtype});
}

Expr bin_count(Value edges) { return edges.tensor().sizes[0] - 1; }

// The bin of every element of a column, and whether it has one.
struct Placed {
  Value bin;
  Value is_inside;
};

Placed place(const DecomposeCall& call, Value column, Value edges) {
  const auto edge = [&](int64_t i) { return call.aten("select.int", {edges, Expr(0), Expr(i)}); };
  const Value is_inside = call.aten("logical_and", {call.aten("ge.Tensor", {column, edge(0)}),
                                                    call.aten("le.Tensor", {column, edge(-1)})});
  const Value after =
      call.aten("bucketize.Tensor", {column, edges, Expr::boolean(false), Expr::boolean(true)});
  const Value bin = call.aten("sub.Scalar", {after, Expr(1)});
  return {call.aten("clamp", {bin, Expr(0), bin_count(edges) - 1}), is_inside};
}

// Counts or sums weights of points by bin; a density has integral 1.
Value counted(const DecomposeCall& call, const std::vector<Value>& columns,
              const std::vector<Value>& edges) {
  Sizes sizes;
  Value bin;
  Value is_inside;
  for (size_t d = 0; d < edges.size(); ++d) {
    const Placed placed = place(call, columns[d], edges[d]);
    const Expr bins = bin_count(edges[d]);
    bin = d == 0 ? placed.bin
                 : call.aten("add.Tensor", {call.aten("mul.Scalar", {bin, bins}), placed.bin});
    is_inside = d == 0 ? placed.is_inside : call.aten("logical_and", {is_inside, placed.is_inside});
    sizes.push_back(bins);
  }
  const DType dtype = call.type("self").dtype;
  Value weight = call.to(is_inside, dtype);
  if (call.has("weight")) {
    const Value given = call.aten("reshape", {call["weight"], ir::Scalars{Expr(-1)}});
    weight = call.aten("where.ScalarOther", {is_inside, given, Expr(0)});
  }
  const Value none = call.aten("zeros", {ir::Scalars{product(sizes)}, dtype});
  Value histogram =
      call.aten("reshape", {call.aten("index_add", {none, Expr(0), bin, weight}), sizes});
  if (!call.flag("density")) return histogram;
  histogram = call.aten("div.Tensor", {histogram, call.aten("sum", {histogram})});
  for (size_t d = 0; d < edges.size(); ++d) {
    Sizes along(edges.size(), Expr(1));
    along[d] = sizes[d];
    const Value widths = call.aten("reshape", {call.aten("diff", {edges[d]}), along});
    histogram = call.aten("div.Tensor", {histogram, widths});
  }
  return histogram;
}

std::vector<Value> histogram(DecomposeCall& call) {
  require_histogram(call);
  const Value self = call.aten("reshape", {call["self"], ir::Scalars{Expr(-1)}});
  const Value edges =
      call.is_tensor("bins") ? call["bins"] : even_edges(call, self, call.expr("bins"), 0, 1);
  require_edges(call, edges);
  // Given edges are returned as a copy.
  const Value given = call.is_tensor("bins") ? call.aten("clone", {edges}) : edges;
  return {counted(call, {self}, {edges}), given};
}

// --- points of several dimensions, one per row of the last dimension ---

std::vector<Value> columns_of(const DecomposeCall& call) {
  const Value self = call["self"];
  require(self.tensor().rank() >= 2, "histogramdd C6: points must be rows:", self.tensor());
  const Expr size = self.tensor().sizes.back();
  require(size.is_constant() && size.constant() > 0,
          "histogramdd C6: points must have a fixed size, and not be empty:", self.tensor());
  std::vector<Value> columns;
  for (int64_t d = 0; d < size.constant(); ++d) {
    const Value column = call.aten("select.int", {self, Expr(-1), Expr(d)});
    columns.push_back(call.aten("reshape", {column, ir::Scalars{Expr(-1)}}));
  }
  return columns;
}

std::vector<Value> edges_of(const DecomposeCall& call, const std::vector<Value>& columns) {
  if (call.argument("bins").is_value_list()) {
    const std::span<const Value> given = call.values("bins");
    require(given.size() == columns.size(),
            "histogramdd C7: there must be edges per dimension:", given.size(), columns.size());
    for (const Value edges : given) require_edges(call, edges);
    return {given.begin(), given.end()};
  }
  const bool takes_one = call.op().name() == "aten.histogramdd.int_bins";
  const Sizes bins = takes_one ? Sizes(columns.size(), call.expr("bins")) : call.sizes("bins");
  require(bins.size() == columns.size(),
          "histogramdd C7: there must be a number of bins per dimension:", bins.size(),
          columns.size());
  std::vector<Value> edges;
  for (size_t d = 0; d < columns.size(); ++d) {
    edges.push_back(even_edges(call, columns[d], bins[d], d, columns.size()));
  }
  return edges;
}

std::vector<Value> histogramdd(DecomposeCall& call) {
  require_histogram(call);
  const std::vector<Value> columns = columns_of(call);
  const std::vector<Value> edges = edges_of(call, columns);
  std::vector<Value> results{counted(call, columns, edges)};
  results.insert(results.end(), edges.begin(), edges.end());
  return results;
}

std::vector<Value> edges_alone(DecomposeCall& call) {
  require_histogram(call);
  return edges_of(call, columns_of(call));
}

std::vector<Value> counts_alone(DecomposeCall& call) { return {histogramdd(call)[0]}; }

constexpr std::array kCounts{"(f32[3, 5], 4)"sv, "(f32[7], 3, range=[-2, 2.5], density=True)"sv,
                             "(f64[6], 2, weight=f64[6])"sv, "(f32[s0, 3], 4)"sv};
constexpr std::array kEdges{"(f32[3, 5], f32[4])"sv};
constexpr std::array kManyCounts{"(f32[6, 2], [3, 4])"sv,
                                 "(f32[6, 2], [3, 4], range=[-2, 2, -1, 1], density=True)"sv};
constexpr std::array kManyOfOne{"(f32[6, 2], 3)"sv};
constexpr std::array kManyEdges{"(f32[6, 2], [f32[3], f32[4]])"sv};

constexpr std::string_view kDoc =
    "How many elements lie in each bin, and the edges of the bins.\n"
    "C1: self is floating; without ends not a half. C2: so are the weights, one per element. C3: "
    "the ends rise and are finite. C4: there is a bin. C5: edges are a list.";
constexpr std::string_view kManyDoc =
    "How many points lie in each box of a grid, and the edges of the boxes.\n"
    "C6: points are rows of a fixed size. C7: bins or edges are given for each dimension.";

constexpr std::array kOps{
    composite("aten._histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, "
              "Tensor? weight=None, bool density=False) -> Tensor[]",
              kManyDoc, edges_alone, {.calls = kManyCounts}),
    composite("aten._histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, "
              "Tensor? weight=None, bool density=False) -> Tensor",
              kManyDoc, counts_alone, {.calls = kManyCounts}),
    composite("aten._histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, "
              "Tensor? weight=None, bool density=False) -> Tensor",
              kManyDoc, counts_alone, {.calls = kManyEdges}),
    composite("aten.histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, "
              "Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
              kDoc, histogram, {.calls = kCounts}),
    composite("aten.histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, "
              "bool density=False) -> (Tensor hist, Tensor bin_edges)",
              kDoc, histogram, {.calls = kEdges}),
    composite("aten.histogramdd(Tensor self, int[] bins, float[]? range=None, "
              "Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
              kManyDoc, histogramdd, {.calls = kManyCounts}),
    composite("aten.histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, "
              "Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
              kManyDoc, histogramdd, {.calls = kManyEdges}),
    composite("aten.histogramdd.int_bins(Tensor self, int bins, float[]? range=None, "
              "Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
              kManyDoc, histogramdd, {.calls = kManyOfOne}),
};

}  // namespace

std::span<const OpDef> histogram_ops() { return kOps; }

}  // namespace litz::ops
