// Indexing under a mask, a fixed number of non-zero positions, one-hot codes.

#include <array>

#include "ops/bodies.h"
#include "ops/families/advanced_index.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;
using ir::Attribute;
using loops::Exprs;
using loops::Scalar;

Types types_of(const Call& call, std::string_view name, const std::vector<Argument>& arguments) {
  const ir::OpInfo* op = call.module().ops().find(name);
  check(op != nullptr, "an operator that others are defined by must exist:", name);
  return definition(*op).meta(Call(*op, arguments, call.context()));
}

// Indices are arbitrary where the mask is false, so all are first clamped into range.
Argument clamped_indices(DecomposeCall& call) {
  const TensorType& self = call.type("self");
  const std::span<const ir::Value> indices = call.values("indices");
  std::vector<ir::Value> clamped(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i]) continue;
    const Expr size = self.sizes[i];
    clamped[i] = call.aten("clamp", {indices[i], Expr(0) - size, size - 1});
  }
  return clamped;
}

TensorType masked_index_meta(const Call& call) {
  require_plain_indices(call);
  const Types indexed =
      types_of(call, "aten.index.Tensor", {call.argument("self"), call.argument("indices")});
  const TensorType& type = std::get<TensorType>(indexed[0]);
  return contiguous_type(type.dtype, broadcast_sizes(type.sizes, call.type("mask").sizes),
                         type.device);
}

std::vector<ir::Value> masked_index_nodes(DecomposeCall& call) {
  if (known_equal(call.type("self").numel(), 0)) {
    return {
        call.aten("new_full", {call["self"], Attribute(call.result().sizes), call.pass("fill")})};
  }
  const ir::Value found = call.aten("index.Tensor", {call["self"], clamped_indices(call)});
  const ir::Value outside = call.aten("logical_not", {call["mask"]});
  return {call.aten("masked_fill.Scalar", {found, outside, call.pass("fill")})};
}

TensorType masked_put_meta(const Call& call) {
  require_plain_indices(call);
  const TensorType& self = call.type("self");
  require(call.values("indices").size() <= self.rank(),
          "_unsafe_masked_index C2: there are no more indices than dimensions:",
          call.values("indices").size(), self);
  return preserved_type(self.dtype, self, std::nullopt);
}

std::vector<ir::Value> masked_put_nodes(DecomposeCall& call) {
  if (known_equal(call.type("self").numel(), 0)) return {call.aten("clone", {call["self"]})};
  const ir::Value outside = call.aten("logical_not", {call["mask"]});
  const ir::Value values = call.aten("masked_fill.Scalar", {call["values"], outside, Expr(0)});
  return {
      call.aten("index_put", {call["self"], clamped_indices(call), values, Expr::boolean(true)})};
}

// An alias of index_put.

TensorType index_put_meta(const Call& call) {
  const Types types = types_of(call, "aten.index_put",
                               {call.argument("self"), call.argument("indices"),
                                call.argument("values"), call.argument("accumulate")});
  return std::get<TensorType>(types[0]);
}

std::vector<ir::Value> index_put_nodes(DecomposeCall& call) {
  return {call.aten("index_put",
                    {call["self"], call.pass("indices"), call["values"], call.pass("accumulate")})};
}

// nonzero with the existing symbol for the call's count.
ir::Value positions_of(DecomposeCall& call, ir::Value mask) {
  const Expr count = call.result().sizes[0];
  const auto rank = static_cast<int64_t>(mask.tensor().rank());
  TensorType type = contiguous_type(DType::i64, {count, rank}, mask.tensor().device);
  type.strides = {1, count};
  return call.graph()
      .create_typed(*call.module().ops().find("aten.nonzero"), {mask}, {type})
      ->output();
}

// where(condition): one index list per dimension.

Types positions_meta(const Call& call) {
  const TensorType& self = call.type(call.op().schema.arguments[0].name);
  const Expr count = call.data_dependent(0, {0, Interval::kMax});
  const size_t rank = std::max<size_t>(self.rank(), 1);
  return Types(rank, contiguous_type(DType::i64, {count}, self.device));
}

std::vector<ir::Value> positions_nodes(DecomposeCall& call) {
  ir::Value self = call[call.op().schema.arguments[0].name];
  if (self.tensor().rank() == 0) self = call.aten("unsqueeze", {self, Expr(0)});
  const ir::Value positions = positions_of(call, self);
  std::vector<ir::Value> lists;
  for (size_t d = 0; d < self.tensor().rank(); ++d) {
    lists.push_back(call.aten("select.int", {positions, Expr(1), Expr(static_cast<int64_t>(d))}));
  }
  return lists;
}

