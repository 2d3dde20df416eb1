// Reshapes: operators that return a view if the strides allow it, otherwise a copy.
//
// Each decomposes into aten.view of its input or of a contiguous clone, so later passes only see
// plain views. The meta tells which it will be.

#include <array>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

TensorType reshaped(const Call& call, const TensorType& type, std::span<const Expr> sizes) {
  if (std::optional<TensorType> view = viewed_by(call, type, sizes)) return *std::move(view);
  // The strides of a copy, which is dense.
  return viewed_by(call, contiguous_type(type.dtype, type.sizes, type.device), sizes).value();
}

// Emits a view of `input` with the sizes of the call's result.
std::vector<ir::Value> as_result_shape(DecomposeCall& call, std::string_view argument) {
  ir::Value input = call[argument];
  const Sizes& sizes = call.result().sizes;
  if (!is_contiguous(input.tensor()) && !view_strides(input.tensor(), sizes)) {
    input = call.aten("clone", {input, ir::Attribute(MemoryFormat::contiguous)});
  }
  return {call.aten("view", {input, ir::Attribute(sizes)})};
}

std::vector<ir::Value> reshape_self(DecomposeCall& call) { return as_result_shape(call, "self"); }

TensorType reshape_meta(const Call& call) {
  return reshaped(call, call.type("self"), call.sizes("shape"));
}

TensorType reshape_as_meta(const Call& call) {
  return reshaped(call, call.type("self"), call.type("other").sizes);
}

TensorType unsafe_view_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType result = reshaped(call, self, call.sizes("size"));
  require(is_contiguous(self) || view_strides(self, result.sizes).has_value(),
          "_unsafe_view C1: the sizes are not compatible with the input's strides; use reshape:",
          self, result);
  return result;
}

// Unlike reshape, a copy of everything that is not contiguous.
TensorType ravel_meta(const Call& call) {
  const TensorType& self = call.type("self");
  if (is_contiguous(self)) return reshaped(call, self, std::array{Expr(-1)});
  return contiguous_type(self.dtype, {self.numel()}, self.device);
}

std::vector<ir::Value> ravel(DecomposeCall& call) {
  const ir::Value dense = call.aten("contiguous", {call["self"]});
  return {call.aten("view", {dense, ir::Attribute(call.result().sizes)})};
}

Sizes flattened_sizes(const TensorType& type, int64_t first, int64_t last) {
  require(first <= last, "flatten: start_dim must not come after end_dim:", first, last);
  if (type.rank() == 0) return {Expr(1)};
  Sizes sizes(type.sizes.begin(), type.sizes.begin() + first);
  sizes.push_back(
      product(std::span(type.sizes)
                  .subspan(static_cast<size_t>(first), static_cast<size_t>(last - first + 1))));
  sizes.insert(sizes.end(), type.sizes.begin() + last + 1, type.sizes.end());
  return sizes;
}

TensorType flatten_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t first = call.dim("start_dim", type.rank());
  const int64_t last = call.dim("end_dim", type.rank());
  if (type.rank() > 0 && first == last) return type;
  return reshaped(call, type, flattened_sizes(type, first, last));
}

std::vector<ir::Value> flatten(DecomposeCall& call) {
  if (call.result() == call["self"].tensor()) return {call["self"]};
  return reshape_self(call);
}

TensorType unflatten_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t dim = call.dim("dim", type.rank());
  require(type.rank() > 0, "unflatten needs at least one dimension");
  const Sizes parts = complete_sizes(call.sizes("sizes"), type.sizes[static_cast<size_t>(dim)]);
  Sizes sizes(type.sizes.begin(), type.sizes.begin() + dim);
  sizes.insert(sizes.end(), parts.begin(), parts.end());
  sizes.insert(sizes.end(), type.sizes.begin() + dim + 1, type.sizes.end());
  std::optional<TensorType> view = viewed_by(call, type, sizes);
  require(view.has_value(),
          "unflatten: the sizes are not compatible with the input's strides:", type);
  return *std::move(view);
}

// atleast_1d/2d/3d: adds sizes of 1 as NumPy does.
template <size_t kRank>
TensorType at_least_meta(const Call& call) {
  TensorType type = call.type("self");
  if constexpr (kRank == 3) {
    if (type.rank() == 2) return unsqueezed(type, 2);
    if (type.rank() == 1) return unsqueezed(unsqueezed(type, 0), 2);
  }
  while (type.rank() < kRank) type = unsqueezed(type, 0);
  return type;
}

