// Writes at computed or given indices: the functional forms, which return a changed copy.
//
// Each kernel has two nests: the copy of self, then the writes in row-major order, so that among
// repeated indices the last write wins and sums have a fixed order. If self is not read again, the
// writes go to its memory and the copy is omitted (passes/reinplace.cpp).

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/advanced_index.h"
#include "ops/families/families.h"
#include "ops/held_numbers.h"
#include "ops/index_types.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;
using loops::StoreMode;

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

TensorType changed_self(const Call& call) {
  const TensorType& self = call.type("self");
  return preserved_type(self.dtype, self, MemoryFormat::preserve);
}

TensorType changed_copy(const Call& call) {
  const TensorType& self = call.type("self");
  return contiguous_type(self.dtype, self.sizes, self.device);
}

void require_same_dtype(const Call& call, std::string_view argument) {
  require(call.type(argument).dtype == call.type("self").dtype,
          "a tensor of values must have the dtype of self:", argument, "is",
          name(call.type(argument).dtype), "against", name(call.type("self").dtype));
}

// --- into a view ---

// The region of self that a scatter replaces, as a view.
using Region = TensorType (*)(const Call& call, const TensorType& self);

/// A condition that no two elements share an address: each stride steps over everything that
/// smaller strides reach. Symbolic strides are assumed to fall from first to last.
Expr places_are_distinct(const TensorType& type) {
  std::vector<std::pair<Expr, Expr>> dims;  // Stride and size, the innermost first.
  for (size_t d = type.rank(); d-- > 0;) dims.emplace_back(type.strides[d], type.sizes[d]);
  const bool is_known = std::ranges::all_of(type.strides, &Expr::is_constant);
  if (is_known)
    std::ranges::stable_sort(dims, {}, [](const auto& dim) { return dim.first.constant(); });
  Expr steps = Expr::boolean(true);
  Expr span = 0;
  for (const auto& [stride, size] : dims) {
    steps = logical_and(steps, logical_or(eq(size, 1), lt(span, stride)));
    span = span + stride * (size - 1);
  }
  return logical_or(eq(type.numel(), 0), steps);
}

TensorType as_strided_region(const Call& call, const TensorType& self) {
  TensorType type = self;
  type.sizes = call.sizes("size");
  type.strides = call.sizes("stride");
  require(type.sizes.size() == type.strides.size(),
          "as_strided_scatter takes as many strides as sizes:", type.sizes.size(),
          type.strides.size());
  if (call.has("storage_offset")) type.offset = call.expr("storage_offset");
  for (const Expr place : type.strides) {
    call.require_sizes(le(Expr(0), place),
                       "as_strided_scatter: strides must not be negative:", place);
  }
  call.require_sizes(le(Expr(0), type.offset),
                     "as_strided_scatter: the offset must not be negative:", type.offset);
  call.require_sizes(places_are_distinct(type),
                     "as_strided_scatter: elements of src must not share places, region:", type);
  return type;
}

TensorType diagonal_region(const Call& call, const TensorType& self) {
  return diagonal_of(self, call.integer("offset"), call.dim("dim1", self.rank()),
                     call.dim("dim2", self.rank()));
}

TensorType select_region(const Call& call, const TensorType& self) {
  return selected_by(call, self);
}

TensorType slice_region(const Call& call, const TensorType& self) {
  const auto bound = [&](std::string_view name) -> std::optional<Expr> {
    if (!call.has(name)) return std::nullopt;
    return call.expr(name);
  };
  return sliced(self, call.dim("dim", self.rank()), bound("start"), bound("end"),
                call.expr("step"));
}

void require_fitting_source(const Call& call, const TensorType& region) {
  const TensorType& src = call.type("src");
  require(src.rank() == region.rank(),
          "src must have the rank of the region it replaces:", src.rank(), region.rank());
  for (size_t d = 0; d < src.rank(); ++d) {
    call.require_sizes(eq(src.sizes[d], region.sizes[d]),
                       "src must have the sizes of the region it replaces:", src.sizes[d],
                       region.sizes[d]);
  }
}