// nonzero_static: positions in row-major order; the rest is filled.

TensorType nonzero_static_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const Expr size = call.expr("size");
  require(!known_less(size, 0), "nonzero_static C1: the size must not be negative:", size);
  return contiguous_type(DType::i64, {size, static_cast<int64_t>(self.rank())}, self.device);
}

void nonzero_static(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  const TensorType& out = call.result();
  b.loop(out.sizes, [&](Exprs i) {
    b.store(call.out(), i, b.constant(DType::i64, call.integer("fill_value")));
  });
  if (self.rank() == 0 || known_equal(self.numel(), Expr(0))) return;
  const Sizes steps = contiguous_strides(self.sizes);
  const Scalar none[] = {b.constant(DType::i64, int64_t{0})};
  const auto place = [&](Expr n) {
    Sizes at;
    for (size_t d = 0; d < self.rank(); ++d)
      at.push_back(mod(floor_div(n, steps[d]), self.sizes[d]));
    return at;
  };
  const auto is_set = [&](Expr n) {
    return b.cast(b.load(call.in("self"), place(n)), DType::bool_);
  };
  using Scalars = std::span<const Scalar>;
  b.scan(
      self.numel(), none,
      [&](Expr n) -> loops::KernelBuilder::Tuple { return {b.cast(is_set(n), DType::i64)}; },
      [](Scalars x, Scalars y) -> loops::KernelBuilder::Tuple { return {x[0] + y[0]}; },
      [&](Expr n, Scalars found) {
        const Scalar row = found[0] - 1;
        const Scalar fits = is_set(n) & (row < b.index(out.sizes[0]));
        const Sizes at = place(n);
        for (size_t d = 0; d < self.rank(); ++d) {
          b.store_if(fits, call.out(), {row.id(), Expr(static_cast<int64_t>(d))}, b.index(at[d]));
        }
      });
}

// combinations: tuples of ascending positions are the non-zeros of a mask over a grid.

TensorType combinations_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 1, "combinations C1: self must be a list:", self);
  const int64_t length = call.integer("r");
  constexpr int64_t kMostDimensions = 64;  // Limits the rank of the mask.
  require(length >= 0 && length <= kMostDimensions,
          "combinations C2: r must not be negative, nor above 64:", length);
  if (length == 0) return contiguous_type(self.dtype, {Expr(0)}, self.device);
  return contiguous_type(self.dtype, {call.data_dependent(0, {0, Interval::kMax}), length},
                         self.device);
}

std::vector<ir::Value> combinations_nodes(DecomposeCall& call) {
  const auto length = static_cast<size_t>(call.integer("r"));
  if (length == 0) return {call.aten("zeros", {ir::Scalars{Expr(0)}, call.type("self").dtype})};
  const ir::Value positions = call.aten("arange", {call.type("self").sizes[0]});
  const std::vector<ir::Value> grids = call.aten_all(
      "meshgrid.indexing", {std::vector<ir::Value>(length, positions), Attribute("ij")});
  const char* order = call.flag("with_replacement") ? "le.Tensor" : "lt.Tensor";
  ir::Value mask = call.aten("ones_like", {grids[0], Attribute(DType::bool_)});
  for (size_t i = 0; i + 1 < length; ++i) {
    mask = call.aten("logical_and", {mask, call.aten(order, {grids[i], grids[i + 1]})});
  }
  const ir::Value tuples = positions_of(call, mask);
  return {call.aten("index.Tensor", {call["self"], std::vector{tuples}})};
}

// one_hot

TensorType one_hot_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.dtype == DType::i64, "one_hot C1: classes must be i64:", name(self.dtype));
  const Expr classes = call.expr("num_classes");
  require(!known_less(classes, 0), ErrorCode::unsupported,
          "one_hot C2: the number of classes must be given:", classes);
  require(!classes.is(0), "one_hot C2: there must be a class:", self);
  Sizes sizes = self.sizes;
  sizes.push_back(classes);
  return contiguous_type(DType::i64, std::move(sizes), self.device);
}

