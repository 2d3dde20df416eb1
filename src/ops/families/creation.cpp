// New tensors: constants, ranges, identity matrices, index lists of triangles.
//
// "Empty" tensors are filled with zeros, so that a program that reads them is reproducible.

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/held_numbers.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Scalar;

// Types.

TensorType new_type(const Call& call, DType default_dtype, Sizes sizes) {
  return contiguous_type(call.dtype().value_or(default_dtype), std::move(sizes),
                         call.device().value_or(Device{}));
}

TensorType factory_meta(const Call& call) { return new_type(call, DType::f32, call.sizes("size")); }

TensorType empty_meta(const Call& call) {
  TensorType type = factory_meta(call);
  const MemoryFormat format = call.memory_format().value_or(MemoryFormat::contiguous);
  type.strides = strides_for(format, type.sizes);
  return type;
}

TensorType permuted_meta(const Call& call) {
  TensorType type = factory_meta(call);
  const std::vector<int64_t> order =
      call.dims("physical_layout", type.rank(), Call::WhenEmpty::none);
  require(std::ranges::none_of(call.integers("physical_layout"), [](int64_t d) { return d < 0; }),
          "a layout counts dimensions from the first:", call.op().name());
  require(order.size() == type.rank(), "a layout names every dimension once:", order.size(),
          type.rank());
  type.strides = strides_in_order(type.sizes, order);
  return type;
}

TensorType strided_meta(const Call& call) {
  TensorType type = call.op().schema.find("self") >= 0
                        ? new_type(call, call.type("self").dtype, call.sizes("size"))
                        : factory_meta(call);
  type.strides = call.sizes("stride");
  require(type.strides.size() == type.sizes.size(),
          "empty_strided C1: sizes and strides must be as many:", type.sizes.size(),
          type.strides.size());
  const bool is_empty = std::ranges::any_of(type.sizes, [](Expr size) { return size.is(0); });
  for (size_t d = type.rank(); d-- > 0;) {
    Expr& stride = type.strides[d];
    const std::optional<int64_t> number = stride.maybe_constant();
    if (number && *number < 0 && (is_empty || type.sizes[d].is(1))) {
      // PyTorch takes the stride of a contiguous tensor where none of the elements needs another.
      stride =
          d + 1 == type.rank() ? Expr(1) : max(type.sizes[d + 1], Expr(1)) * type.strides[d + 1];
      continue;
    }
    call.require_sizes(le(Expr(0), stride),
                       "empty_strided C2: strides must not be negative:", stride);
  }
  return type;
}

// The default dtype of a literal.
DType inferred_dtype(DTypeCategory category) {
  switch (category) {
    case DTypeCategory::bool_:
      return DType::bool_;
    case DTypeCategory::integer:
      return DType::i64;
    case DTypeCategory::floating:
      return DType::f32;
    case DTypeCategory::complex:
      return DType::c64;
  }
  return DType::f32;
}

TensorType full_meta(const Call& call) {
  return new_type(call, inferred_dtype(call.scalar_category("fill_value")), call.sizes("size"));
}

TensorType like_meta(const Call& call) {
  const TensorType& self = call.type("self");
  TensorType type = preserved_type(call.dtype().value_or(self.dtype), self, call.memory_format());
  type.device = call.device().value_or(self.device);
  return type;
}

TensorType new_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return contiguous_type(call.dtype().value_or(self.dtype), call.sizes("size"),
                         call.device().value_or(self.device));
}

TensorType scalar_tensor_meta(const Call& call) { return new_type(call, DType::f32, {}); }

TensorType typed_scalar_meta(const Call& call) {
  switch (call.scalar_category("s")) {
    case DTypeCategory::bool_:
      return new_type(call, DType::bool_, {});
    case DTypeCategory::integer:
      return new_type(call, DType::i64, {});
    case DTypeCategory::complex:
      return new_type(call, DType::c64, {});
    default:
      return new_type(call, DType::f32, {});
  }
}

// Constants.

Scalar zero(const PointwiseCall& call) { return call.constant(0); }

Scalar one(const PointwiseCall& call) { return call.constant(1); }

Scalar fill_value(const PointwiseCall& call) { return call["fill_value"]; }

Scalar scalar_value(const PointwiseCall& call) { return call["s"]; }