template <Region kRegion>
TensorType region_meta(const Call& call) {
  require_fitting_source(call, kRegion(call, call.type("self")));
  return changed_self(call);
}

template <Region kRegion>
void scatter_region(NestCall& call) {
  call.keep_self();
  KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  TensorType whole = call.result();
  // as_strided uses offsets in self's storage; the result's storage starts at its element 0.
  whole.offset = kRegion == as_strided_region ? self.offset : Expr(0);
  TensorType region = kRegion(call, whole);
  region.offset = region.offset - whole.offset;
  const loops::BufferId out = call.out_as(0, region);
  b.loop(region.sizes, [&](Exprs index) {
    b.store(out, index, b.cast(b.load(call.in("src"), index), self.dtype));
  });
}

// --- along one dimension ---

StoreMode mode_of(std::string_view reduce) {
  if (reduce == "sum" || reduce == "add") return StoreMode::add;
  if (reduce == "prod" || reduce == "multiply") return StoreMode::mul;
  if (reduce == "amax") return StoreMode::max;
  if (reduce == "amin") return StoreMode::min;
  require(reduce == "mean", "unknown reduction (sum, prod, mean, amax or amin):", reduce);
  return StoreMode::add;
}

Expr size_or_one(const TensorType& type, size_t d) {
  return d < type.rank() ? type.sizes[d] : Expr(1);
}

// Each element of the index needs a target, so `self` must be as large in other dimensions, and
// `src` in all.
void require_index_fits(const Call& call, const TensorType& index, size_t dim) {
  for (const Expr size : index.sizes) {
    if (size.is(0)) return;  // Nothing is read or written.
  }
  const TensorType* src = call.op().schema.find("src") >= 0 ? &call.type("src") : nullptr;
  require(src == nullptr || std::max<size_t>(src->rank(), 1) == std::max<size_t>(index.rank(), 1),
          "scatter: index and source must have one rank:", index, src != nullptr ? *src : index);
  for (size_t d = 0; d < index.rank(); ++d) {
    if (d != dim) {
      call.require_sizes(
          le(index.sizes[d], size_or_one(call.type("self"), d)),
          "scatter: the index must not be larger than the input in other dimensions:", index,
          call.type("self"));
    }
    if (src != nullptr) {
      call.require_sizes(le(index.sizes[d], size_or_one(*src, d)),
                         "scatter: the index must not be larger than the source:", index, *src);
    }
  }
}

TensorType scatter_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& index = call.type("index");
  const bool is_idle = known_equal(index.numel(), 0);
  if (!is_idle) require_index(call, "index");
  require(is_idle || std::max<size_t>(self.rank(), 1) == std::max<size_t>(index.rank(), 1),
          "scatter: index and input must have one rank:", index.rank(), self.rank());
  if (call.op().schema.find("src") >= 0) require_same_dtype(call, "src");
  require_index_fits(call, index, at(call.dim("dim", self.rank())));
  return changed_copy(call);
}

// The target of the element of `index` at these loop variables.
IndexVector target_of(NestCall& call, Exprs index) {
  const TensorType& self = call.type("self");
  KernelBuilder& b = call.builder();
  IndexVector target(index.begin(), index.end());
  target.resize(self.rank());
  const size_t dim = at(call.dim("dim", self.rank()));
  const Expr extent = self.rank() == 0 ? Expr(1) : self.sizes[dim];
  const Scalar place = b.bound_index(b.cast(b.load(call.in("index"), index), DType::i64), extent,
                                     false, "index of " + std::string(call.op().name()));
  if (self.rank() > 0) target[dim] = place.id();
  return target;
}

Scalar scattered_value(NestCall& call, Exprs index) {
  KernelBuilder& b = call.builder();
  const DType dtype = call.result().dtype;
  if (call.op().schema.find("src") >= 0) {
    IndexVector place(index.begin(), index.end());
    place.resize(call.type("src").rank());  // An empty index may have another rank.
    return b.cast(b.load(call.in("src"), place), dtype);
  }
  if (call.is_complex("value")) {
    return b.cast(b.constant(DType::c128, call.complex("value")), dtype);
  }
  const Expr value = call.scalar("value");
  const DType category = value.domain() == ExprDomain::real ? DType::f64 : DType::i64;
  return b.cast(b.index(value, category), dtype);
}

