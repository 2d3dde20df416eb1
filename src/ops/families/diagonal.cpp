// Matrices built from diagonals and from blocks along the diagonal.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/held_numbers.h"
#include "ops/meta.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Attribute;
using loops::Exprs;
using loops::Scalar;

// diag_embed: the last dimension becomes the diagonal of two new ones.

struct Embedding {
  size_t row = 0;  // Dimensions of the result.
  size_t column = 0;
  int64_t offset = 0;
};

Embedding embedding_of(const Call& call) {
  const size_t rank = call.type("self").rank() + 1;
  require(rank >= 2, "diag_embed C1: self must have a dimension");
  Embedding embedding;
  embedding.row = static_cast<size_t>(call.dim("dim1", rank));
  embedding.column = static_cast<size_t>(call.dim("dim2", rank));
  embedding.offset = call.integer("offset");
  require(embedding.row != embedding.column,
          "diag_embed C2: the dimensions must differ:", embedding.row);
  return embedding;
}

TensorType diag_embed_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const Embedding embedding = embedding_of(call);
  const Expr side = self.sizes.back() + std::abs(embedding.offset);
  Sizes sizes;
  size_t next = 0;
  for (size_t d = 0; d <= self.rank(); ++d) {
    const bool is_new = d == embedding.row || d == embedding.column;
    sizes.push_back(is_new ? side : self.sizes[next++]);
  }
  return contiguous_type(self.dtype, std::move(sizes), self.device);
}

void diag_embed(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const Embedding embedding = embedding_of(call);
  const TensorType& out = call.result();
  const Scalar zero = b.cast(b.constant(DType::f32, 0.0), out.dtype);
  b.loop(out.sizes, [&](Exprs i) {
    const Expr row = i[embedding.row];
    const Expr column = i[embedding.column];
    loops::IndexVector at;
    for (size_t d = 0; d < i.size(); ++d) {
      if (d != embedding.row && d != embedding.column) at.emplace_back(i[d]);
    }
    at.emplace_back(embedding.offset >= 0 ? row : column);
    const Scalar inside = b.index(column) == b.index(row + embedding.offset);
    b.store(call.out(), i, b.load_if(inside, call.in("self"), at, zero));
  });
}

// diag: a vector to a matrix, or a matrix to the vector on its diagonal.

TensorType diag_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 1 || self.rank() == 2,
          "diag C1: self must be a vector or a matrix:", self);
  const int64_t offset = call.integer("diagonal");
  if (self.rank() == 1) {
    const Expr side = self.sizes[0] + std::abs(offset);
    return contiguous_type(self.dtype, {side, side}, self.device);
  }
  return contiguous_type(self.dtype, diagonal_of(self, offset, 0, 1).sizes, self.device);
}

std::vector<ir::Value> diag_nodes(DecomposeCall& call) {
  const char* name = call.type("self").rank() == 1 ? "diag_embed" : "diagonal_copy";
  return {call.aten(name, {call["self"], call.pass("diagonal")})};
}

TensorType diagflat_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const Expr side = self.numel() + std::abs(call.integer("offset"));
  return contiguous_type(self.dtype, {side, side}, self.device);
}

std::vector<ir::Value> diagflat_nodes(DecomposeCall& call) {
  const ir::Value flat = call.aten("reshape", {call["self"], Attribute(ir::Scalars{-1})});
  return {call.aten("diag_embed", {flat, call.pass("offset")})};
}

// block_diag: numbers and vectors are matrices of one row.

struct Block {
  Expr rows = 1;
  Expr columns = 1;
};

std::vector<Block> blocks_of(const Call& call) {
  std::vector<Block> blocks;
  for (const TensorType& type : call.types("tensors")) {
    require(type.rank() <= 2, "block_diag C1: blocks must be matrices, vectors or numbers:", type);
    Block block;
    if (type.rank() == 2) block.rows = type.sizes[0];
    if (type.rank() >= 1) block.columns = type.sizes.back();
    blocks.push_back(block);
  }
  require(!blocks.empty(), "block_diag C2: a block must be given");
  return blocks;
}

TensorType block_diag_meta(const Call& call) {
  Expr rows = 0;
  Expr columns = 0;
  for (const Block& block : blocks_of(call)) {
    rows = rows + block.rows;
    columns = columns + block.columns;
  }
  const std::vector<TensorType> types = call.types("tensors");
  return contiguous_type(promoted_dtype(types), {rows, columns}, types[0].device);
}

