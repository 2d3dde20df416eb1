// Sorting: sort, topk, kthvalue, and searches in sorted sequences.
//
// NaN is the largest element, ascending or descending. A stable sort keeps equals in order; other
// operators leave equals in the order of PyTorch's algorithms, which library calls repeat.

#include <array>
#include <bit>
#include <functional>

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

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

void require_ordered(const Call& call) {
  require(!is_complex(call.type("self").dtype), "complex numbers have no order:", call.op().name());
}

TensorType positions_of(TensorType type) {
  type.dtype = DType::i64;
  return type;
}

Types sort_meta(const Call& call) {
  require_ordered(call);
  const TensorType& self = call.type("self");
  call.dim("dim", self.rank());
  const TensorType values = preserved_type(self.dtype, self, MemoryFormat::preserve);
  return {values, positions_of(values)};
}

Expr line_size(const Call& call) {
  const TensorType& self = call.type("self");
  return self.rank() == 0 ? Expr(1) : self.sizes[at(call.dim("dim", self.rank()))];
}

void stable_sort(NestCall& call) {
  const TensorType& self = call.type("self");
  const int64_t dim = call.dim("dim", self.rank());
  KernelBuilder& b = call.builder();
  const auto sort_line = [&](Expr extent, const std::function<IndexVector(Expr)>& element) {
    b.sort(
        extent, call.flag("descending"), extent,
        [&](Expr i) { return b.load(call.in("self"), element(i)); },
        [&](Expr position, Scalar key, Scalar origin) {
          b.store(call.out(0), element(position), key);
          b.store(call.out(1), element(position), origin);
        });
  };
  if (self.rank() == 0) return sort_line(Expr(1), [](Expr) { return IndexVector(); });
  Sizes outer = self.sizes;
  outer.erase(outer.begin() + dim);
  b.loop(outer, [&](Exprs index) {
    sort_line(self.sizes[at(dim)], [&](Expr i) {
      IndexVector full(index.begin(), index.end());
      full.insert(full.begin() + dim, i);
      return full;
    });
  });
}

// PyTorch's unstable sort uses insertion sort, which is stable, for short lines.
std::vector<ir::Value> sort(DecomposeCall& call) {
  constexpr int64_t kLongestInsertionSort = 16;
  const bool is_stable =
      call.op().schema.find("stable") >= 0 && call.has("stable") && call.flag("stable");
  const bool is_short = known_less_equal(line_size(call), kLongestInsertionSort);
  return call.graph()
      .create(is_stable || is_short ? "litz.stable_sort" : "litz.unstable_sort",
              {call["self"], call.pass("dim"), call.pass("descending")})
      ->outputs();
}

TensorType argsort_meta(const Call& call) {
  return positions_of(std::get<TensorType>(sort_meta(call)[0]));
}

std::vector<ir::Value> argsort(DecomposeCall& call) {
  if (call.op().schema.find("stable") < 0) {
    return {call.aten_all("sort", {call["self"], call.pass("dim"), call.pass("descending")})[1]};
  }
  return {call.aten_all("sort.stable", {call["self"], call.pass("stable"), call.pass("dim"),
                                        call.pass("descending")})[1]};
}

TensorType msort_meta(const Call& call) {
  require_ordered(call);
  return preserved_type(call.type("self").dtype, call.type("self"), MemoryFormat::preserve);
}

std::vector<ir::Value> msort(DecomposeCall& call) {
  return {call.aten_all("sort", {call["self"], Expr(0)})[0]};
}

Types topk_meta(const Call& call) {
  require_ordered(call);
  const TensorType& self = call.type("self");
  const int64_t dim = call.dim("dim", self.rank());
  const Expr k = call.expr("k");
  call.require_sizes(logical_and(le(k, line_size(call)), le(0, k)),
                     "topk: k must be between 0 and the size of the dimension:", k,
                     line_size(call));
  Sizes sizes = self.sizes;
  if (!sizes.empty()) sizes[at(dim)] = k;
  const TensorType values = contiguous_type(self.dtype, sizes, self.device);
  return {values, positions_of(values)};
}

Types kthvalue_meta(const Call& call) {
  require_ordered(call);
  const TensorType& self = call.type("self");
  const int64_t dim = call.dim("dim", self.rank());
  const Expr k = call.expr("k");
  call.require_sizes(logical_and(le(k, line_size(call)), le(1, k)),
                     "kthvalue: k must be between 1 and the size of the dimension:", k,
                     line_size(call));
  Sizes sizes = self.sizes;
  if (!sizes.empty()) sizes = reduced_sizes(sizes, std::array{dim}, call.flag("keepdim"));
  const TensorType values = contiguous_type(self.dtype, sizes, self.device);
  return {values, positions_of(values)};
}

// --- searches ---

std::string_view sequence_name(const Call& call) {
  return call.op().name().starts_with("aten.bucketize") ? "boundaries" : "sorted_sequence";
}

bool has(const Call& call, std::string_view name) {
  return call.op().schema.find(name) >= 0 && call.has(name);
}