void scatter(NestCall& call) {
  call.keep_self();
  if (known_equal(call.type("index").numel(), 0)) return;
  const bool adds = call.op().name() == "aten.scatter_add";
  const bool has_reduce = call.op().schema.find("reduce") >= 0;
  StoreMode mode = adds ? StoreMode::add : StoreMode::assign;
  if (has_reduce) mode = mode_of(call.str("reduce"));
  KernelBuilder& b = call.builder();
  b.loop(call.type("index").sizes, [&](Exprs index) {
    b.store(call.out(), target_of(call, index), scattered_value(call, index), mode);
  });
}

constexpr std::string_view kNotYet =
    "this reduction over scattered values is not supported for the dtype";

// The identity of a combination.
Scalar identity_of(KernelBuilder& b, std::string_view reduce, DType dtype) {
  const auto integer = [&](int64_t value) { return b.cast(b.constant(DType::i64, value), dtype); };
  if (reduce == "prod") return integer(1);
  if (reduce == "sum" || reduce == "mean") return integer(0);
  const bool largest = reduce == "amin";
  if (is_floating(dtype)) {
    return b.cast(b.constant(DType::f64, largest ? INFINITY : -INFINITY), dtype);
  }
  if (dtype == DType::bool_) return integer(largest ? 1 : 0);
  const int64_t bits = item_size(dtype) * 8;
  require(is_signed(dtype) || bits < 64, ErrorCode::unsupported, kNotYet.data(), name(dtype));
  const int64_t top = is_signed(dtype) ? (bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1)
                                       : (int64_t{1} << bits) - 1;
  return integer(largest ? top : (is_signed(dtype) ? -top - 1 : 0));
}

// Result 1 counts the writes to each element, for means and for keeping untouched elements.
Types scatter_count_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return {scatter_meta(call), contiguous_type(DType::i64, self.sizes, self.device)};
}

void scatter_count(NestCall& call) {
  KernelBuilder& b = call.builder();
  const std::string_view reduce = call.str("reduce");
  const bool include_self = call.flag("include_self");
  const DType dtype = call.result().dtype;
  b.loop(call.result().sizes, [&](Exprs index) {
    const Scalar start =
        include_self ? b.load(call.in("self"), index) : identity_of(b, reduce, dtype);
    b.store(call.out(0), index, start);
    b.store(call.out(1), index, b.constant(DType::i64, int64_t{include_self ? 1 : 0}));
  });
  if (known_equal(call.type("index").numel(), 0)) return;
  b.loop(call.type("index").sizes, [&](Exprs index) {
    const IndexVector target = target_of(call, index);
    b.store(call.out(0), target, scattered_value(call, index), mode_of(reduce));
    b.store(call.out(1), target, b.constant(DType::i64, int64_t{1}), StoreMode::add);
  });
}

std::vector<ir::Value> finish_reduce(DecomposeCall& call, ir::Value combined, ir::Value count) {
  if (call.str("reduce") == "mean") {
    const ir::Value divisor = call.aten("clamp_min", {count, Expr(1)});
    const bool integers = is_integer(combined.tensor().dtype);
    combined =
        integers
            ? call.aten("div.Tensor_mode", {combined, call.to(divisor, combined.tensor().dtype),
                                            ir::Attribute(std::string("floor"))})
            : call.aten("div.Tensor", {combined, call.to(divisor, combined.tensor().dtype)});
  }
  if (call.flag("include_self")) return {combined};
  const ir::Value touched = call.aten("gt.Scalar", {count, Expr(0)});
  return {call.aten("where.self", {touched, combined, call["self"]})};
}

std::vector<ir::Value> scatter_reduce(DecomposeCall& call) {
  const std::vector<ir::Value> parts =
      call.graph()
          .create("litz.scatter_reduce",
                  {call["self"], call.pass("dim"), call["index"], call["src"], call.pass("reduce"),
                   call.pass("include_self")})
          ->outputs();
  return finish_reduce(call, parts[0], parts[1]);
}

