// Reads at computed indices: gather, embedding, indexing by tensors, selection by masks.
//
// Every computed index is checked; an index out of range is an error that names the operator.
// Boolean masks are first converted to indices (nonzero), so one nest serves both kinds.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/families/advanced_index.h"
#include "ops/families/families.h"
#include "ops/index_types.h"
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

constexpr Interval kCount{0, Interval::kMax};

Scalar checked(NestCall& call, Scalar index, Expr extent, bool wrap) {
  KernelBuilder& b = call.builder();
  return b.bound_index(b.cast(index, DType::i64), extent, wrap,
                       "index of " + std::string(call.op().name()));
}

// --- along one dimension ---

TensorType gather_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& index = call.type("index");
  if (!known_equal(index.numel(), 0)) require_index(call, "index");
  const int64_t dim = call.dim("dim", self.rank());
  // An empty index may have any rank.
  require(std::max<size_t>(self.rank(), 1) == std::max<size_t>(index.rank(), 1) ||
              known_equal(index.numel(), 0),
          "gather: index and input must have one rank:", index.rank(), self.rank());
  for (size_t d = 0; d < std::min(self.rank(), index.rank()); ++d) {
    if (static_cast<int64_t>(d) == dim) continue;
    call.require_sizes(
        logical_or(eq(index.numel(), 0), le(index.sizes[d], self.sizes[d])),
        "gather: the index must not be larger than the input in other dimensions:", index, self);
  }
  return contiguous_type(self.dtype, index.sizes, self.device);
}

void gather(NestCall& call) {
  const TensorType& self = call.type("self");
  KernelBuilder& b = call.builder();
  const size_t dim = at(call.dim("dim", self.rank()));
  b.loop(call.result().sizes, [&](Exprs index) {
    IndexVector source(index.begin(), index.end());
    const Expr extent = self.rank() == 0 ? Expr(1) : self.sizes[dim];
    const Scalar place = checked(call, b.load(call.in("index"), index), extent, false);
    source.resize(self.rank());
    if (self.rank() > 0) source[dim] = place.id();
    b.store(call.out(), index, b.load(call.in("self"), source));
  });
}

TensorType take_along_meta(const Call& call) {
  require_index(call, "indices", IndexTypes::i64);
  const TensorType& self = call.type("self");
  const TensorType& indices = call.type("indices");
  if (!call.has("dim")) return contiguous_type(self.dtype, {indices.numel()}, self.device);
  const size_t dim = at(call.dim("dim", self.rank()));
  Sizes a = self.sizes;
  Sizes b = indices.sizes;
  require(a.size() == b.size(), "take_along_dim: indices and input must have one rank:", b.size(),
          a.size());
  a[dim] = 1;
  Expr length = b[dim];
  b[dim] = 1;
  Sizes sizes = broadcast_sizes(a, b);
  sizes[dim] = length;
  return contiguous_type(self.dtype, sizes, self.device);
}

std::vector<ir::Value> take_along(DecomposeCall& call) {
  ir::Value self = call["self"];
  ir::Value indices = call["indices"];
  if (!call.has("dim")) {
    const ir::Argument flat = ir::Attribute(ir::Scalars{Expr(-1)});
    return {call.aten("gather", {call.aten("reshape", {self, flat}), Expr(0),
                                 call.aten("reshape", {indices, flat})})};
  }
  const size_t dim = at(call.dim("dim", self.tensor().rank()));
  Sizes self_sizes = call.result().sizes;
  self_sizes[dim] = self.tensor().sizes[dim];
  self = call.aten("expand", {self, ir::Attribute(self_sizes)});
  indices = call.aten("expand", {indices, ir::Attribute(call.result().sizes)});
  // Along a dimension any index is valid, modulo the size.
  indices = call.aten("remainder.Scalar", {indices, self_sizes[dim]});
  return {call.aten("gather", {self, call.pass("dim"), indices})};
}

void require_places(const TensorType& self, int64_t dim, const TensorType& index) {
  require(!known_equal(self.sizes[at(dim)], 0) || !known_not_equal(index.numel(), 0),
          "a dimension without elements has no place to select:", self, dim, index);
}

TensorType index_select_meta(const Call& call) {
  require_index(call, "index");
  const TensorType& self = call.type("self");
  const TensorType& index = call.type("index");
  const int64_t dim = call.dim("dim", self.rank());
  require(index.rank() <= 1, "index_select: the index must be a vector, got rank", index.rank());
  Sizes sizes = self.sizes;
  if (sizes.empty()) {
    call.require_sizes(eq(index.numel(), 1), "index_select: a number is selected once:", index);
  } else {
    require_places(self, dim, index);
    sizes[at(dim)] = index.numel();
  }
  return contiguous_type(self.dtype, sizes, self.device);
}