std::vector<ir::Value> at_least(DecomposeCall& call) {
  if (call.result() == call["self"].tensor()) return {call["self"]};
  return {call.aten("view", {call["self"], ir::Attribute(call.result().sizes)})};
}

constexpr std::array kReshapeSample{"(f32[2, 6], [3, -1])"sv};
constexpr std::array kReshapeAsSample{"(f32[2, 6], f32[4, 3])"sv};
constexpr std::array kFlattenSample{"(f32[2, 3, 4], 1)"sv, "(f32[])"sv};
constexpr std::array kUnflattenSample{"(f32[2, 6], 1, [3, -1])"sv};
constexpr std::array kListSample{"([f32[2, 3], f32[]])"sv};
constexpr std::array kPlainSample{"(f32[2, 3])"sv};

// --- views with data-dependent offsets ---

// A view's offset and sizes are symbols of the call, bound to data-dependent numbers.

int64_t dim_of_data_view(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() > 0, "a view of a part has a dimension:", call.op().name(), self);
  return call.dim("dim", self.rank());
}

constexpr Interval kPlace{0, Interval::kMax};

TensorType narrow_meta(const Call& call) {
  TensorType type = call.type("self");
  const TensorType& start = call.type("start");
  const auto dim = static_cast<size_t>(dim_of_data_view(call));
  require(start.rank() == 0 && is_integer(start.dtype),
          "narrow.Tensor C1: the start is one integer of rank 0:", start);
  const Expr length = call.expr("length");
  call.require_sizes(logical_and(le(0, length), le(length, type.sizes[dim])),
                     "narrow.Tensor C2: the part lies in the dimension: length", length, "of",
                     type.sizes[dim]);
  type.sizes[dim] = length;
  type.offset = call.data_dependent(0, kPlace);
  return type;
}

// A symbol bound to an expression of others.
Expr named(const DecomposeCall& call, Expr value) {
  const ir::Value number = call.aten("scalar_tensor", {value, ir::Attribute(DType::i64)});
  return call.aten("item", {number}).scalar().value;
}

ir::Value part(const DecomposeCall& call, size_t dim, Expr start, Expr length) {
  TensorType type = call["self"].tensor();
  const Expr offset = named(call, type.offset + start * type.strides[dim]);
  type.sizes[dim] = length;
  return call.aten("as_strided",
                   {call["self"], ir::Attribute(type.sizes), ir::Attribute(type.strides), offset});
}

std::vector<ir::Value> narrow_nodes(DecomposeCall& call) {
  const auto dim = static_cast<size_t>(dim_of_data_view(call));
  const Expr size = call["self"].tensor().sizes[dim];
  const Expr given = call.aten("item", {call["start"]}).scalar().value;
  const Expr start = where(lt(given, 0), given + size, given);
  const Expr length = call.expr("length");
  call.graph().create("aten._assert_scalar",
                      {logical_and(le(0, start), le(start + length, size)),
                       ir::Attribute(std::string("narrow.Tensor C2: the part lies in the "
                                                 "dimension"))});
  return {part(call, dim, start, length)};
}

Types split_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& given = call.type("tensor_indices_or_sections");
  const auto dim = static_cast<size_t>(dim_of_data_view(call));
  require(given.dtype == DType::i64 && given.rank() <= 1,
          "tensor_split C1: places are i64, a list of them or a number of sections:", given);
  const std::optional<int64_t> count =
      given.rank() == 1 ? given.sizes[0].maybe_constant() : std::nullopt;
  require(count.has_value(), ErrorCode::unsupported,
          "tensor_split: the number of parts must not depend on data nor on a size:", given);
  Types parts;
  int ordinal = 0;
  for (int64_t i = 0; i <= *count; ++i) {
    TensorType type = self;
    if (*count > 0) type.sizes[dim] = call.data_dependent(ordinal++, kPlace);
    if (i > 0) type.offset = call.data_dependent(ordinal++, kPlace);
    parts.emplace_back(std::move(type));
  }
  return parts;
}