// --- whole slices along one dimension ---

// Requires one slice of self per index in the source.
void require_slices_fit(const Call& call, const TensorType& source, size_t dim) {
  const TensorType& self = call.type("self");
  const TensorType& index = call.type("index");
  require(std::max<size_t>(source.rank(), 1) == std::max<size_t>(self.rank(), 1),
          "the source must have the rank of the input:", source, self);
  for (size_t d = 0; d < std::max<size_t>(self.rank(), 1); ++d) {
    const Expr wanted = d == dim ? index.numel() : size_or_one(self, d);
    call.require_sizes(eq(size_or_one(source, d), wanted),
                       "the source must have one slice of the input per index:", source, self,
                       index);
  }
}

template <IndexTypes types>
TensorType index_slices_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& index = call.type("index");
  require_index(call, "index", types);
  require(index.rank() <= 1, "the index must be a vector, got rank", index.rank());
  require(!call.is_tensor("value") || call.type("value").rank() == 0,
          "a tensor that fills places has no dimensions, got", call.op().name());
  const int64_t dim = call.dim("dim", self.rank());
  if (call.op().schema.find("source") >= 0) {
    require_same_dtype(call, "source");
    require_slices_fit(call, call.type("source"), at(dim));
  }
  return call.op().schema.find("source") >= 0 ? changed_copy(call) : changed_self(call);
}

// The sizes of the written values: self's, with the number of indices along `dim`. A number has one
// place, which is written for every index.
Sizes slice_sizes(NestCall& call) {
  Sizes sizes = call.type("self").sizes;
  if (sizes.empty()) return {call.type("index").numel()};
  sizes[at(call.dim("dim", sizes.size()))] = call.type("index").numel();
  return sizes;
}

Scalar slice_value(NestCall& call, Exprs index) {
  KernelBuilder& b = call.builder();
  const DType dtype = call.result().dtype;
  if (call.op().schema.find("source") >= 0) {
    const TensorType& source = call.type("source");
    const IndexVector place(index.begin(),
                            index.begin() + static_cast<std::ptrdiff_t>(source.rank()));
    Scalar value = b.cast(b.load(call.in("source"), place), dtype);
    if (call.op().schema.find("alpha") < 0) return value;
    const Expr alpha = call.scalar("alpha");
    if (alpha.is(1)) return value;
    const DType compute = compute_dtype(dtype);
    const DType category = alpha.domain() == ExprDomain::real ? DType::f64 : DType::i64;
    return b.cast(b.cast(value, compute) * b.cast(b.index(alpha, category), compute), dtype);
  }
  if (call.is_tensor("value")) {
    return held(b, b.load(call.in("value"), IndexVector()), dtype, call.op().name());
  }
  if (call.is_complex("value")) {
    return b.cast(b.constant(DType::c128, call.complex("value")), dtype);
  }
  const Expr value = call.scalar("value");
  const DType category = value.domain() == ExprDomain::real ? DType::f64 : DType::i64;
  return b.cast(b.index(value, category), dtype);
}

void index_slices(NestCall& call) {
  call.keep_self();
  KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  const bool adds = call.op().name() == "aten.index_add";
  const size_t dim = at(call.dim("dim", self.rank()));
  b.loop(slice_sizes(call), [&](Exprs index) {
    IndexVector place;
    if (call.type("index").rank() == 1) place.push_back(index[dim]);
    const Expr extent = self.rank() == 0 ? Expr(1) : self.sizes[dim];
    const bool wraps = call.op().name() == "aten.index_fill.int_Scalar" ||
                       call.op().name() == "aten.index_fill.int_Tensor";
    const Scalar where_to =
        b.bound_index(b.cast(b.load(call.in("index"), place), DType::i64), extent, wraps,
                      "index of " + std::string(call.op().name()));
    IndexVector target;
    if (self.rank() > 0) target.assign(index.begin(), index.end());
    if (self.rank() > 0) target[dim] = where_to.id();
    b.store(call.out(), target, slice_value(call, index),
            adds ? StoreMode::add : StoreMode::assign);
  });
}