void index_select(NestCall& call) {
  const TensorType& self = call.type("self");
  KernelBuilder& b = call.builder();
  const size_t dim = at(call.dim("dim", self.rank()));
  b.loop(call.result().sizes, [&](Exprs index) {
    IndexVector place;
    if (call.type("index").rank() == 1) place.push_back(self.rank() == 0 ? Expr(0) : index[dim]);
    const Expr extent = self.rank() == 0 ? Expr(1) : self.sizes[dim];
    const Scalar from = checked(call, b.load(call.in("index"), place), extent, false);
    IndexVector source(index.begin(), index.end());
    if (self.rank() > 0) source[dim] = from.id();
    b.store(call.out(), index, b.load(call.in("self"), source));
  });
}

TensorType embedding_meta(const Call& call) {
  require_index(call, "indices");
  const TensorType& weight = call.type("weight");
  require(weight.rank() == 2, "embedding: the weight must be a matrix, got rank", weight.rank());
  require_places(weight, 0, call.type("indices"));
  Sizes sizes = call.type("indices").sizes;
  sizes.push_back(weight.sizes[1]);
  return contiguous_type(weight.dtype, sizes, weight.device);
}

void embedding(NestCall& call) {
  KernelBuilder& b = call.builder();
  const Expr rows = call.type("weight").sizes[0];
  b.loop(call.result().sizes, [&](Exprs index) {
    const Exprs place = index.first(index.size() - 1);
    const Scalar row = checked(call, b.load(call.in("indices"), place), rows, false);
    const IndexVector source{row.id(), index.back()};
    b.store(call.out(), index, b.load(call.in("weight"), source));
  });
}

// take: the input as one flat row.
TensorType take_meta(const Call& call) {
  require_index(call, "index", IndexTypes::i64);
  const TensorType& index = call.type("index");
  return contiguous_type(call.type("self").dtype, index.sizes, index.device);
}

std::vector<ir::Value> take(DecomposeCall& call) {
  const ir::Value flat = call.aten("reshape", {call["self"], ir::Attribute(ir::Scalars{Expr(-1)})});
  return {call.aten("index.Tensor", {flat, std::vector<ir::Value>{call["index"]}})};
}

// --- by tensors ---

TensorType index_meta(const Call& call) {
  return advanced_index(call).result_type(call.type("self"));
}

TensorType unsafe_index_meta(const Call& call) {
  require_plain_indices(call);
  return index_meta(call);
}

std::vector<ir::Value> index(DecomposeCall& call) {
  return {call.graph()
              .create("litz.index", {call["self"], integer_indices(call, call.result().sizes)})
              ->output()};
}

void index_nest(NestCall& call) {
  const AdvancedIndex plan = advanced_index(call);
  KernelBuilder& b = call.builder();
  b.loop(call.result().sizes, [&](Exprs index) {
    b.store(call.out(), index, b.load(call.in("self"), plan.source(call, "self", index)));
  });
}

// --- by masks ---

Types nonzero_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const Expr count = call.data_dependent(0, kCount);
  const Expr rank = static_cast<int64_t>(self.rank());
  TensorType type = contiguous_type(DType::i64, {count, rank}, self.device);
  // One contiguous column per dimension.
  type.strides = {Expr(1), count};
  return {type};
}

TensorType masked_select_meta(const Call& call) {
  require(call.type("mask").dtype == DType::bool_, "masked_select: the mask must be bool, got",
          name(call.type("mask").dtype));
  broadcast_sizes(call.type("self").sizes, call.type("mask").sizes);
  return contiguous_type(call.type("self").dtype, {call.data_dependent(0, kCount)},
                         call.type("self").device);
}

std::vector<ir::Value> masked_select(DecomposeCall& call) {
  const Sizes sizes = broadcast_sizes(call.type("self").sizes, call.type("mask").sizes);
  ir::Value self = call.aten("expand", {call["self"], ir::Attribute(sizes)});
  ir::Value mask = call.aten("expand", {call["mask"], ir::Attribute(sizes)});
  if (sizes.empty()) {
    // Rank 0 is indexed as one element.
    self = call.aten("unsqueeze", {self, Expr(0)});
    mask = call.aten("unsqueeze", {mask, Expr(0)});
  }
  const std::vector<ir::Value> positions = mask_positions(call, mask, call.result().sizes[0]);
  return {call.graph().create("litz.index", {self, positions})->output()};
}

