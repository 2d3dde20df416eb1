// Counts and distinct values: histograms, bincount and the unique family.
//
// Sizes of distinct values depend on data: they are fresh symbols, bound at run time.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/held_numbers.h"
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

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

constexpr Interval kCount{0, Interval::kMax};

// --- histograms ---

TensorType histc_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const int64_t bins = call.integer("bins");
  require(bins > 0, "histc: there must be at least one bin:", bins);
  require(is_floating(self.dtype), ErrorCode::unsupported, "histc needs a floating tensor, got",
          name(self.dtype));
  require(std::isfinite(call.real("min")) && std::isfinite(call.real("max")) &&
              call.real("min") <= call.real("max"),
          "histc: min and max must be finite and in order:", call.real("min"), call.real("max"));
  require_all_held(call, "min max", self.dtype);
  return contiguous_type(self.dtype, {Expr(bins)}, self.device);
}

struct Edges {
  Scalar low;
  Scalar high;
};

// Equal ends request the range of the data; an empty range grows by one on each side.
Edges histogram_edges(NestCall& call, DType compute) {
  KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  const double low = call.real("min");
  const double high = call.real("max");
  if (low != high) return {b.constant(compute, low), b.constant(compute, high)};
  Edges edges{b.constant(compute, low), b.constant(compute, high)};
  if (!known_equal(self.numel(), Expr(0)) && !self.sizes.empty()) {
    const auto value = [&](Exprs i) { return b.cast(b.load(call.in("self"), i), compute); };
    edges = {b.reduce(ReduceKind::min, self.sizes, value),
             b.reduce(ReduceKind::max, self.sizes, value)};
  } else if (self.sizes.empty()) {
    edges.low = edges.high = b.cast(b.load(call.in("self"), Exprs()), compute);
  }
  const Scalar span = edges.high - edges.low;
  const Scalar is_endless = is_nan(span) | is_inf(span);
  const Scalar found =
      b.bound_index(b.cast(is_endless, DType::i64), 1, false,
                    "the range of the elements of histc is finite; whether it is not");
  edges.low = edges.low + b.cast(found, compute);
  const Scalar is_flat = edges.low == edges.high;
  return {select(is_flat, edges.low - 1, edges.low), select(is_flat, edges.high + 1, edges.high)};
}

// Bins have equal widths and include their lower end; the last one includes both ends. Halves round
// at every step, as in PyTorch.
void histc(NestCall& call) {
  const TensorType& self = call.type("self");
  const int64_t bins = call.integer("bins");
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  const auto rounded = [&](Scalar x) { return b.cast(b.cast(x, self.dtype), compute); };
  b.loop(std::array{Expr(bins)}, [&](Exprs bin) {
    b.store(call.out(), bin, b.cast(b.constant(compute, 0.0), self.dtype));
  });
  const Edges edges = histogram_edges(call, compute);
  const Scalar width = rounded(edges.high - edges.low);
  b.loop(self.sizes, [&](Exprs index) {
    const Scalar x = b.cast(b.load(call.in("self"), index), compute);
    const Scalar is_counted = (x >= edges.low) & (x <= edges.high);
    const Scalar place =
        rounded(rounded(rounded(x - edges.low) * static_cast<double>(bins)) / width);
    const Scalar safe = select(is_counted, place, 0.0);
    const Scalar bin = min(b.cast(safe, DType::i64), static_cast<double>(bins - 1));
    b.store_if(is_counted, call.out(), {bin.id()}, b.cast(b.constant(compute, 1.0), self.dtype),
               loops::StoreMode::add);
  });
}

TensorType bincount_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(is_integer(self.dtype) && self.rank() == 1, "bincount counts a list of integers, got",
          self);
  DType dtype = DType::i64;
  if (call.has("weights")) {
    dtype = call.type("weights").dtype == DType::f32 ? DType::f32 : DType::f64;
  }
  return contiguous_type(dtype, {call.data_dependent(0, kCount)}, self.device);
}

// --- distinct values ---

Types unique_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(!is_complex(self.dtype), ErrorCode::unsupported,
          "distinct values of complex numbers are not supported");
  const Expr count = call.data_dependent(0, kCount);
  const Sizes nothing{Expr(0)};
  return {
      contiguous_type(self.dtype, {count}, self.device),
      contiguous_type(DType::i64, call.flag("return_inverse") ? self.sizes : nothing, self.device),
      contiguous_type(DType::i64, call.flag("return_counts") ? Sizes{count} : nothing,
                      self.device)};
}

Types unique_pair_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(!is_complex(self.dtype), ErrorCode::unsupported,
          "distinct values of complex numbers are not supported");
  const Sizes nothing{Expr(0)};
  return {
      contiguous_type(self.dtype, {call.data_dependent(0, kCount)}, self.device),
      contiguous_type(DType::i64, call.flag("return_inverse") ? self.sizes : nothing, self.device)};
}