// Ranges.

struct Range {
  Expr start = 0;
  Expr end;
  Expr step = 1;
};

Range range_of(const Call& call) {
  Range range;
  if (call.has("start")) range.start = call.expr("start");
  range.end = call.expr("end");
  if (call.has("step")) range.step = call.expr("step");
  return range;
}

bool is_real(Expr value) { return value.domain() == ExprDomain::real; }

Expr as_real(Expr value) {
  if (is_real(value)) return value;
  const Expr operands[] = {value};
  return apply(ExprKind::to_real, operands);
}

Expr truncated(Expr value) {
  if (!is_real(value)) return value;
  const Expr operands[] = {value};
  return apply(ExprKind::trunc_to_int, operands);
}

// Integers start at the truncated bound and advance by the truncated step, although the original
// bounds determine their number.
Range range_for(const Call& call, DType dtype) {
  const Range range = range_of(call);
  if (!is_integer(dtype)) return range;
  return {truncated(range.start), range.end, truncated(range.step)};
}

Expr range_length(const Range& range) {
  if (!is_real(range.start) && !is_real(range.end) && !is_real(range.step)) {
    return ceil_div(range.end - range.start, range.step);
  }
  const Expr quotient[] = {as_real(range.end) - as_real(range.start), as_real(range.step)};
  const Expr length[] = {apply(ExprKind::true_div, quotient)};
  return apply(ExprKind::ceil_to_int, length);
}

// True if constant bounds contradict the sign of the step. A partial step rounds to a length of 0.
bool goes_away(const Range& range) {
  if (!range.start.is_constant() || !range.end.is_constant() || !range.step.is_constant()) {
    return false;
  }
  const auto real = [](Expr x) {
    return is_real(x) ? x.real_constant() : static_cast<double>(x.constant());
  };
  return (real(range.end) - real(range.start)) * real(range.step) < 0;
}

TensorType arange_meta(const Call& call) {
  const Range given = range_of(call);
  const bool is_floating = is_real(given.start) || is_real(given.end) || is_real(given.step);
  const DType dtype = call.dtype().value_or(is_floating ? DType::f32 : DType::i64);
  require(is_real(given.step) || !known_equal(given.step, 0), "arange C1: the step must not be 0");
  require(!is_real(given.step) || !given.step.is_constant() ||
              std::isfinite(given.step.real_constant()),
          "arange C1: the step must be finite:", given.step);
  const Expr length = range_length(given);
  require(!goes_away(given), "arange C2: the bounds must fit the sign of the step:", given.start,
          given.end, given.step);
  call.require_sizes(le(Expr(0), length),
                     "arange C2: the bounds must fit the sign of the step:", given.start, given.end,
                     given.step);
  return contiguous_type(dtype, {length}, call.device().value_or(Device{}));
}

Scalar arange(const PointwiseCall& call) {
  loops::KernelBuilder& b = call.builder();
  const Range range = range_for(call, call.result());
  const Expr i = call.indices()[0];
  if (!is_real(range.start) && !is_real(range.step)) return b.index(range.start + i * range.step);
  const auto value = [&](Expr x) {
    return x.is_constant() && is_real(x) ? b.constant(DType::f64, x.real_constant())
                                         : b.index(as_real(x), DType::f64);
  };
  return value(range.start) + b.cast(b.index(i), DType::f64) * value(range.step);
}

// `range`, which PyTorch keeps beside arange, includes its end and is floating by default.
std::vector<ir::Value> closed_range(DecomposeCall& call) {
  const DType dtype = call.dtype().value_or(DType::f32);
  const bool is_whole = !is_floating(dtype);
  // Ranges of integers cut the fractions of their numbers off.
  const auto number = [&](const char* name) {
    const double value = call.real(name);
    require(!is_whole || std::abs(value) < 0x1p63,
            "range C2: the numbers of a range of integers must be representable:", value);
    return is_whole ? std::trunc(value) : value;
  };
  const auto literal = [&](double value) {
    return is_whole ? Expr(static_cast<int64_t>(value)) : Expr::real(value);
  };
  const double start = number("start");
  const double end = number("end");
  const double step = call.has("step") ? number("step") : 1;
  const double count = std::floor((end - start) / step + 1);
  require(step != 0 && std::isfinite(step) && count >= 1,
          "range C1: the step must lead from start to end:", start, end, step);
  const ir::Value positions = call.aten("arange", {Expr(static_cast<int64_t>(count)),
                                                   is_whole ? DType::i64 : DType::f64,
                                                   {},
                                                   call.pass("device")});
  const ir::Value steps = call.aten("mul.Scalar", {positions, literal(step)});
  return {call.to(call.aten("add.Scalar", {steps, literal(start)}), dtype)};
}

