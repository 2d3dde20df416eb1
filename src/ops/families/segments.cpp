// Segments: reducing segments of given lengths, repeating elements by given counts, cutting tensors
// into chunks that are joined piecewise.

#include <array>
#include <limits>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Attribute;
using loops::Exprs;
using loops::ReduceKind;
using loops::Scalar;

// segment_reduce: lengths or offsets are [outer.., segments], data are [outer.., items, inner..].

const TensorType& bounds_of(const Call& call) {
  return call.type(call.has("lengths") ? "lengths" : "offsets");
}

size_t segment_axis(const Call& call) {
  const bool has_lengths = call.has("lengths");
  require(has_lengths != call.has("offsets"),
          "segment_reduce C1: either lengths or offsets must be given");
  require(!call.has("indices"), ErrorCode::unsupported,
          "segment_reduce C2: segments by indices are not supported; give lengths");
  const TensorType& bounds = bounds_of(call);
  require(bounds.rank() >= 1 && bounds.rank() <= call.type("data").rank(),
          "segment_reduce C3: lengths must have the leading dimensions of data:", bounds);
  const size_t axis = bounds.rank() - 1;
  for (size_t d = 0; d < axis; ++d) {
    require(!known_not_equal(bounds.sizes[d], call.type("data").sizes[d]),
            "segment_reduce C3: lengths must have the leading dimensions of data:", bounds);
  }
  require(bounds.dtype == DType::i32 || bounds.dtype == DType::i64,
          "segment_reduce C6: lengths must be int32 or int64:", bounds);
  return axis;
}

TensorType segment_meta(const Call& call) {
  const TensorType& data = call.type("data");
  const size_t axis = segment_axis(call);
  require(is_floating(data.dtype), "segment_reduce C4: data must be floating:", name(data.dtype));
  const bool is_checked = call.has("lengths") && !call.flag("unsafe");
  require(!is_checked || !known_equal(bounds_of(call).numel(), 0),
          "segment_reduce C8: there must be a length:", bounds_of(call));
  require(call.dim("axis", data.rank()) == static_cast<int64_t>(axis),
          "segment_reduce C7: axis must be the last dimension of lengths:", call.integer("axis"),
          axis);
  Sizes sizes = data.sizes;
  sizes[axis] =
      call.has("lengths") ? call.type("lengths").sizes[axis] : call.type("offsets").sizes[axis] - 1;
  return contiguous_type(data.dtype, std::move(sizes), data.device);
}

struct Segment {
  Scalar begin;
  Scalar end;
};

Segment segment_at(const NestCall& call, size_t axis, Exprs i) {
  loops::KernelBuilder& b = call.builder();
  Sizes at(i.begin(), i.begin() + static_cast<ptrdiff_t>(axis) + 1);
  const auto bound = [&](std::string_view name, const Sizes& where) {
    return b.cast(b.load(call.in(name), where), DType::i64);
  };
  if (call.has("offsets")) {
    Sizes next = at;
    next[axis] = next[axis] + 1;
    return {bound("offsets", at), bound("offsets", next)};
  }
  const Expr segments[] = {call.type("lengths").sizes[axis]};
  const auto length = [&](Expr j) {
    Sizes other = at;
    other[axis] = j;
    return bound("lengths", other);
  };
  Scalar begin = b.reduce(ReduceKind::sum, segments, [&](Exprs j) {
    return select(b.index(j[0]) < b.index(at[axis]), length(j[0]), 0);
  });
  Scalar own = length(at[axis]);
  if (!call.flag("unsafe")) {
    const Expr items = call.type("data").sizes[axis];
    own = b.bound_index(own, items + 1, false, "a length of segment_reduce");
    const Scalar total = b.reduce(ReduceKind::sum, segments, [&](Exprs j) { return length(j[0]); });
    begin = begin + b.bound_index(total - b.index(items), 1, false,
                                  "the sum of the lengths of segment_reduce less the items");
  }
  return {begin, begin + own};
}

struct Folding {
  ReduceKind kind;
  double start;  // The start without an initial value.
  bool is_mean = false;
};

Folding folding_of(const Call& call) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::string_view reduce = call.str("reduce");
  if (reduce == "sum") return {ReduceKind::sum, 0};
  if (reduce == "mean") return {ReduceKind::sum, 0, true};
  if (reduce == "prod") return {ReduceKind::prod, 1};
  if (reduce == "max") return {ReduceKind::max, -kInf};
  require(reduce == "min",
          "segment_reduce C5: reduce must be sum, mean, prod, max or min:", reduce);
  return {ReduceKind::min, kInf};
}

Scalar combine(ReduceKind kind, Scalar a, Scalar b) {
  if (kind == ReduceKind::sum) return a + b;
  if (kind == ReduceKind::prod) return a * b;
  return kind == ReduceKind::max ? max(a, b) : min(a, b);
}