void one_hot(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const TensorType& out = call.result();
  const Expr classes = out.sizes.back();
  b.loop(call.type("self").sizes, [&](Exprs i) {
    const Scalar given = b.cast(b.load(call.in("self"), i), DType::i64);
    const Scalar hot = b.bound_index(given, classes, false, "class of aten.one_hot");
    const Expr extents[] = {classes};
    b.loop(extents, [&](Exprs k) {
      Sizes at(i.begin(), i.end());
      at.push_back(k[0]);
      b.store(call.out(), at, b.cast(hot == b.index(k[0]), DType::i64));
    });
  });
}

constexpr std::string_view kMaskedCalls[] = {
    "(f32[4, 5], bool[3], [i64[3] in [0, 4), i64[3] in [0, 5)], 0.5)"};
constexpr std::string_view kPutCalls[] = {
    "(f32[4, 5], bool[3], [i64[3] in [0, 4), i64[3] in [0, 5)], f32[3])"};
constexpr std::string_view kStaticCalls[] = {"(i64[2, 3], size=4)",
                                             "(bool[3], size=2, fill_value=7)"};
constexpr std::string_view kCombinationCalls[] = {"(f32[4], 2)", "(f32[3], 2, True)"};
constexpr std::string_view kHotCalls[] = {"(i64[2, 3] in [0, 4), 4)", "(i64[] in [0, 2), 3)"};

constexpr std::string_view kImplCalls[] = {
    "(f32[4, 5], [i64[3] in [0, 4), None], f32[3, 5], True)"};
constexpr std::string_view kPositionCalls[] = {"(bool[2, 3])", "(bool[])"};
constexpr std::string_view kPositionsDoc =
    "Positions of the non-zero elements, one list a dimension.";

constexpr std::array kOps{
    OpDef{.schema = "aten._index_put_impl(Tensor self, Tensor?[] indices, Tensor values, "
                    "bool accumulate=False, bool unsafe=False) -> Tensor",
          .doc = "index_put.",
          .meta = index_put_meta,
          .impl = Decompose{index_put_nodes},
          .inplace = true,
          .samples = {.calls = kImplCalls}},
    OpDef{.schema = "aten._unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, "
                    "Scalar fill) -> Tensor",
          .doc = "self[indices] where mask holds, else fill.\nC1: indices are integers.",
          .meta = masked_index_meta,
          .impl = Decompose{masked_index_nodes},
          .samples = {.calls = kMaskedCalls}},
    OpDef{.schema = "aten._unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, "
                    "Tensor?[] indices, Tensor values) -> Tensor",
          .doc = "self with values added at indices where mask holds.",
          .meta = masked_put_meta,
          .impl = Decompose{masked_put_nodes},
          .samples = {.calls = kPutCalls}},
    OpDef{
        .schema = "aten.combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
        .doc = "Every choice of r elements in their order, one a row.\n"
               "C1: self is a list. C2: r is not negative.",
        .meta = combinations_meta,
        .impl = Decompose{combinations_nodes},
        // The device reports the number of combinations to the host.
        .traits = ir::Trait::data_dependent | ir::Trait::capture_unsafe,
        .samples = {.calls = kCombinationCalls}},
    OpDef{.schema = "aten.nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor",
          .doc = "Positions of the first `size` non-zero elements, one a row; rows left over hold "
                 "fill_value.\n"
                 "C1: the size is not negative.",
          .meta = nonzero_static_meta,
          .impl = LoopNest{nonzero_static},
          .samples = {.calls = kStaticCalls}},
    OpDef{.schema = "aten.nonzero_numpy(Tensor self) -> Tensor[]",
          .doc = kPositionsDoc,
          .meta = positions_meta,
          .impl = Decompose{positions_nodes},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kPositionCalls}},
    OpDef{.schema = "aten.one_hot(Tensor self, int num_classes=-1) -> Tensor",
          .doc = "1 at the class of each element along a new last dimension, 0 elsewhere.\n"
                 "C1: classes are integers. C2: their number is given.",
          .meta = one_hot_meta,
          .impl = LoopNest{one_hot},
          .samples = {.calls = kHotCalls}},
    OpDef{.schema = "aten.where(Tensor condition) -> Tensor[]",
          .doc = kPositionsDoc,
          .meta = positions_meta,
          .impl = Decompose{positions_nodes},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kPositionCalls}},
};

}  // namespace

std::span<const OpDef> masked_index_ops() { return kOps; }

}  // namespace litz::ops