std::vector<ir::Value> unique_pair(DecomposeCall& call) {
  const auto results =
      call.aten_all("_unique2", {call["self"], call.pass("sorted"), call.pass("return_inverse")});
  return {results[0], results[1]};
}

Types unique_dim_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(!is_complex(self.dtype), ErrorCode::unsupported,
          "distinct lines of complex numbers are not supported");
  require(self.rank() > 0, "distinct lines need at least one dimension");
  const size_t dim = at(call.dim("dim", self.rank()));
  for (size_t d = 0; d < self.rank(); ++d) {
    if (d == dim) continue;
    call.require_sizes(ne(self.sizes[d], 0), "distinct lines must have elements:", self);
  }
  const Expr count = call.data_dependent(0, kCount);
  Sizes sizes = self.sizes;
  sizes[dim] = count;
  return {contiguous_type(self.dtype, sizes, self.device),
          contiguous_type(DType::i64, {self.sizes[dim]}, self.device),
          contiguous_type(DType::i64, {count}, self.device)};
}

// Along the only dimension, stated as 0, there are runs of elements: what is not asked for is empty.
Types unique_consecutive_meta(const Call& call) {
  if (!call.has("dim")) return unique_meta(call);
  const bool is_list = call.type("self").rank() == 1 && call.integer("dim") == 0;
  return is_list ? unique_meta(call) : unique_dim_meta(call);
}

// Counted from the end, the dimension of a list never is 0.
std::vector<ir::Value> unique_line_runs(DecomposeCall& call) {
  const auto rank = static_cast<int64_t>(call.type("self").rank());
  return call.aten_all("unique_consecutive",
                       {call["self"], call.pass("return_inverse"), call.pass("return_counts"),
                        Expr(call.dim("dim", call.type("self").rank()) - rank)});
}

constexpr std::array kHistcSample{"(f32[3, 5], 4, -2, 2)"sv, "(f32[7], 3)"sv};
constexpr std::array kBincountSample{"(i64[6] in [0, 4))"sv, "(i64[6] in [0, 4), f32[6], 8)"sv};
constexpr std::array kUniqueSample{"(i64[2, 5] in [0, 4), True, True, True)"sv};
constexpr std::array kUniquePairSample{"(i64[2, 5] in [0, 4), True, True)"sv};
constexpr std::array kUniqueRunsSample{"(i64[6, 2] in [0, 2), 0, True)"sv};
constexpr std::array kUniqueDimSample{"(i64[6, 2] in [0, 2), 0)"sv};
constexpr std::array kConsecutiveSample{"(i64[8] in [0, 2), True, True)"sv,
                                        "(i64[6, 2] in [0, 2), dim=0)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._unique(Tensor self, bool sorted=True, bool return_inverse=False) -> "
                    "(Tensor, Tensor)",
          .doc = "The distinct elements in order, and where each went.",
          .meta = unique_pair_meta,
          .impl = Decompose{unique_pair},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kUniquePairSample}},
    OpDef{.schema = "aten._unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool "
                    "return_counts=False) -> (Tensor, Tensor, Tensor)",
          .doc = "The distinct elements in order, where each went and how many there are.",
          .meta = unique_meta,
          .impl = Library{"unique"},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kUniqueSample}},
    OpDef{.schema = "aten.bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> "
                    "Tensor",
          .doc = "How often each whole number occurs, or the sum of its weights.",
          .meta = bincount_meta,
          .impl = Library{"bincount"},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kBincountSample}},
    OpDef{.schema = "aten.histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
          .doc = "How many elements lie in each of the bins of one width between min and max.",
          .meta = histc_meta,
          .impl = LoopNest{histc},
          .samples = {.calls = kHistcSample}},
    OpDef{.schema = "aten.unique_consecutive(Tensor self, bool return_inverse=False, bool "
                    "return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)",
          .doc = "The first element of each run of equals, where each went and how long it is.",
          .meta = unique_consecutive_meta,
          .impl = Library{"unique_runs"},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kConsecutiveSample}},
    OpDef{.schema = "aten.unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, "
                    "bool return_counts=False) -> (Tensor, Tensor, Tensor)",
          .doc = "The first entry of each run of equals along a dimension, where each went and how "
                 "long it is.",
          .meta = unique_dim_meta,
          .impl = Decompose{unique_line_runs},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kUniqueRunsSample}},
    OpDef{.schema = "aten.unique_dim(Tensor self, int dim, bool sorted=True, bool "
                    "return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
          .doc = "The distinct entries along a dimension, where each went and how many there are.",
          .meta = unique_dim_meta,
          .impl = Library{"unique_lines"},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kUniqueDimSample}},
};

}  // namespace

std::span<const OpDef> counting_ops() { return kOps; }

}  // namespace litz::ops