void segment_reduce(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const TensorType& out = call.result();
  const size_t axis = segment_axis(call);
  const Folding folding = folding_of(call);
  const DType dtype = compute_dtype(out.dtype);
  const Scalar neutral = b.constant(dtype, folding.start);
  const Expr items[] = {call.type("data").sizes[axis]};
  b.loop(out.sizes, [&](Exprs i) {
    const Segment segment = segment_at(call, axis, i);
    const auto item = [&](Exprs k) {
      Sizes at(i.begin(), i.end());
      at[axis] = k[0];
      const Scalar inside = (segment.begin <= b.index(k[0])) & (b.index(k[0]) < segment.end);
      return select(inside, b.cast(b.load(call.in("data"), at), dtype), neutral);
    };
    const Scalar folded = b.reduce(folding.kind, items, item, loops::OfNothing::infinity);
    const Scalar start = call.has("initial") ? b.constant(dtype, call.real("initial")) : neutral;
    Scalar value = combine(folding.kind, start, folded);
    if (folding.is_mean) {
      const Scalar count = b.cast(segment.end - segment.begin, dtype);
      // The mean of an empty segment is the initial value, or NaN without one.
      value = call.has("initial") ? select(count == 0, value, value / count) : value / count;
    }
    b.store(call.out(), i, b.cast(value, out.dtype));
  });
}

// repeat_interleave with counts from a tensor: the sum of the counts is the length of the result.

Expr repeated_length(const Call& call) {
  if (call.has("output_size")) return call.expr("output_size");
  return call.data_dependent(0, {0, Interval::kMax});
}

TensorType repeats_meta(const Call& call) {
  const TensorType& repeats = call.type("repeats");
  require(repeats.rank() == 1 && is_integer(repeats.dtype),
          "repeat_interleave C1: repeats must be a list of integers:", repeats);
  return contiguous_type(repeats.dtype, {repeated_length(call)}, repeats.device);
}

TensorType repeated_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& repeats = call.type("repeats");
  require(repeats.rank() <= 1 && is_integer(repeats.dtype),
          "repeat_interleave C1: repeats must be integers, one or a list:", repeats);
  require(self.rank() > 0 || !call.has("dim"),
          "repeat_interleave C3: what is repeated along a dimension has it:", self);
  const Expr count = call.has("dim") ? self.sizes[static_cast<size_t>(call.dim("dim", self.rank()))]
                                     : self.numel();
  if (repeats.rank() == 1) {
    call.require_sizes(logical_or(eq(repeats.sizes[0], 1), eq(repeats.sizes[0], count)),
                       "repeat_interleave C2: repeats must be one, or one per element:", repeats,
                       self);
  }
  if (!call.has("dim")) return contiguous_type(self.dtype, {repeated_length(call)}, self.device);
  Sizes sizes = self.sizes;
  sizes[static_cast<size_t>(call.dim("dim", self.rank()))] = repeated_length(call);
  return contiguous_type(self.dtype, std::move(sizes), self.device);
}

std::vector<ir::Value> repeated_nodes(DecomposeCall& call) {
  ir::Value self = call["self"];
  int64_t dim = 0;
  if (call.has("dim")) {
    dim = call.dim("dim", self.tensor().rank());
  } else {
    self = call.aten("reshape", {self, Attribute(ir::Scalars{-1})});
  }
  const Expr count = self.tensor().sizes[static_cast<size_t>(dim)];
  ir::Value repeats = call["repeats"];
  if (repeats.tensor().rank() == 0 || repeats.tensor().sizes[0].is(1)) {
    repeats = call.aten("reshape", {repeats, Attribute(ir::Scalars{1})});
    repeats = call.aten("expand", {repeats, Attribute(Sizes{count})});
  }
  const ir::Value rows = call.to(
      call.aten("repeat_interleave.Tensor", {repeats, call.pass("output_size")}), DType::i64);
  return {call.aten("index_select", {self, Expr(dim), rows})};
}

// _chunk_cat: tensors padded to whole chunks, flattened behind the chunk axis and joined there.

struct Chunked {
  size_t axis = 0;
  Expr chunks;
  std::vector<Expr> padding;  // Per tensor, along the axis.
  std::vector<Sizes> viewed;  // Per tensor.
};