// True if the position after equals is wanted instead of the one before them.
bool searches_right(const Call& call) {
  if (!has(call, "side")) return call.flag("right");
  const std::string_view side = call.str("side");
  require(side == "left" || side == "right", "searchsorted: side must be 'left' or 'right':", side);
  require(side == "right" || !call.flag("right"),
          "searchsorted: side='left' contradicts right=True");
  return side == "right";
}

TensorType search_meta(const Call& call) {
  const TensorType& sequence = call.type(sequence_name(call));
  require(!is_complex(sequence.dtype), "complex numbers have no order:", call.op().name());
  require(sequence.rank() > 0, "a sorted sequence needs at least one dimension");
  require(sequence.rank() == 1 || sequence_name(call) != "boundaries",
          "boundaries have one dimension:", sequence);
  const DType dtype = call.flag("out_int32") ? DType::i32 : DType::i64;
  if (!call.is_tensor("self")) {
    require(sequence.rank() == 1, "a number is searched in a single sequence, got", sequence);
    return contiguous_type(dtype, {}, sequence.device);
  }
  const TensorType& self = call.type("self");
  require(!is_complex(self.dtype), "complex numbers have no order:", call.op().name());
  if (sequence.rank() > 1) {
    require(self.rank() == sequence.rank(),
            "sequences and what is searched in them must agree in all dimensions but the last:",
            sequence, self);
    for (size_t d = 0; d + 1 < self.rank(); ++d) {
      require(!known_not_equal(self.sizes[d], sequence.sizes[d]),
              "sequences and what is searched in them must agree in all dimensions but the last:",
              sequence, self);
    }
  }
  searches_right(call);
  return contiguous_type(dtype, self.sizes, self.device);
}

// The number of halvings that reduce a sequence of this size to nothing.
int64_t search_steps(Expr size) {
  const int64_t most = std::max<int64_t>(bounds(size).hi, 0);
  return std::bit_width(static_cast<uint64_t>(most));
}

// The dtype that a sequence and tensors that are searched in it have in common.
DType common_dtype(const Call& call) {
  return call.is_tensor("self") ? promoted_dtype(call, {"self", sequence_name(call)})
                                : call.type(sequence_name(call)).dtype;
}

// The comparison dtype: a real number among integers is compared as a real.
DType searched_dtype(const Call& call) {
  const DType dtype = common_dtype(call);
  const bool is_real_number =
      !call.is_tensor("self") && call.scalar_category("self") == DTypeCategory::floating;
  if (is_real_number && !is_floating(dtype)) return DType::f64;
  return dtype == DType::bool_ ? DType::u8 : compute_dtype(dtype);
}

// An element of the sequence, through `sorter` if given; nothing is read once the range is empty.
Scalar sequence_element(NestCall& call, IndexVector place, Scalar middle, Scalar is_open) {
  KernelBuilder& b = call.builder();
  const TensorType& sequence = call.type(sequence_name(call));
  const Expr size = sequence.sizes.back();
  place.push_back(middle.id());
  if (has(call, "sorter")) {
    const Scalar first = b.constant(DType::i64, int64_t{0});
    // Empty sequences are never read, but their index range is empty.
    const Scalar sorted = b.load_if(is_open, call.in("sorter"), place, first);
    place.back() =
        b.bound_index(sorted, max(size, Expr(1)), false, "sorter of aten.searchsorted").id();
  }
  const DType compute = searched_dtype(call);
  const Scalar zero = b.cast(b.constant(DType::i64, int64_t{0}), sequence.dtype);
  const Scalar element = b.load_if(is_open, call.in(sequence_name(call)), place, zero);
  return b.cast(b.cast(element, common_dtype(call)), compute);
}

void search(NestCall& call) {
  const TensorType& sequence = call.type(sequence_name(call));
  const Expr size = sequence.sizes.back();
  const bool right = searches_right(call);
  KernelBuilder& b = call.builder();
  const DType compute = searched_dtype(call);
  b.loop(call.result().sizes, [&](Exprs index) {
    const Scalar value =
        call.is_tensor("self")
            ? b.cast(b.cast(b.load(call.in("self"), index), common_dtype(call)), compute)
            : b.cast(b.constant(DType::f64, call.real("self")), compute);
    const std::array initial{b.constant(DType::i64, int64_t{0}), b.index(size)};
    const auto range =
        b.carry(search_steps(size), initial, [&](Expr, std::span<const Scalar> ends) {
          const Scalar is_open = ends[0] < ends[1];
          const Scalar middle =
              ends[0] + shift_right(ends[1] - ends[0], b.constant(DType::i64, int64_t{1}));
          IndexVector place;
          if (sequence.rank() > 1) place.assign(index.begin(), index.end() - 1);
          const Scalar found = sequence_element(call, place, middle, is_open);
          const Scalar goes_on = is_open & !(right ? found > value : found >= value);
          return std::vector<Scalar>{select(goes_on, middle + 1, ends[0]),
                                     select(is_open & !goes_on, middle, ends[1])};
        });
    b.store(call.out(), index, b.cast(range[0], call.result().dtype));
  });
}