TensorType argwhere_meta(const Call& call) { return std::get<TensorType>(nonzero_meta(call)[0]); }

std::vector<ir::Value> argwhere(DecomposeCall& call) {
  return {call.graph()
              .create_typed(*call.module().ops().find("aten.nonzero"), {call["self"]},
                            {call.results()[0]})
              ->output()};
}

constexpr std::array kGatherSample{"(f32[2, 3], 1, i64[2, 2] in [0, 3))"sv};
constexpr std::array kTakeAlongSample{"(f32[2, 3], i64[2, 1] in [0, 3), 1)"sv};
constexpr std::array kIndexSelectSample{"(f32[4, 3], 0, i64[2] in [0, 4))"sv};
constexpr std::array kEmbeddingSample{"(f32[5, 3], i64[2, 2] in [0, 5))"sv};
constexpr std::array kTakeSample{"(f32[2, 3], i64[2, 2] in [0, 6))"sv};
constexpr std::array kIndexSample{"(f32[4, 3], [i64[2] in [0, 4)])"sv,
                                  "(f32[4, 3, 5], [None, i64[2] in [0, 3), i64[2] in [0, 5)])"sv};
constexpr std::array kNonzeroSample{"(i64[2, 3] in [0, 2))"sv};
constexpr std::array kMaskedSelectSample{"(f32[2, 3], bool[2, 3])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
          .doc = "index; indices are checked all the same.",
          .meta = unsafe_index_meta,
          .impl = Decompose{index},
          .samples = {.calls = kIndexSample}},
    OpDef{.schema = "aten.argwhere(Tensor self) -> Tensor",
          .doc = "Positions of non-zero elements, one row each.",
          .meta = argwhere_meta,
          .impl = Decompose{argwhere},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kNonzeroSample}},
    OpDef{.schema = "aten.embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool "
                    "scale_grad_by_freq=False, bool sparse=False) -> Tensor",
          .doc = "Rows of a matrix by number; padding_idx matters to gradients only.",
          .meta = embedding_meta,
          .impl = LoopNest{embedding},
          .samples = {.calls = kEmbeddingSample}},
    OpDef{.schema = "aten.gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> "
                    "Tensor",
          .doc = "Element [.., index[.., i, ..], ..] of a dimension for each index.",
          .meta = gather_meta,
          .impl = LoopNest{gather},
          .samples = {.calls = kGatherSample}},
    OpDef{.schema = "aten.index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
          .doc = "Indexing by integer tensors, broadcast together, and boolean masks.",
          .meta = index_meta,
          .impl = Decompose{index},
          .samples = {.calls = kIndexSample}},
    OpDef{.schema = "aten.index_select(Tensor self, int dim, Tensor index) -> Tensor",
          .doc = "The given places of a dimension.",
          .meta = index_select_meta,
          .impl = LoopNest{index_select},
          .samples = {.calls = kIndexSelectSample}},
    OpDef{.schema = "aten.masked_select(Tensor self, Tensor mask) -> Tensor",
          .doc = "The elements where a mask is true, in row-major order.",
          .meta = masked_select_meta,
          .impl = Decompose{masked_select},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kMaskedSelectSample}},
    OpDef{.schema = "aten.nonzero(Tensor self) -> Tensor",
          .doc = "Positions of non-zero elements, one row each, in row-major order.",
          .meta = nonzero_meta,
          .impl = Library{"nonzero"},
          .traits = ir::Trait::data_dependent,
          .samples = {.calls = kNonzeroSample}},
    OpDef{.schema = "aten.take(Tensor self, Tensor index) -> Tensor",
          .doc = "Elements by their row-major position; negative ones count from the end.",
          .meta = take_meta,
          .impl = Decompose{take},
          .samples = {.calls = kTakeSample}},
    OpDef{.schema = "aten.take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor",
          .doc = "gather with broadcasting; over the flattened input without a dimension.",
          .meta = take_along_meta,
          .impl = Decompose{take_along},
          .samples = {.calls = kTakeAlongSample}},
    OpDef{.schema = "litz.index(Tensor self, Tensor?[] indices) -> Tensor",
          .doc = "Indexing by integer tensors only.",
          .meta = index_meta,
          .impl = LoopNest{index_nest},
          .samples = {.calls = kIndexSample}},
};

}  // namespace

std::span<const OpDef> index_ops() { return kOps; }

}  // namespace litz::ops