Chunked chunks_of(const Call& call) {
  const std::vector<TensorType> types = call.types("tensors");
  require(!types.empty(), "_chunk_cat C1: a tensor must be given");
  Chunked result;
  result.axis = static_cast<size_t>(call.dim("dim", types[0].rank()));
  result.chunks = call.expr("num_chunks");
  require(!known_less(result.chunks, 1),
          "_chunk_cat C2: num_chunks must be positive:", result.chunks);
  for (const TensorType& type : types) {
    require(type.dtype == types[0].dtype, "_chunk_cat C5: one dtype:", type, types[0]);
    require(result.axis < type.rank(),
            "_chunk_cat C3: every tensor must have the dimension:", type);
    call.require_sizes(ne(type.numel(), 0), "_chunk_cat C4: no tensor is empty:", type);
    const Expr size = type.sizes[result.axis];
    const Expr whole = ceil_div(size, result.chunks) * result.chunks;
    Sizes viewed(type.sizes.begin(), type.sizes.begin() + static_cast<ptrdiff_t>(result.axis));
    Expr rest = ceil_div(size, result.chunks);
    for (size_t d = result.axis + 1; d < type.rank(); ++d) rest = rest * type.sizes[d];
    viewed.push_back(result.chunks);
    viewed.push_back(rest);
    result.padding.push_back(whole - size);
    result.viewed.push_back(std::move(viewed));
  }
  return result;
}

TensorType chunk_cat_meta(const Call& call) {
  const Chunked chunked = chunks_of(call);
  const std::vector<TensorType> types = call.types("tensors");
  Sizes sizes = chunked.viewed[0];
  for (size_t i = 1; i < types.size(); ++i) sizes.back() = sizes.back() + chunked.viewed[i].back();
  return contiguous_type(promoted_dtype(types), std::move(sizes), types[0].device);
}

std::vector<ir::Value> chunk_cat_nodes(DecomposeCall& call) {
  const Chunked chunked = chunks_of(call);
  const std::span<const ir::Value> tensors = call.values("tensors");
  std::vector<ir::Value> parts;
  for (size_t i = 0; i < tensors.size(); ++i) {
    // Pads are pairs, from the last dimension backwards.
    Sizes pads(2 * (tensors[i].tensor().rank() - chunked.axis), Expr(0));
    pads.back() = chunked.padding[i];
    const ir::Value padded = call.aten("constant_pad_nd", {tensors[i], Attribute(pads)});
    parts.push_back(call.aten("reshape", {padded, Attribute(chunked.viewed[i])}));
  }
  return {call.aten("cat", {parts, Expr(static_cast<int64_t>(chunked.axis) + 1)})};
}

constexpr std::string_view kSegmentCalls[] = {
    "(f32[6, 2], 'sum', lengths=i64[3] in [2, 3))",
    "(f32[6], 'max', offsets=i64[3] in [2, 3), initial=1)"};
constexpr std::string_view kRepeatsCalls[] = {"(i64[3] in [2, 3), output_size=6)"};
constexpr std::string_view kRepeatedCalls[] = {"(f32[3, 2], i64[3] in [2, 3), 0, output_size=6)",
                                               "(f32[3], i64[] in [2, 3), output_size=6)"};
constexpr std::string_view kChunkCalls[] = {"([f32[3, 2], f32[5, 1]], 0, 2)"};

constexpr std::array kOps{
    OpDef{.schema = "aten._chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor",
          .doc = "Tensors padded to num_chunks equal chunks along dim, joined chunk by chunk.\n"
                 "C1: a tensor is given. C2: num_chunks is positive. C3: every tensor has dim.",
          .meta = chunk_cat_meta,
          .impl = Decompose{chunk_cat_nodes},
          .samples = {.calls = kChunkCalls}},
    OpDef{.schema = "aten.repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> "
                    "Tensor",
          .doc = "Each position as often as its entry says.\nC1: repeats is a list of integers.",
          .meta = repeats_meta,
          .impl = Library{"repeat_interleave"},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kRepeatsCalls}},
    OpDef{.schema = "aten.repeat_interleave.self_Tensor(Tensor self, Tensor repeats, "
                    "int? dim=None, *, SymInt? output_size=None) -> Tensor",
          .doc =
              "Each element along dim as often as repeats says; without dim, of self flattened.\n"
              "C1: repeats holds integers.",
          .meta = repeated_meta,
          .impl = Decompose{repeated_nodes},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kRepeatedCalls}},
    OpDef{.schema = "aten.segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, "
                    "Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, "
                    "Scalar? initial=None) -> Tensor",
          .doc = "Reduces runs of data of the given lengths.\n"
                 "C1: lengths or offsets are given. C2: indices are not. C3: lengths have the "
                 "leading dimensions of data. C4: data is floating. C5: reduce is sum, mean, prod, "
                 "max or min. C6: lengths are int32 or int64. C7: axis is their last dimension. "
                 "C8: there is one.",
          .meta = segment_meta,
          .impl = LoopNest{segment_reduce},
          .samples = {.calls = kSegmentCalls}},
};

}  // namespace

std::span<const OpDef> segment_ops() { return kOps; }

}  // namespace litz::ops