// index_reduce is scatter_reduce with the index repeated over the other dimensions.
std::vector<ir::Value> index_reduce(DecomposeCall& call) {
  const TensorType& self = call.type("self");
  const TensorType& source = call.type("source");
  const int64_t dim = call.dim("dim", self.rank());
  ir::Scalars shape(self.rank(), Expr(1));
  if (self.rank() > 0) shape[at(dim)] = call.type("index").numel();
  const ir::Value shaped = call.aten("reshape", {call["index"], ir::Attribute(shape)});
  const ir::Value index = call.aten("expand", {shaped, ir::Attribute(source.sizes)});
  const std::vector<ir::Value> parts =
      call.graph()
          .create("litz.scatter_reduce", {call["self"], Expr(dim), index, call["source"],
                                          call.pass("reduce"), call.pass("include_self")})
          ->outputs();
  return finish_reduce(call, parts[0], parts[1]);
}

// --- by tensors and masks ---

TensorType index_put_meta(const Call& call) {
  const AdvancedIndex plan = advanced_index(call);
  require_same_dtype(call, "values");
  const TensorType& values = call.type("values");
  const Sizes sizes = plan.result_sizes(call.type("self"));
  constexpr const char* kNotFitting = "index_put: values must broadcast to the indexed shape:";
  require(values.rank() <= sizes.size(), kNotFitting, values);
  const size_t added = sizes.size() - values.rank();
  for (size_t d = 0; d < values.rank(); ++d) {
    call.require_sizes(logical_or(eq(values.sizes[d], 1), eq(values.sizes[d], sizes[added + d])),
                       kNotFitting, values);
  }
  return changed_self(call);
}

std::vector<ir::Value> index_put(DecomposeCall& call) {
  const std::vector<ir::Value> indices = integer_indices(call, {});
  const ir::Value made = call.graph()
                             .create("litz.index_put", {call["self"], indices, call["values"],
                                                        call.pass("accumulate")})
                             ->output();
  // The number of selected elements of a mask is known here.
  const TensorType& values = call.type("values");
  const Sizes sizes = advanced_index(Call(*made.producer())).result_sizes(call.type("self"));
  const auto scope = call.graph().insert_before(made.producer());
  for (size_t d = 0; d < values.rank(); ++d) {
    const Expr size = values.sizes[d];
    const Expr fits = logical_or(eq(size, 1), eq(size, sizes[sizes.size() - values.rank() + d]));
    if (!depends_on_data(fits)) continue;
    call.aten_all("_assert_scalar",
                  {fits, std::string("index_put: values must broadcast to the indexed shape")});
  }
  return {made};
}

void index_put_nest(NestCall& call) {
  call.keep_self();
  KernelBuilder& b = call.builder();
  const AdvancedIndex plan = advanced_index(call);
  const TensorType& values = call.type("values");
  const Sizes sizes = plan.result_sizes(call.type("self"));
  const size_t added = sizes.size() - values.rank();
  // A size that may be 1 may also equal the number of targets, which only a call tells. If it is
  // neither, the call must not read outside the values.
  bool is_told = true;
  for (size_t d = 0; d < values.rank(); ++d) {
    is_told = is_told && (values.sizes[d].is(1) || known_equal(values.sizes[d], sizes[added + d]));
  }
  TensorType expanded_values = expanded(values, std::span(sizes).subspan(added));
  expanded_values.offset = 0;
  b.loop(sizes, [&](Exprs index) {
    IndexVector from;
    for (size_t d = 0; d < values.rank(); ++d) {
      from.emplace_back(is_told && values.sizes[d].is(1) ? Expr(0) : index[added + d]);
    }
    const loops::BufferId given =
        is_told ? call.in("values") : call.in_as("values", expanded_values);
    b.store(call.out(), plan.source(call, "self", index), b.load(given, from),
            call.flag("accumulate") ? StoreMode::add : StoreMode::assign);
  });
}

