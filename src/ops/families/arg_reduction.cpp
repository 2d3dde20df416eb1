// Reductions that return indices: argmax, the extremes along a dimension with their indices,
// medians and the mode.
//
// NaN counts as both the largest and the smallest element; among equals the first wins.

#include <algorithm>
#include <array>
#include <bit>
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
using loops::ReduceKind;
using loops::Scalar;

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

void require_ordered(const Call& call) {
  require(!is_complex(call.type("self").dtype), "complex numbers have no order:", call.op().name());
}

// Integers if the dtype has no arithmetic.
DType ordered_dtype(DType dtype) {
  return dtype == DType::bool_ ? DType::u8 : compute_dtype(dtype);
}

// --- positions ---

TensorType arg_meta(const Call& call) {
  require_ordered(call);
  const TensorType& self = call.type("self");
  require(self.dtype != DType::bool_, "the position of an extreme needs numbers:", call.op().name(),
          self);
  const bool reduces_all = !call.has("dim");
  const Expr count =
      reduces_all || self.rank() == 0 ? self.numel() : self.sizes[at(call.dim("dim", self.rank()))];
  call.require_sizes(ne(count, 0), "the position of an extreme needs elements:", call.op().name(),
                     self);
  if (reduces_all || self.rank() == 0) {
    const Sizes sizes(call.flag("keepdim") ? self.rank() : 0, Expr(1));
    return contiguous_type(DType::i64, sizes, self.device);
  }
  return meta::index_reduction(call);
}

template <bool kMax>
Scalar arg_body(const ReductionCall& call) {
  return call.reduce_raw(kMax ? ReduceKind::argmax : ReduceKind::argmin,
                         [](Scalar x) { return x.builder().cast(x, ordered_dtype(x.dtype())); });
}

// --- along one dimension, with positions ---

Types with_positions_meta(const Call& call) {
  require_ordered(call);
  const TensorType& self = call.type("self");
  const int64_t dim = call.dim("dim", self.rank());
  Sizes sizes = self.sizes;
  if (self.rank() > 0) {
    call.require_sizes(ne(sizes[at(dim)], 0),
                       "a dimension without elements has none to choose:", call.op().name(), self);
    sizes = reduced_sizes(sizes, std::array{dim}, call.flag("keepdim"));
  }
  return {contiguous_type(self.dtype, sizes, self.device),
          contiguous_type(DType::i64, sizes, self.device)};
}

// One line of `self`: its length, the index of its element i, and the index of its results.
struct Line {
  Expr extent = 1;
  std::function<IndexVector(loops::Index)> element;
  IndexVector place;
};

void for_each_line(NestCall& call, const std::function<void(const Line&)>& body) {
  const TensorType& self = call.type("self");
  if (self.rank() == 0) {
    return body({Expr(1), [](loops::Index) { return IndexVector(); }, {}});
  }
  const int64_t dim = call.dim("dim", self.rank());
  Sizes outer = self.sizes;
  outer.erase(outer.begin() + dim);
  call.builder().loop(outer, [&](Exprs index) {
    Line line;
    line.extent = self.sizes[at(dim)];
    line.element = [index, dim](loops::Index i) {
      IndexVector full(index.begin(), index.end());
      full.insert(full.begin() + dim, i);
      return full;
    };
    line.place.assign(index.begin(), index.end());
    if (call.flag("keepdim")) line.place.insert(line.place.begin() + dim, Expr(0));
    body(line);
  });
}

bool is_empty(const TensorType& type) { return known_equal(type.numel(), Expr(0)); }

template <bool kMax>
void extreme(NestCall& call) {
  if (is_empty(call.type("self"))) return;
  KernelBuilder& b = call.builder();
  const DType compute = ordered_dtype(call.type("self").dtype);
  for_each_line(call, [&](const Line& line) {
    const Scalar best = b.reduce(
        kMax ? ReduceKind::argmax : ReduceKind::argmin, std::array{line.extent},
        [&](Exprs i) { return b.cast(b.load(call.in("self"), line.element(i[0])), compute); });
    b.store(call.out(0), line.place, b.load(call.in("self"), line.element(best.id())));
    b.store(call.out(1), line.place, best);
  });
}

// --- medians ---

// The position that PyTorch's selection leaves first in a line of NaN only, which all compare equal:
// each step puts the middle element first, reverses the others and keeps the first half.
Scalar first_of_equals(KernelBuilder& b, Expr extent) {
  // A line of three or fewer is sorted, which moves nothing.
  constexpr int64_t kSorted = 3;
  const auto constant = [&](int64_t value) { return b.constant(DType::i64, value); };
  const int64_t longest = std::max<int64_t>(bounds(extent).hi, 0);
  const std::array initial{b.index(extent), constant(0), constant(1)};
  const std::vector<Scalar> end =
      b.carry(Expr(static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(longest)))), initial,
              [&](Expr, std::span<const Scalar> now) -> std::vector<Scalar> {
                const Scalar is_last = now[0] <= 2 * kSorted;
                return {select(is_last, now[0], shift_right(now[0] + 1, constant(1))),
                        select(is_last, now[1], now[1] + now[2] * now[0]),
                        select(is_last, now[2], -now[2])};
              });
  const Scalar middle = end[1] + end[2] * shift_right(end[0], constant(1));
  return select(b.index(extent) <= kSorted, constant(0), middle);
}