// The sizes of a tensor as a tensor.
std::vector<ir::Value> shape_tensor(DecomposeCall& call) {
  const Sizes& sizes = call.type("self").sizes;
  if (sizes.empty()) return {call.aten("empty.memory_format", {ir::Scalars{Expr(0)}, DType::i64})};
  std::vector<ir::Value> entries;
  for (const Expr& size : sizes) {
    entries.push_back(call.aten("full", {ir::Scalars{Expr(1)}, size, DType::i64}));
  }
  return {call.aten("cat", {entries})};
}

std::vector<ir::Value> positions_along(DecomposeCall& call) {
  const TensorType& like = call.type("like");
  const auto dim = static_cast<size_t>(call.dim("dim", like.rank()));
  return {call.aten("arange", {like.sizes[dim], DType::i64, {}, ir::Attribute(like.device)})};
}

// linspace and logspace. Both halves count from their own end, so both ends are exact.

bool is_logarithmic(const Call& call) { return call.op().schema.find("base") >= 0; }

// One step fills its element with the start, or with the power of it; no step converts nothing.
void require_bounds(const Call& call, const TensorType& type) {
  if (type.sizes[0].is(0)) return;
  if (!type.sizes[0].is(1)) return require_all_held(call, "start end", type.dtype);
  if (!is_logarithmic(call)) require_all_filled(call, "start", type);
}

TensorType spaced_meta(const Call& call) {
  const Expr steps = call.expr("steps");
  require(!known_less(steps, 0), "linspace C1: steps must not be negative:", steps);
  bool complex = false;
  for (const char* name : {"start", "end"}) {
    complex = complex ||
              (call.is_tensor(name) ? is_complex(call.type(name).dtype) : call.is_complex(name));
    require(!call.is_tensor(name) || call.type(name).rank() == 0,
            "linspace C2: bounds must be numbers or rank-0 tensors");
  }
  TensorType type = new_type(call, complex ? DType::c64 : DType::f32, {steps});
  require(!complex || is_complex(type.dtype),
          "linspace C3: the numbers between complex bounds must be complex:", name(type.dtype));
  require_bounds(call, type);
  return type;
}

Scalar spaced(const PointwiseCall& call) {
  loops::KernelBuilder& b = call.builder();
  const DType result = call.result();
  const bool is_whole = !is_floating(result) && !is_complex(result);
  const DType dtype = is_whole ? DType::f64 : compute_dtype(result);
  // Bounds are first rounded to the dtype of the result.
  const Scalar start = b.cast(call.as("start", result), dtype);
  const Scalar end = b.cast(call.as("end", result), dtype);
  const Expr steps = call.expr("steps");
  if (steps.is(1)) return start;
  const Scalar last = b.index(steps - 1);
  const Scalar step = (end - start) / b.cast(last, dtype);
  const Scalar i = b.index(call.indices()[0]);
  const Scalar from_start = start + step * b.cast(i, dtype);
  const Scalar from_end = end - step * b.cast(last - i, dtype);
  return select(i < b.index(floor_div(steps, 2)), from_start, from_end);
}

// The power of the start, which is not rounded first.
Scalar single_power(const PointwiseCall& call) {
  loops::KernelBuilder& b = call.builder();
  const DType result = call.result();
  const bool complex =
      call.is_tensor("start") ? is_complex(call.type("start").dtype) : call.is_complex("start");
  const DType wide = complex ? DType::c128 : DType::f64;
  const Scalar power =
      pow(b.constant(wide, call.real("base")), b.cast(call.as("start", wide), wide));
  const bool is_small = is_floating(result) && item_size(result) < 4;
  return is_small ? power : held(b, power, result, call.op().name());
}