// put: row-major indices into self.
std::vector<ir::Value> put(DecomposeCall& call) {
  const ir::Argument flat = ir::Attribute(ir::Scalars{Expr(-1)});
  const ir::Value self = call.aten("reshape", {call["self"], flat});
  const ir::Value index = call.aten("reshape", {call["index"], flat});
  const ir::Value source = call.aten("reshape", {call["source"], flat});
  const ir::Value changed = call.aten(
      "index_put", {self, std::vector<ir::Value>{index}, source, call.pass("accumulate")});
  return {call.aten("view", {changed, ir::Attribute(call.result().sizes)})};
}

TensorType put_meta(const Call& call) {
  require_index(call, "index", IndexTypes::i64);
  require_same_dtype(call, "source");
  call.require_sizes(eq(call.type("source").numel(), call.type("index").numel()),
                     "put: source and index must have equally many elements:", call.type("source"),
                     call.type("index"));
  return changed_self(call);
}

TensorType masked_scatter_meta(const Call& call) {
  require(call.type("mask").dtype == DType::bool_, "masked_scatter: the mask must be bool, got",
          name(call.type("mask").dtype));
  require_same_dtype(call, "source");
  const TensorType& self = call.type("self");
  return contiguous_type(self.dtype, broadcast_sizes(self.sizes, call.type("mask").sizes),
                         self.device);
}

// The n-th true element takes the n-th value of the source; a prefix sum of the mask gives n.
std::vector<ir::Value> masked_scatter(DecomposeCall& call) {
  const ir::Argument sizes = ir::Attribute(call.result().sizes);
  const ir::Argument flat = ir::Attribute(ir::Scalars{Expr(-1)});
  const ir::Value self = call.aten("expand", {call["self"], sizes});
  const ir::Value mask = call.aten("expand", {call["mask"], sizes});
  const ir::Value flat_mask = call.aten("reshape", {mask, flat});
  ir::Value source = call.aten("reshape", {call["source"], flat});
  ir::Value positions = call.aten("cumsum", {flat_mask, Expr(0)});
  if (known_less(Expr(0), call.type("source").numel())) {
    positions = call.aten("sub.Scalar", {positions, Expr(1)});
  } else {  // An element in front is there to be taken for nothing.
    source = call.aten("constant_pad_nd", {source, ir::Attribute(ir::Scalars{Expr(1), Expr(0)})});
  }
  // Any valid index will do where nothing is taken.
  const ir::Value safe = call.aten("where.ScalarOther", {flat_mask, positions, Expr(0)});
  const ir::Value taken = call.aten("index.Tensor", {source, std::vector<ir::Value>{safe}});
  const ir::Value shaped = call.aten("view", {taken, sizes});
  return {call.aten("where.self", {mask, shaped, self})};
}

constexpr std::array kAsStridedSample{"(f32[4, 4], f32[2, 2], [2, 2], [4, 1], 1)"sv};
constexpr std::array kDiagonalSample{"(f32[3, 3], f32[3])"sv};
constexpr std::array kSelectSample{"(f32[3, 4], f32[4], 0, -1)"sv};
constexpr std::array kSliceSample{"(f32[5, 3], f32[2, 3], 0, 1, 4, 2)"sv};
constexpr std::array kScatterSample{"(f32[3, 4], 0, i64[2, 4] in [0, 3), f32[2, 4])"sv};
constexpr std::array kScatterValueReduceSample{
    "(f32[3, 5], 1, i64[3, 2] in [0, 5), 2, reduce='multiply')"sv};
constexpr std::array kScatterValueSample{"(f32[3, 4], 0, i64[2, 4] in [0, 3), 1.5)"sv};
constexpr std::array kScatterReduceSample{
    "(f32[3, 4], 0, i64[2, 4] in [0, 3), f32[2, 4], reduce=\"add\")"sv};
constexpr std::array kScatterTwoSample{
    "(f32[3, 4], 0, i64[2, 4] in [0, 3), f32[2, 4], \"mean\")"sv};
constexpr std::array kLitzReduceSample{
    "(f32[3, 4], 0, i64[2, 4] in [0, 3), f32[2, 4], \"amax\", False)"sv};