constexpr std::array kSortSample{"(f32[2, 5], 1, True)"sv, "(i64[3, 4] in [0, 3), 0)"sv,
                                 "(i64[40, 2] in [0, 3), 0)"sv};
constexpr std::array kStableSample{"(f32[2, 5], stable=True, dim=1)"sv};
constexpr std::array kMsortSample{"(f32[4, 3])"sv};
constexpr std::array kTopkSample{"(f32[2, 5], 3)"sv, "(f32[4, 3], 2, 0, False)"sv};
constexpr std::array kKthSample{"(f32[2, 5], 2)"sv, "(f32[4, 3], 3, 0, True)"sv};
constexpr std::array kBucketizeSample{"(f32[2, 3], f32[5], right=True)"sv};
constexpr std::array kBucketizeScalarSample{"(1.5, f32[5])"sv};
constexpr std::array kSearchSample{"(f32[5], f32[2, 3])"sv,
                                   "(f32[2, 5], f32[2, 3], side='right')"sv};
constexpr std::array kSearchScalarSample{"(f32[5], 0.5)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
          .doc = "Where the elements of each sorted line come from.",
          .meta = argsort_meta,
          .impl = Decompose{argsort},
          .samples = {.calls = kSortSample}},
    OpDef{.schema = "aten.argsort.stable(Tensor self, *, bool stable, int dim=-1, bool "
                    "descending=False) -> Tensor",
          .doc = "Where the elements of each sorted line come from, equals in order.",
          .meta = argsort_meta,
          .impl = Decompose{argsort},
          .samples = {.calls = kStableSample}},
    OpDef{.schema = "aten.bucketize.Scalar(Scalar self, Tensor boundaries, *, bool "
                    "out_int32=False, bool right=False) -> Tensor",
          .doc = "The place of a number among sorted boundaries.",
          .meta = search_meta,
          .impl = LoopNest{search},
          .samples = {.calls = kBucketizeScalarSample}},
    OpDef{.schema = "aten.bucketize.Tensor(Tensor self, Tensor boundaries, *, bool "
                    "out_int32=False, bool right=False) -> Tensor",
          .doc = "The place of each element among sorted boundaries.",
          .meta = search_meta,
          .impl = LoopNest{search},
          .samples = {.calls = kBucketizeSample}},
    OpDef{.schema = "aten.kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> "
                    "(Tensor values, Tensor indices)",
          .doc = "The k-th smallest element of each line, counted from 1, and where it is.",
          .meta = kthvalue_meta,
          .impl = Library{"kthvalue"},
          .samples = {.calls = kKthSample}},
    OpDef{.schema = "aten.msort(Tensor self) -> Tensor",
          .doc = "Sorts along the first dimension.",
          .meta = msort_meta,
          .impl = Decompose{msort},
          .samples = {.calls = kMsortSample}},
    OpDef{.schema = "aten.searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool "
                    "out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> "
                    "Tensor",
          .doc = "The place of a number in a sorted sequence.",
          .meta = search_meta,
          .impl = LoopNest{search},
          .samples = {.calls = kSearchScalarSample}},
    OpDef{.schema = "aten.searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool "
                    "out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> "
                    "Tensor",
          .doc = "The place of each element in its sorted sequence.",
          .meta = search_meta,
          .impl = LoopNest{search},
          .samples = {.calls = kSearchSample}},
    OpDef{.schema = "aten.sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, "
                    "Tensor indices)",
          .doc = "Sorts each line along a dimension; also tells where the elements come from.",
          .meta = sort_meta,
          .impl = Decompose{sort},
          .samples = {.calls = kSortSample}},
    OpDef{.schema = "aten.sort.stable(Tensor self, *, bool? stable, int dim=-1, bool "
                    "descending=False) -> (Tensor values, Tensor indices)",
          .doc = "Sorts each line along a dimension, equals in order.",
          .meta = sort_meta,
          .impl = Decompose{sort},
          .samples = {.calls = kStableSample}},
    OpDef{.schema = "aten.topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool "
                    "sorted=True) -> (Tensor values, Tensor indices)",
          .doc = "The k largest or smallest elements of each line in order, and where they are.",
          .meta = topk_meta,
          .impl = Library{"topk"},
          .samples = {.calls = kTopkSample}},
    OpDef{.schema = "litz.stable_sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor "
                    "values, Tensor indices)",
          .doc = "Sorts each line along a dimension, equals in order.",
          .meta = sort_meta,
          .impl = LoopNest{stable_sort},
          .samples = {.calls = kSortSample}},
    OpDef{.schema = "litz.unstable_sort(Tensor self, int dim=-1, bool descending=False) -> "
                    "(Tensor values, Tensor indices)",
          .doc = "Sorts each line along a dimension, equals in the order of PyTorch's algorithm.",
          .meta = sort_meta,
          .impl = Library{"sort"},
          .samples = {.calls = kSortSample}},
};

}  // namespace

std::span<const OpDef> sort_ops() { return kOps; }

}  // namespace litz::ops