// Sorts `extent` elements and passes the median and its origin to `emit`. Of two middle elements
// the lower is the median; any NaN is the median, unless NaN are skipped.
void median_of(KernelBuilder& b, bool skips_nan, Expr extent,
               const std::function<Scalar(Expr)>& element,
               const std::function<void(Scalar is_median, Scalar value, Scalar origin)>& emit) {
  const Scalar nans = b.reduce(ReduceKind::sum, std::array{extent}, [&](Exprs i) {
    const Scalar x = element(i[0]);
    return is_floating(x.dtype()) ? b.cast(is_nan(b.cast(x, compute_dtype(x.dtype()))), DType::i64)
                                  : b.constant(DType::i64, int64_t{0});
  });
  const Scalar size = b.index(extent);
  // NaN are sorted to the end: the first of them is at size - nans.
  const Scalar kept = skips_nan ? size - nans : size;
  const Scalar proper = shift_right(max(kept - 1, 0), b.constant(DType::i64, int64_t{1}));
  const Scalar middle = skips_nan ? select(kept > 0, proper, first_of_equals(b, extent))
                                  : select(nans > 0, size - nans, proper);
  b.sort(extent, false, extent, element, [&](Expr position, Scalar key, Scalar origin) {
    emit(b.index(position) == middle, key, origin);
  });
}

bool skips_nan(const Call& call) {
  return call.op().name().find("nanmedian") != std::string_view::npos;
}

TensorType median_meta(const Call& call) {
  require_ordered(call);
  const TensorType& self = call.type("self");
  return contiguous_type(self.dtype, {}, self.device);
}

void median(NestCall& call) {
  const TensorType& self = call.type("self");
  KernelBuilder& b = call.builder();
  if (is_empty(self)) {
    // Integers get what a NaN is converted to.
    const DType wide = self.dtype == DType::f64 ? DType::f64 : DType::f32;
    const Scalar nan = b.constant(wide, std::numeric_limits<double>::quiet_NaN());
    b.store(call.out(), Exprs(), b.cast(nan, self.dtype));
    return;
  }
  median_of(
      b, skips_nan(call), self.numel(),
      [&](Expr i) {
        IndexVector index(self.rank());
        for (size_t d = self.rank(); d-- > 0;) {
          index[d] = d == 0 ? i : mod(i, self.sizes[d]);
          i = floor_div(i, self.sizes[d]);
        }
        return b.load(call.in("self"), index);
      },
      [&](Scalar is_median, Scalar value, Scalar) {
        b.store_if(is_median, call.out(), {}, value);
      });
}

void median_dim(NestCall& call) {
  if (is_empty(call.type("self"))) return;
  KernelBuilder& b = call.builder();
  for_each_line(call, [&](const Line& line) {
    median_of(
        b, skips_nan(call), line.extent,
        [&](Expr i) { return b.load(call.in("self"), line.element(i)); },
        [&](Scalar is_median, Scalar value, Scalar origin) {
          b.store_if(is_median, call.out(0), line.place, value);
          b.store_if(is_median, call.out(1), line.place, origin);
        });
  });
}

constexpr std::array kArgSample{"(f32[2, 5], 1)"sv, "(f32[2, 5])"sv, "(i64[3, 4], 0, True)"sv};
constexpr std::array kDimSample{"(f32[2, 5], 1)"sv, "(i64[3, 4], 0, True)"sv};
constexpr std::array kModeSample{"(i64[3, 6] in [0, 3), 1)"sv};
constexpr std::array kAllSample{"(f32[2, 5])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
          .doc = "Where the largest element is.",
          .meta = arg_meta,
          .impl = Reduction{arg_body<true>},
          .samples = {.calls = kArgSample}},
    OpDef{.schema = "aten.argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
          .doc = "Where the smallest element is.",
          .meta = arg_meta,
          .impl = Reduction{arg_body<false>},
          .samples = {.calls = kArgSample}},
    OpDef{.schema = "aten.max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, "
                    "Tensor indices)",
          .doc = "The largest element of each line, and where it is.",
          .meta = with_positions_meta,
          .impl = LoopNest{extreme<true>},
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.median(Tensor self) -> Tensor",
          .doc = "The middle element, the lower one of two; NaN if there is one.",
          .meta = median_meta,
          .impl = LoopNest{median},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, "
                    "Tensor indices)",
          .doc = "The middle element of each line, and where it is.",
          .meta = with_positions_meta,
          .impl = LoopNest{median_dim},
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, "
                    "Tensor indices)",
          .doc = "The smallest element of each line, and where it is.",
          .meta = with_positions_meta,
          .impl = LoopNest{extreme<false>},
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, "
                    "Tensor indices)",
          .doc = "The most frequent element of each line, the smallest of several, and where.",
          .meta = with_positions_meta,
          .impl = Library{"mode"},
          .samples = {.calls = kModeSample}},
    OpDef{.schema = "aten.nanmedian(Tensor self) -> Tensor",
          .doc = "The middle element that is no NaN.",
          .meta = median_meta,
          .impl = LoopNest{median},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor "
                    "values, Tensor indices)",
          .doc = "The middle element of each line that is no NaN, and where it is.",
          .meta = with_positions_meta,
          .impl = LoopNest{median_dim},
          .samples = {.calls = kDimSample}},
};

}  // namespace

std::span<const OpDef> arg_reduction_ops() { return kOps; }

}  // namespace litz::ops