Scalar log_spaced(const PointwiseCall& call) {
  if (call.expr("steps").is(1)) return single_power(call);
  const Scalar exponent = spaced(call);
  return pow(call.builder().constant(exponent.dtype(), call.real("base")), exponent);
}

// Matrices.

TensorType eye_meta(const Call& call) {
  const Expr rows = call.expr("n");
  return new_type(call, DType::f32, {rows, call.has("m") ? call.expr("m") : rows});
}

Scalar eye(const PointwiseCall& call) {
  loops::KernelBuilder& b = call.builder();
  return b.index(call.indices()[0]) == b.index(call.indices()[1]);
}

// The columns of a row in a triangle: the first one, and their number.
struct RowSpan {
  Expr first;
  Expr count;
};

RowSpan lower_row(Expr row, Expr columns, Expr offset) {
  return {0, max(min(row + offset + 1, columns), 0)};
}

RowSpan upper_row(Expr row, Expr columns, Expr offset) {
  const Expr first = min(max(row + offset, 0), columns);
  return {first, columns - first};
}

template <RowSpan (*kRow)(Expr, Expr, Expr)>
TensorType triangle_meta(const Call& call) {
  const int64_t rows = call.integer("row");
  require(rows >= 0 && call.integer("col") >= 0,
          "tril_indices C1: sizes must not be negative:", rows, call.integer("col"));
  Expr count = 0;
  for (int64_t row = 0; row < rows; ++row) {
    count = count + kRow(row, call.integer("col"), call.integer("offset")).count;
  }
  return new_type(call, DType::i64, {2, count});
}

// Lists rows in order, each after the pairs of earlier rows.
template <RowSpan (*kRow)(Expr, Expr, Expr)>
void triangle(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const DType dtype = call.result().dtype;
  const Expr columns = call.integer("col");
  const Scalar begin[] = {b.constant(DType::i64, int64_t{0})};
  b.carry(call.integer("row"), begin, [&](Expr row, std::span<const Scalar> carried) {
    const RowSpan span = kRow(row, columns, call.integer("offset"));
    const Expr extents[] = {columns};
    b.loop(extents, [&](loops::Exprs i) {
      const Scalar column = b.index(i[0]);
      const Scalar inside =
          (b.index(span.first) <= column) & (column < b.index(span.first + span.count));
      const Scalar at = carried[0] + b.index(i[0] - span.first);
      b.store_if(inside, call.out(), {Expr(0), at.id()}, b.cast(b.index(row), dtype));
      b.store_if(inside, call.out(), {Expr(1), at.id()}, b.cast(column, dtype));
    });
    return std::vector<Scalar>{carried[0] + b.index(span.count)};
  });
}

constexpr OpDef constant(ir::SchemaText schema, std::string_view doc, Meta meta,
                         Scalar (*body)(const PointwiseCall&),
                         std::span<const std::string_view> calls,
                         std::string_view fills_with = {}) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Pointwise{body},
          .held = "fill_value s",
          .fills_with = fills_with,
          .samples = {.calls = calls}};
}

constexpr std::string_view kSizeCalls[] = {"([2, 3])", "([], dtype=i64)", "([s0, 4], dtype=bf16)"};
constexpr std::string_view kPermutedCalls[] = {"([2, 3, 4], [1, 0, 2])"};
constexpr std::string_view kStridedCalls[] = {"([2, 3], [1, 2])"};
constexpr std::string_view kNewStridedCalls[] = {"(f32[4], [2, 3], [1, 2])"};
constexpr std::string_view kFullCalls[] = {"([2, 3], 1.5)", "([2], 7)", "([2], True)",
                                           "([s0], s0, dtype=f32)"};
constexpr std::string_view kFullNamesCalls[] = {"([2, 3], 1.5, names=None)"};
constexpr std::string_view kFullLikeCalls[] = {"(f32[2, 3], 1.5)",
                                               "(f32[2, 3]{1, 2}, 2, dtype=i64)"};
constexpr std::string_view kLikeCalls[] = {"(f32[2, 3])", "(f32[2, 3]{1, 2}, dtype=i64)",
                                           "(f32[1, 2, 3, 4], memory_format=channels_last)"};