constexpr std::array kIndexAddSample{"(f32[3, 4], 0, i64[2] in [0, 3), f32[2, 4], alpha=2)"sv};
constexpr std::array kIndexCopySample{"(f32[3, 4], 0, i64[2] in [0, 3), f32[2, 4])"sv};
constexpr std::array kIndexFillSample{"(f32[3, 4], 0, i64[2] in [0, 3), 0.5)"sv};
constexpr std::array kIndexFillTensorSample{"(f32[3, 4], 0, i64[2] in [0, 3), f32[])"sv};
constexpr std::array kIndexReduceSample{"(f32[3, 4], 0, i64[2] in [0, 3), f32[2, 4], \"prod\")"sv};
constexpr std::array kIndexPutSample{"(f32[3, 4], [i64[2] in [0, 3)], f32[2, 4])"sv};
constexpr std::array kPutSample{"(f32[3, 4], i64[2] in [0, 12), f32[2])"sv};
constexpr std::array kMaskedScatterSample{"(f32[3, 4], bool[3, 4], f32[12])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool "
                    "accumulate=False) -> Tensor",
          .doc = "index_put; indices are checked all the same.",
          .meta = index_put_meta,
          .impl = Decompose{index_put},
          .samples = {.calls = kIndexPutSample}},
    OpDef{.schema = "aten.as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] "
                    "stride, SymInt? storage_offset=None) -> Tensor",
          .doc = "Self with src at the given places of its storage.",
          .meta = region_meta<as_strided_region>,
          .impl = LoopNest{scatter_region<as_strided_region>},
          .inplace = true,
          .inplace_name = "litz.as_strided_scatter_",
          .updates_self = true,
          .samples = {.calls = kAsStridedSample}},
    OpDef{.schema = "aten.diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int "
                    "dim2=1) -> Tensor",
          .doc = "Self with src on a diagonal.",
          .meta = region_meta<diagonal_region>,
          .impl = LoopNest{scatter_region<diagonal_region>},
          .inplace = true,
          .inplace_name = "litz.diagonal_scatter_",
          .updates_self = true,
          .samples = {.calls = kDiagonalSample}},
    OpDef{.schema = "aten.index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar "
                    "alpha=1) -> Tensor",
          .doc = "Self plus slices of source times alpha at the indexed places.",
          .meta = index_slices_meta<IndexTypes::i32_i64>,
          .impl = LoopNest{index_slices},
          .inplace = true,
          .updates_self = true,
          .samples = {.calls = kIndexAddSample}},
    OpDef{.schema = "aten.index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
          .doc = "Self with slices of source at the indexed places.",
          .meta = index_slices_meta<IndexTypes::i64>,
          .impl = LoopNest{index_slices},
          .inplace = true,
          .updates_self = true,
          .samples = {.calls = kIndexCopySample}},
    OpDef{.schema = "aten.index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) "
                    "-> Tensor",
          .doc = "Self with a number at the indexed places.",
          .meta = index_slices_meta<IndexTypes::i64>,
          .impl = LoopNest{index_slices},
          .inplace = true,
          .updates_self = true,
          .held = "value",
          .samples = {.calls = kIndexFillSample}},
    OpDef{.schema = "aten.index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) "
                    "-> Tensor",
          .doc = "Self with a number at the indexed places.",
          .meta = index_slices_meta<IndexTypes::i64>,
          .impl = LoopNest{index_slices},
          .inplace = true,
          .updates_self = true,
          .held = "value",
          .samples = {.calls = kIndexFillTensorSample}},
    OpDef{.schema = "aten.index_put(Tensor self, Tensor?[] indices, Tensor values, bool "
                    "accumulate=False) -> Tensor",
          .doc = "Self with values (or plus values) where tensors or masks index.",
          .meta = index_put_meta,
          .impl = Decompose{index_put},
          .inplace = true,
          .samples = {.calls = kIndexPutSample}},
    OpDef{.schema = "aten.index_reduce(Tensor self, int dim, Tensor index, Tensor source, str "
                    "reduce, *, bool include_self=True) -> Tensor",
          .doc = "Slices of source combined into self at the indexed places.",
          .meta = index_slices_meta<IndexTypes::i32_i64>,
          .impl = Decompose{index_reduce},
          .inplace = true,
          .samples = {.calls = kIndexReduceSample}},
    OpDef{.schema = "aten.masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
          .doc = "Self with consecutive values of source where a mask is true.",
          .meta = masked_scatter_meta,
          .impl = Decompose{masked_scatter},
          .inplace = true,
          .samples = {.calls = kMaskedScatterSample}},
    OpDef{.schema = "aten.put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> "
                    "Tensor",
          .doc = "Self with source at row-major positions.",
          .meta = put_meta,
          .impl = Decompose{put},
          .inplace = true,
          .samples = {.calls = kPutSample}},
    OpDef{.schema = "aten.scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str "
                    "reduce) -> Tensor",
          .doc = "Self plus or times src at the indexed places.",
          .meta = scatter_meta,
          .impl = LoopNest{scatter},
          .inplace = true,
          .updates_self = true,
          .samples = {.calls = kScatterReduceSample}},
    OpDef{.schema = "aten.scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
          .doc = "Self with src at the indexed places of a dimension.",
          .meta = scatter_meta,
          .impl = LoopNest{scatter},
          .inplace = true,
          .updates_self = true,
          .samples = {.calls = kScatterSample}},
    OpDef{.schema = "aten.scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> "
                    "Tensor",
          .doc = "Self with a number at the indexed places of a dimension.",
          .meta = scatter_meta,
          .impl = LoopNest{scatter},
          .inplace = true,
          .updates_self = true,
          .held = "value",
          .samples = {.calls = kScatterValueSample}},
    OpDef{.schema = "aten.scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, "
                    "*, str reduce) -> Tensor",
          .doc = "Self plus or times a number at the indexed places.",
          .meta = scatter_meta,
          .impl = LoopNest{scatter},
          .inplace = true,
          .updates_self = true,
          .held = "value",
          .samples = {.calls = kScatterValueReduceSample}},
    OpDef{.schema = "aten.scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
          .doc = "Self plus src at the indexed places of a dimension.",
          .meta = scatter_meta,
          .impl = LoopNest{scatter},
          .inplace = true,
          .updates_self = true,
          .samples = {.calls = kScatterSample}},
    OpDef{.schema = "aten.scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str "
                    "reduce, *, bool include_self=True) -> Tensor",
          .doc = "Src combined into self at the indexed places of a dimension.",
          .meta = scatter_meta,
          .impl = Decompose{scatter_reduce},
          .inplace = true,
          .samples = {.calls = kScatterTwoSample}},
    OpDef{.schema = "aten.select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> "
                    "Tensor",
          .doc = "Self with src at one index of a dimension.",
          .meta = region_meta<select_region>,
          .impl = LoopNest{scatter_region<select_region>},
          .inplace = true,
          .inplace_name = "litz.select_scatter_",
          .updates_self = true,
          .samples = {.calls = kSelectSample}},
    OpDef{.schema = "aten.slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, "
                    "SymInt? end=None, SymInt step=1) -> Tensor",
          .doc = "Self with src in a slice of a dimension.",
          .meta = region_meta<slice_region>,
          .impl = LoopNest{scatter_region<slice_region>},
          .inplace = true,
          .inplace_name = "litz.slice_scatter_",
          .updates_self = true,
          .samples = {.calls = kSliceSample}},
    OpDef{.schema = "litz.index_put(Tensor self, Tensor?[] indices, Tensor values, bool "
                    "accumulate=False) -> Tensor",
          .doc = "index_put by integer tensors only.",
          .meta = index_put_meta,
          .impl = LoopNest{index_put_nest},
          .inplace = true,
          .updates_self = true,
          .samples = {.calls = kIndexPutSample}},
    OpDef{.schema = "litz.scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str "
                    "reduce, bool include_self) -> (Tensor, Tensor)",
          .doc = "Src combined into self (or its identity), and how many values fell on each "
                 "place; means are not divided yet.",
          .meta = scatter_count_meta,
          .impl = LoopNest{scatter_count},
          .samples = {.calls = kLitzReduceSample}},
};

}  // namespace

std::span<const OpDef> scatter_ops() { return kOps; }

}  // namespace litz::ops