std::vector<ir::Value> split_nodes(DecomposeCall& call) {
  const TensorType self = call["self"].tensor();
  const auto dim = static_cast<size_t>(dim_of_data_view(call));
  const Expr size = self.sizes[dim];
  const size_t count = call.results().size();
  if (count == 1) return {call.aten("alias", {call["self"]})};
  std::vector<ir::Value> parts;
  Expr start = 0;
  for (size_t i = 0; i < count; ++i) {
    Expr end = size;
    if (i + 1 < count) {
      const ir::Value place = call.aten("select.int", {call["tensor_indices_or_sections"], Expr(0),
                                                       Expr(static_cast<int64_t>(i))});
      const Expr given = call.aten("item", {place}).scalar().value;
      end = min(max(where(lt(given, 0), given + size, given), Expr(0)), size);
    }
    const Expr length = named(call, max(end - start, Expr(0)));
    if (i == 0) {
      parts.push_back(
          call.aten("narrow", {call["self"], Expr(static_cast<int64_t>(dim)), Expr(0), length}));
    } else {
      parts.push_back(part(call, dim, start, length));
    }
    start = end;
  }
  return parts;
}

constexpr std::array kNarrowSample{"(f32[5, 2], 0, i64[] in [1, 3), 2)"sv,
                                   "(i32[2, s0], -1, i32[] in [-1, 0), 1)"sv};
constexpr std::array kSplitSample{"(f32[5, 2], i64[2] in [1, 4))"sv,
                                  "(f16[2, s0], i64[3] in [-4, 5), -1)"sv, "(f32[3], i64[0])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._unsafe_view(Tensor self, SymInt[] size) -> Tensor",
          .doc = "view of a tensor that nobody else reads.",
          .meta = unsafe_view_meta,
          .impl = Decompose{reshape_self},
          .samples = {.calls = kReshapeSample}},
    OpDef{.schema = "aten.atleast_1d(Tensor self) -> Tensor",
          .doc = "Rank at least 1.",
          .meta = at_least_meta<1>,
          .impl = Decompose{at_least},
          .samples = {.calls = kPlainSample}},
    each_of("aten.atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]", "aten.atleast_1d", false,
            {.calls = kListSample}),
    OpDef{.schema = "aten.atleast_2d(Tensor self) -> Tensor",
          .doc = "Rank at least 2; dimensions are added in front.",
          .meta = at_least_meta<2>,
          .impl = Decompose{at_least},
          .samples = {.calls = kPlainSample}},
    each_of("aten.atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]", "aten.atleast_2d", false,
            {.calls = kListSample}),
    each_of("aten.atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]", "aten.atleast_3d", false,
            {.calls = kListSample}),
    OpDef{.schema = "aten.atleast_3d(Tensor self) -> Tensor",
          .doc = "Rank at least 3; a matrix gets its new dimension behind.",
          .meta = at_least_meta<3>,
          .impl = Decompose{at_least},
          .samples = {.calls = kPlainSample}},
    OpDef{.schema = "aten.flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> "
                    "Tensor(a)",
          .doc = "Joins the dimensions from start_dim to end_dim into one.",
          .meta = flatten_meta,
          .impl = Decompose{flatten},
          .samples = {.calls = kFlattenSample}},
    OpDef{.schema = "aten.narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> "
                    "Tensor(a)",
          .doc = "`length` entries of a dimension from a start that is read from data.\n"
                 "C1: the start is one integer, of rank 0. C2: the part lies in the dimension.",
          .meta = narrow_meta,
          .impl = Decompose{narrow_nodes},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kNarrowSample}},
    OpDef{.schema = "aten.ravel(Tensor(a) self) -> Tensor(a)",
          .doc = "All elements in one dimension.",
          .meta = ravel_meta,
          .impl = Decompose{ravel},
          .samples = {.calls = kPlainSample}},
    OpDef{.schema = "aten.reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
          .doc = "Other sizes for the same elements in the same order; -1 takes what is left.",
          .meta = reshape_meta,
          .impl = Decompose{reshape_self},
          .samples = {.calls = kReshapeSample}},
    OpDef{.schema = "aten.reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
          .doc = "reshape to the sizes of `other`.",
          .meta = reshape_as_meta,
          .impl = Decompose{reshape_self},
          .samples = {.calls = kReshapeAsSample}},
    OpDef{.schema = "aten.tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor "
                    "tensor_indices_or_sections, int dim=0) -> Tensor(a)[]",
          .doc = "Parts between places of a dimension that are read from data.\n"
                 "C1: places are i64, in a list.",
          .meta = split_meta,
          .impl = Decompose{split_nodes},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kSplitSample}},
    OpDef{.schema = "aten.unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)",
          .doc = "Splits one dimension into several.",
          .meta = unflatten_meta,
          .impl = Decompose{reshape_self},
          .samples = {.calls = kUnflattenSample}},
};

}  // namespace

std::span<const OpDef> reshape_ops() { return kOps; }

}  // namespace litz::ops