constexpr std::string_view kNewCalls[] = {"(f32[2], [2, 3])", "(f32[2], [3], dtype=i64)"};
constexpr std::string_view kNewFullCalls[] = {"(f32[2], [2, 3], 2)"};
constexpr std::string_view kScalarCalls[] = {"(2.5)", "(3, dtype=i64)"};
constexpr std::string_view kArangeCalls[] = {"(5)", "(s0)", "(2.5)"};
constexpr std::string_view kArangeStartCalls[] = {"(2, 7)", "(1, s0, dtype=f32)"};
constexpr std::string_view kArangeStepCalls[] = {"(0, 10, 3)", "(5, 0, -2)", "(0, 1, 0.25)"};
constexpr std::string_view kSpacedCalls[] = {"(0, 10, 5)", "(-1.5, 2, 4, dtype=f64)",
                                             "(0, 7, 3, dtype=i64)", "(3, 4, 1)"};
constexpr std::string_view kSpacedTensorCalls[] = {"(f32[], f32[], 5)"};
constexpr std::string_view kSpacedLeftCalls[] = {"(f32[], 2, 5)"};
constexpr std::string_view kSpacedRightCalls[] = {"(2, f32[], 5)"};
constexpr std::string_view kEyeCalls[] = {"(3)", "(s0, dtype=i64)"};
constexpr std::string_view kEyeRectangleCalls[] = {"(2, 3)"};
constexpr std::string_view kTriangleCalls[] = {"(3, 4)", "(4, 3, -1)", "(3, 3, 1, dtype=i32)"};

constexpr std::string_view kDimCalls[] = {"(f32[2, s0], 1)"};
constexpr std::string_view kShapeCalls[] = {"(f32[2, s0])", "(f32[])"};
constexpr std::string_view kClosedCalls[] = {"(1, 4)"};
constexpr std::string_view kClosedStepCalls[] = {"(1, 2, 0.1)", "(5, 0, -2, dtype=i64)"};

constexpr std::string_view kClosedDoc =
    "start, start + step, ... to end.\nC1: the step leads from start to end. C2: numbers of "
    "integer "
    "ranges are representable.";
constexpr std::string_view kEmptyDoc = "A tensor of zeros, where PyTorch leaves values undefined.";
constexpr std::string_view kSpacedDoc =
    "steps values from start to end, both included.\n"
    "C1: steps is not negative. C2: bounds are single numbers. C3: between complex bounds the "
    "numbers are complex.";
constexpr std::string_view kLogDoc = "base to the powers of linspace.";
constexpr std::string_view kRangeDoc =
    "start, start + step, ... below end.\nC1: the step is not 0. C2: it leads from start to end.";