std::vector<ir::Value> block_diag_nodes(DecomposeCall& call) {
  const std::vector<Block> blocks = blocks_of(call);
  const TensorType& out = call.result();
  std::vector<ir::Value> bands;
  Expr left = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    const ir::Value matrix = call.aten("reshape", {call.to(call.values("tensors")[i], out.dtype),
                                                   Attribute(Sizes{block.rows, block.columns})});
    const Expr right = out.sizes[1] - left - block.columns;
    bands.push_back(call.aten("constant_pad_nd", {matrix, Attribute(Sizes{left, right})}));
    left = left + block.columns;
  }
  return {call.aten("cat", {bands, Expr(0)})};
}

// --- filling a diagonal with a number ---

TensorType fill_diagonal_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() >= 2, "fill_diagonal_ C1: self must have two dimensions or more:", self);
  for (const Expr& size : self.sizes) {
    call.require_sizes(self.rank() == 2 ? Expr::boolean(true) : eq(size, self.sizes[0]),
                       "fill_diagonal_ C2: more than two dimensions must be of one size:", self);
  }
  Expr length = self.sizes[0];
  for (const Expr& size : self.sizes) length = min(length, size);
  const TensorType diagonal = contiguous_type(self.dtype, {length}, self.device);
  require_all_filled(call, "fill_value", call.flag("wrap") ? self : diagonal);
  return preserved_type(self.dtype, self, std::nullopt);
}

Scalar fill_diagonal(const PointwiseCall& call) {
  loops::KernelBuilder& b = call.builder();
  const auto index = call.indices();
  Scalar is_filled = b.index(index[0]) == b.index(index[1]);
  if (index.size() == 2 && call.flag("wrap")) {
    // The diagonal continues in the first column, one row after the last column.
    const Expr columns = call.type("self").sizes[1];
    is_filled = b.index(mod(index[1] - index[0], columns + 1)) == 0;
  }
  for (size_t d = 2; d < index.size(); ++d) {
    is_filled = is_filled & (b.index(index[0]) == b.index(index[d]));
  }
  return select(is_filled, call["fill_value"], call["self"]);
}

constexpr std::string_view kFillCalls[] = {"(f32[3, 4], 2.5)", "(i64[5, 2], 7, True)",
                                           "(f32[2, 2, 2], 1)", "(f32[s0, 3], 1, True)"};
constexpr std::string_view kEmbedCalls[] = {"(f32[2, 3])", "(i64[2, 3], 1, 0, 2)", "(f32[s0], -1)"};
constexpr std::string_view kDiagCalls[] = {"(f32[3], 1)", "(f32[3, 4], -1)"};
constexpr std::string_view kFlatCalls[] = {"(f32[2, 2], 1)"};
constexpr std::string_view kBlockCalls[] = {"([f32[2, 3], f32[4], f32[]])"};

constexpr std::array kOps{
    OpDef{.schema = "aten.block_diag(Tensor[] tensors) -> Tensor",
          .doc = "Blocks along the diagonal of a matrix of zeros.\n"
                 "C1: each has at most two dimensions. C2: a block is given.",
          .meta = block_diag_meta,
          .impl = Decompose{block_diag_nodes},
          .samples = {.calls = kBlockCalls}},
    OpDef{.schema = "aten.diag(Tensor self, int diagonal=0) -> Tensor",
          .doc = "The matrix with this diagonal, or the diagonal of this matrix.\n"
                 "C1: self has one or two dimensions.",
          .meta = diag_meta,
          .impl = Decompose{diag_nodes},
          .samples = {.calls = kDiagCalls}},
    OpDef{.schema = "aten.diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> "
                    "Tensor",
          .doc = "Matrices with the last dimension of self as diagonal.\n"
                 "C1: self has a dimension. C2: dim1 and dim2 differ.",
          .meta = diag_embed_meta,
          .impl = LoopNest{diag_embed},
          .samples = {.calls = kEmbedCalls}},
    OpDef{.schema = "aten.diagflat(Tensor self, int offset=0) -> Tensor",
          .doc = "The matrix with all elements of self on its diagonal.",
          .meta = diagflat_meta,
          .impl = Decompose{diagflat_nodes},
          .samples = {.calls = kFlatCalls}},
    OpDef{.schema = "litz.fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor",
          .doc = "Self with a number on its diagonal; `wrap` starts again below a wide part.\n"
                 "C1: self has two dimensions or more. C2: more than two are of one size.",
          .meta = fill_diagonal_meta,
          .impl = Pointwise{fill_diagonal},
          .inplace = true,
          .inplace_name = "aten.fill_diagonal_",
          .samples = {.calls = kFillCalls}},
};

}  // namespace

std::span<const OpDef> diagonal_ops() { return kOps; }

}  // namespace litz::ops