constexpr std::array kOps{
    composite("aten._dim_arange(Tensor like, int dim) -> Tensor",
              "0, 1, ... along a dimension of a tensor.", positions_along, {.calls = kDimCalls}),
    composite("aten._shape_as_tensor(Tensor self) -> Tensor", "The sizes of self.", shape_tensor,
              {.calls = kShapeCalls}),
    constant("aten.arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None) -> Tensor",
             kRangeDoc, arange_meta, arange, kArangeCalls),
    constant("aten.arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
             kRangeDoc, arange_meta, arange, kArangeStartCalls),
    constant("aten.arange.start_step(Scalar start, Scalar end, Scalar step=1, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kRangeDoc, arange_meta, arange, kArangeStepCalls),
    constant("aten.empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
             "MemoryFormat? memory_format=None) -> Tensor",
             kEmptyDoc, empty_meta, zero, kSizeCalls),
    constant("aten.empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> "
             "Tensor",
             kEmptyDoc, like_meta, zero, kLikeCalls),
    constant("aten.empty_permuted(SymInt[] size, int[] physical_layout, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kEmptyDoc, permuted_meta, zero, kPermutedCalls),
    constant("aten.empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
             kEmptyDoc, strided_meta, zero, kStridedCalls),
    constant("aten.eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None) -> Tensor",
             "The identity matrix.", eye_meta, eye, kEyeCalls),
    constant("aten.eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None) -> Tensor",
             "Ones on the main diagonal of an n by m matrix.", eye_meta, eye, kEyeRectangleCalls),
    constant("aten.full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
             "A tensor of one value; without dtype, that of the value.", full_meta, fill_value,
             kFullCalls, "fill_value"),
    constant("aten.full.names(int[] size, Scalar fill_value, *, str[]? names, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             "A tensor of one value; names are ignored.", full_meta, fill_value, kFullNamesCalls,
             "fill_value"),
    constant("aten.full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
             "MemoryFormat? memory_format=None) -> Tensor",
             "One value in the shape of self.", like_meta, fill_value, kFullLikeCalls,
             "fill_value"),
    constant("aten.linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
             kSpacedDoc, spaced_meta, spaced, kSpacedCalls),
    constant("aten.linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kSpacedDoc, spaced_meta, spaced, kSpacedRightCalls),
    constant("aten.linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kSpacedDoc, spaced_meta, spaced, kSpacedLeftCalls),
    constant("aten.linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kSpacedDoc, spaced_meta, spaced, kSpacedTensorCalls),
    constant("aten.logspace(Scalar start, Scalar end, int steps, float base=10.0, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kLogDoc, spaced_meta, log_spaced, kSpacedCalls),
    constant("aten.logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, "
             "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kLogDoc, spaced_meta, log_spaced, kSpacedRightCalls),
    constant("aten.logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, "
             "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kLogDoc, spaced_meta, log_spaced, kSpacedLeftCalls),
    constant("aten.logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, "
             "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kLogDoc, spaced_meta, log_spaced, kSpacedTensorCalls),
    constant("aten.new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
             kEmptyDoc, new_meta, zero, kNewCalls),
    constant("aten.new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             kEmptyDoc, strided_meta, zero, kNewStridedCalls),
    constant("aten.new_full(Tensor self, SymInt[] size, Scalar fill_value, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor",
             "One value in the dtype of self.", new_meta, fill_value, kNewFullCalls, "fill_value"),
    constant("aten.new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
             "Ones in the dtype of self.", new_meta, one, kNewCalls, "1"),
    constant("aten.new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
             "Zeros in the dtype of self.", new_meta, zero, kNewCalls, "0"),
    constant("aten.ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None) -> Tensor",
             "A tensor of ones.", factory_meta, one, kSizeCalls, "1"),
    constant("aten.ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> "
             "Tensor",
             "Ones in the shape of self.", like_meta, one, kLikeCalls, "1"),
    composite("aten.range(Scalar start, Scalar end, *, ScalarType? dtype=None, "
              "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kClosedDoc, closed_range, {.calls = kClosedCalls}),
    composite("aten.range.step(Scalar start, Scalar end, Scalar step=1, *, "
              "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
              "bool? pin_memory=None) -> Tensor",
              kClosedDoc, closed_range, {.calls = kClosedStepCalls}),
    constant("aten.scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None) -> Tensor",
             "A number as a rank-0 tensor, f32 unless told otherwise.", scalar_tensor_meta,
             scalar_value, kScalarCalls, "s"),
    OpDef{.schema = "aten.tril_indices(int row, int col, int offset=0, *, "
                    "ScalarType? dtype=int64, Layout? layout=None, Device? device=None, "
                    "bool? pin_memory=None) -> Tensor",
          .doc = "Rows and columns of the lower triangle, row by row.",
          .meta = triangle_meta<lower_row>,
          .impl = LoopNest{triangle<lower_row>},
          .samples = {.calls = kTriangleCalls}},
    OpDef{.schema = "aten.triu_indices(int row, int col, int offset=0, *, "
                    "ScalarType? dtype=int64, Layout? layout=None, Device? device=None, "
                    "bool? pin_memory=None) -> Tensor",
          .doc = "Rows and columns of the upper triangle, row by row.",
          .meta = triangle_meta<upper_row>,
          .impl = LoopNest{triangle<upper_row>},
          .samples = {.calls = kTriangleCalls}},
    constant("aten.zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None) -> Tensor",
             "A tensor of zeros.", factory_meta, zero, kSizeCalls, "0"),
    constant("aten.zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> "
             "Tensor",
             "Zeros in the shape of self.", like_meta, zero, kLikeCalls, "0"),
    constant("prims.scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> "
             "Tensor",
             "A number as a rank-0 tensor, in the dtype of its kind unless told otherwise.",
             typed_scalar_meta, scalar_value, kScalarCalls, "s"),
};

}  // namespace

std::span<const OpDef> creation_ops() { return kOps; }

}  // namespace litz::ops
