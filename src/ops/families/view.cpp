// Views: operators whose result is the storage of their first argument with other sizes, strides
// and offset. The meta function is the whole definition; no data moves.

#include <array>
#include <numeric>

#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

Types all(std::vector<TensorType> parts) {
  return {std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end())};
}

int64_t constant_size(const TensorType& type, int64_t dim, std::string_view op) {
  require(type.rank() > 0, "splitting needs at least one dimension:", op);
  const std::optional<int64_t> size = type.sizes[static_cast<size_t>(dim)].maybe_constant();
  require(size.has_value(), ErrorCode::unsupported,
          "the number of parts must not depend on a symbolic size:", op, "of size",
          type.sizes[static_cast<size_t>(dim)]);
  return *size;
}

TensorType as_strided_meta(const Call& call) {
  TensorType type = call.type("self");
  type.sizes = call.sizes("size");
  type.strides = call.sizes("stride");
  require(type.sizes.size() == type.strides.size(),
          "as_strided takes as many strides as sizes:", type.sizes.size(), type.strides.size());
  if (call.has("storage_offset")) type.offset = call.expr("storage_offset");
  for (size_t d = 0; d < type.rank(); ++d) {
    call.require_sizes(logical_and(le(0, type.sizes[d]), le(0, type.strides[d])),
                       "as_strided: sizes and strides must not be negative: size", type.sizes[d],
                       "stride", type.strides[d]);
  }
  call.require_sizes(le(0, type.offset),
                     "as_strided: the offset must not be negative:", type.offset);
  return type;
}

TensorType diagonal_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return diagonal_of(type, call.integer("offset"), call.dim("dim1", type.rank()),
                     call.dim("dim2", type.rank()));
}

TensorType expand_meta(const Call& call) { return expanded(call.type("self"), call.sizes("size")); }

TensorType expand_as_meta(const Call& call) {
  return expanded(call.type("self"), call.type("other").sizes);
}

TensorType permute_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return permuted(type, call.dims("dims", type.rank(), Call::WhenEmpty::none));
}

TensorType select_meta(const Call& call) { return selected_by(call, call.type("self")); }

TensorType slice_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const auto bound = [&](std::string_view name) -> std::optional<Expr> {
    if (!call.has(name)) return std::nullopt;
    return call.expr(name);
  };
  return sliced(type, call.dim("dim", type.rank()), bound("start"), bound("end"),
                call.expr("step"));
}

TensorType narrow_meta(const Call& call) {
  const TensorType& type = call.type("self");
  require(type.rank() > 0, "narrow: there must be a dimension:", type);
  const int64_t dim = call.dim("dim", type.rank());
  const Expr size = type.sizes[static_cast<size_t>(dim)];
  const Expr given = call.expr("start");
  const Expr start = where(lt(given, 0), given + size, given);
  const Expr length = call.expr("length");
  call.require_sizes(logical_and(le(0, start), le(0, length)), "narrow: start", start, "and length",
                     length, "must not be negative; the size is", size);
  call.require_sizes(le(start + length, size), "narrow: start", start, "+ length", length,
                     "exceeds the size", size);
  return narrowed(type, dim, start, length);
}

TensorType squeeze_all_meta(const Call& call) {
  const TensorType& type = call.type("self");
  std::vector<int64_t> dims(type.rank());
  std::iota(dims.begin(), dims.end(), 0);
  return squeezed(type, dims);
}

TensorType squeeze_dim_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t dim = call.dim("dim", type.rank());
  return squeezed(type, std::array{dim});
}

TensorType squeeze_dims_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return squeezed(type, call.dims("dim", type.rank(), Call::WhenEmpty::none));
}

TensorType unsqueeze_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return unsqueezed(type, call.dim("dim", type.rank() + 1));
}

TensorType transpose_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return transposed(type, call.dim("dim0", type.rank()), call.dim("dim1", type.rank()));
}

TensorType t_meta(const Call& call) {
  const TensorType& type = call.type("self");
  require(type.rank() <= 2, "t takes a tensor of rank at most 2, got rank", type.rank());
  return type.rank() < 2 ? type : transposed(type, 0, 1);
}

TensorType numpy_t_meta(const Call& call) {
  const TensorType& type = call.type("self");
  std::vector<int64_t> dims(type.rank());
  std::iota(dims.rbegin(), dims.rend(), 0);
  return permuted(type, dims);
}

TensorType matrix_transpose_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const auto rank = static_cast<int64_t>(type.rank());
  require(rank >= 2 || rank == 0, "matrix transposes need rank 2 or more, got", rank);
  return rank == 0 ? type : transposed(type, rank - 2, rank - 1);
}

TensorType swap_axes_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return transposed(type, call.dim("axis0", type.rank()), call.dim("axis1", type.rank()));
}

TensorType movedim(const TensorType& type, const std::vector<int64_t>& source,
                   const std::vector<int64_t>& destination) {
  require(source.size() == destination.size(),
          "movedim takes as many sources as destinations:", source.size(), destination.size());
  if (type.rank() == 0) return type;
  std::vector<int64_t> order(type.rank(), -1);
  std::vector<bool> moved(type.rank(), false);
  for (size_t i = 0; i < source.size(); ++i) {
    order[static_cast<size_t>(destination[i])] = source[i];
    moved[static_cast<size_t>(source[i])] = true;
  }
  int64_t next = 0;
  for (int64_t& dim : order) {
    if (dim >= 0) continue;
    while (moved[static_cast<size_t>(next)]) ++next;
    dim = next++;
  }
  return permuted(type, order);
}

TensorType movedim_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return movedim(type, call.dims("source", type.rank(), Call::WhenEmpty::none),
                 call.dims("destination", type.rank(), Call::WhenEmpty::none));
}

TensorType movedim_int_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return movedim(type, {call.dim("source", type.rank())}, {call.dim("destination", type.rank())});
}

TensorType view_meta(const Call& call) {
  const TensorType& type = call.type("self");
  std::optional<TensorType> result = viewed_by(call, type, call.sizes("size"));
  require(result.has_value(),
          "view: the sizes are not compatible with the input's strides (at least one dimension "
          "spans two contiguous subspaces); use reshape instead, input",
          type);
  return *std::move(result);
}

// view.dtype: elements of another size change the last dimension, which must be contiguous; other
// strides and the offset then count new elements.

TensorType with_smaller_elements(TensorType type, int64_t ratio) {
  for (Expr& stride : type.strides) stride = stride * ratio;
  type.offset = type.offset * ratio;
  type.strides.back() = 1;
  type.sizes.back() = type.sizes.back() * ratio;
  return type;
}

TensorType with_larger_elements(const Call& call, TensorType type, int64_t ratio) {
  const auto divided = [&](Expr value, const char* what) {
    call.require_sizes(eq(mod(value, ratio), 0), "view.dtype C3:", what, value,
                       "must be divisible by", ratio, "to view", name(call.type("self").dtype),
                       "as", name(type.dtype));
    return floor_div(value, ratio);
  };
  for (size_t d = 0; d + 1 < type.rank(); ++d) type.strides[d] = divided(type.strides[d], "stride");
  type.offset = divided(type.offset, "the storage offset");
  type.sizes.back() = divided(type.sizes.back(), "the last size");
  return type;
}

TensorType view_dtype_meta(const Call& call) {
  TensorType type = call.type("self");
  const int64_t before = item_size(type.dtype);
  type.dtype = *call.dtype();
  const int64_t after = item_size(type.dtype);
  if (before == after) return type;
  require(type.rank() > 0,
          "view.dtype C1: a tensor of rank 0 has no dimension for elements of "
          "another size:",
          name(call.type("self").dtype), "as", name(type.dtype));
  call.require_sizes(eq(type.strides.back(), 1), "view.dtype C2: the last stride must be 1, but is",
                     type.strides.back());
  return before > after ? with_smaller_elements(std::move(type), before / after)
                        : with_larger_elements(call, std::move(type), after / before);
}

TensorType view_as_meta(const Call& call) {
  std::optional<TensorType> result = viewed_by(call, call.type("self"), call.type("other").sizes);
  require(result.has_value(),
          "view_as: the sizes are not compatible with the input's strides:", call.type("self"));
  return *std::move(result);
}

TensorType unfold_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t dim = call.dim("dimension", type.rank());
  const Expr size = call.expr("size");
  const Expr extent = type.sizes.empty() ? Expr(1) : type.sizes[static_cast<size_t>(dim)];
  call.require_sizes(le(size, extent), "unfold: size", size, "exceeds the dimension", extent);
  return unfolded(type, dim, size, call.expr("step"));
}

Types split_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t dim = call.dim("dim", type.rank());
  const Expr size = type.sizes.empty() ? Expr(0) : type.sizes[static_cast<size_t>(dim)];
  const Expr length = call.expr("split_size");
  // A piece as long as the dimension needs no constant: one part.
  if (known_equal(length, size) && !size.is_constant()) {
    return all(split_by_sizes(type, dim, std::array{size}));
  }
  const int64_t total = constant_size(type, dim, "split");
  require(call.integer("split_size") >= 0, "split: the piece size must not be negative, got",
          length);
  return all(split_by_sizes(type, dim, piece_lengths(total, call.integer("split_size"))));
}

Types split_into(const Call& call, const Sizes& lengths) {
  const TensorType& type = call.type("self");
  const int64_t dim = call.dim("dim", type.rank());
  Types parts = all(split_by_sizes(type, dim, lengths));
  const Expr size = type.sizes[static_cast<size_t>(dim)];
  call.require_sizes(eq(sum(lengths), size),
                     "split: sizes must add up to the dimension's size:", sum(lengths), size);
  for (const Expr length : lengths) {
    call.require_sizes(le(0, length), "split: sizes must not be negative:", length);
  }
  return parts;
}

Types split_with_sizes_meta(const Call& call) {
  return split_into(call, call.sizes("split_sizes"));
}

Types split_sizes_meta(const Call& call) { return split_into(call, call.sizes("split_size")); }

Types chunk_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t dim = call.dim("dim", type.rank());
  const int64_t chunks = call.integer("chunks");
  require(chunks > 0, "chunk: the number of chunks must be positive, got", chunks);
  const std::optional<int64_t> size = type.rank() > 0
                                          ? type.sizes[static_cast<size_t>(dim)].maybe_constant()
                                          : std::optional<int64_t>(0);
  if (!size) {
    const Expr extent = type.sizes[static_cast<size_t>(dim)];
    // As many chunks as requested, the last possibly shorter; sizes that would have fewer are
    // rejected.
    const Expr length = ceil_div(extent, chunks);
    const Expr last = extent - length * (chunks - 1);
    call.require_sizes(logical_or(eq(extent, 0), lt(0, last)),
                       "chunk: the size must have as many chunks as were asked for:", extent,
                       chunks);
    std::vector<Expr> lengths(static_cast<size_t>(chunks), length);
    lengths.back() = last;
    return all(split_by_sizes(type, dim, lengths));
  }
  if (*size == 0) {
    // PyTorch keeps the number of chunks for an empty dimension.
    const std::vector<Expr> lengths(static_cast<size_t>(chunks), Expr(0));
    return all(split_by_sizes(type, dim, lengths));
  }
  return all(split_by_sizes(type, dim, piece_lengths(*size, (*size + chunks - 1) / chunks)));
}

std::vector<TensorType> split_at(const TensorType& type, int64_t dim,
                                 std::span<const Expr> boundaries) {
  std::vector<TensorType> parts;
  Expr start = 0;
  for (const Expr end : boundaries) {
    parts.push_back(sliced(type, dim, start, end, Expr(1)));
    start = end;
  }
  parts.push_back(sliced(type, dim, start, std::nullopt, Expr(1)));
  return parts;
}

std::vector<TensorType> split_evenly(const TensorType& type, int64_t dim, int64_t sections) {
  require(sections > 0, "the number of sections must be positive, got", sections);
  require(type.rank() > 0, "splitting needs at least one dimension:", type);
  const Expr size = type.sizes[static_cast<size_t>(dim)];
  std::vector<TensorType> parts;
  Expr start = 0;
  // The first parts take the remainder.
  for (int64_t i = 0; i < sections; ++i) {
    const Expr length = floor_div(size + (sections - 1 - i), sections);
    parts.push_back(narrowed(type, dim, start, length));
    start = start + length;
  }
  return parts;
}

Types tensor_split_sections_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return all(split_evenly(type, call.dim("dim", type.rank()), call.integer("sections")));
}

Types tensor_split_indices_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return all(split_at(type, call.dim("dim", type.rank()), call.sizes("indices")));
}

// hsplit, vsplit and dsplit are tensor_split along a fixed dimension, which sections must divide.
template <int kDim>
int64_t fixed_split_dim(const TensorType& type) {
  constexpr size_t kLeastRank[] = {2, 1, 3};
  require(type.rank() >= kLeastRank[kDim],
          "the tensor has too few dimensions to be split:", type.rank());
  return kDim == 1 && type.rank() == 1 ? 0 : kDim;
}

template <int kDim>
Types fixed_split_sections_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t dim = fixed_split_dim<kDim>(type);
  const Expr size = type.sizes[static_cast<size_t>(dim)];
  const int64_t sections = call.integer("sections");
  require(sections > 0, "the number of sections must be positive, got", sections);
  call.require_sizes(eq(mod(size, sections), 0),
                     "the sections must divide the dimension evenly:", sections, "of", size);
  return all(split_evenly(type, dim, sections));
}

template <int kDim>
Types fixed_split_indices_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return all(split_at(type, fixed_split_dim<kDim>(type), call.sizes("indices")));
}

Types unbind_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const int64_t dim = call.dim("dim", type.rank());
  Types parts;
  const int64_t count = constant_size(type, dim, "unbind");
  for (int64_t i = 0; i < count; ++i) parts.emplace_back(selected(type, dim, Expr(i)));
  return parts;
}

constexpr std::array kPlainSample{"(f32[2, 3])"sv};
constexpr std::array kAsStridedSample{"(f32[2, 6], [3, 2], [1, 3], 2)"sv};
constexpr std::array kDiagonalSample{"(f32[3, 4], offset=1)"sv,
                                     "(f32[2, 3, 4], offset=-1, dim1=1, dim2=2)"sv};
constexpr std::array kExpandSample{"(f32[3, 1], [2, -1, 4])"sv};
constexpr std::array kExpandAsSample{"(f32[3, 1], f32[2, 3, 4])"sv};
constexpr std::array kPermuteSample{"(f32[2, 3, 4], [2, 0, -2])"sv};
constexpr std::array kSelectSample{"(f32[2, 3], 1, -1)"sv};
constexpr std::array kSliceSample{"(f32[5, 3], 0, 1, 9223372036854775807, 2)"sv,
                                  "(f32[5], 0, -3, -1)"sv};
constexpr std::array kNarrowSample{"(f32[5, 3], 0, 1, 2)"sv};
constexpr std::array kSqueezeSample{"(f32[1, 3, 1])"sv};
constexpr std::array kSqueezeDimSample{"(f32[1, 3], 0)"sv, "(f32[1, 3], 1)"sv};
constexpr std::array kSqueezeDimsSample{"(f32[1, 3, 1], [0, 1])"sv};
constexpr std::array kDimSample{"(f32[2, 3], 1)"sv};
constexpr std::array kTwoDimsSample{"(f32[2, 3, 4], 0, -1)"sv};
constexpr std::array kMovedimSample{"(f32[2, 3, 4], [0, 1], [-1, 0])"sv};
constexpr std::array kViewSample{"(f32[2, 6], [3, -1])"sv};
constexpr std::array kViewDtypeSample{"(f32[2, 3], i32)"sv, "(f32[2, 3], i16)"sv,
                                      "(f32[2, 4], f64)"sv, "(c64[2], f32)"sv};
constexpr std::array kViewAsSample{"(f32[2, 6], f32[3, 4])"sv};
constexpr std::array kUnfoldSample{"(f32[7, 2], 0, 3, 2)"sv};
constexpr std::array kSplitSample{"(f32[5, 2], 2)"sv};
constexpr std::array kSplitSizesSample{"(f32[5, 2], [2, 3])"sv};
constexpr std::array kTensorSplitSample{"(f32[7, 2], 3)"sv};
constexpr std::array kTensorSplitIndicesSample{"(f32[7, 2], [1, 4])"sv};
constexpr std::array kCubeSectionsSample{"(f32[2, 2, 2], 2)"sv};
constexpr std::array kCubeIndicesSample{"(f32[4, 4, 4], [1, 3])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? "
                    "storage_offset=None) -> Tensor(a)",
          .doc = "The storage under the given geometry; the offset counts from the storage start.",
          .meta = as_strided_meta,
          .impl = View{},
          .samples = {.calls = kAsStridedSample}},
    OpDef{.schema = "aten.chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
          .doc = "At most `chunks` parts of equal length, the last possibly shorter.",
          .meta = chunk_meta,
          .impl = View{},
          .samples = {.calls = kTensorSplitSample}},
    OpDef{.schema = "aten.diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> "
                    "Tensor(a)",
          .doc = "The diagonal of two dimensions, as the last dimension.",
          .meta = diagonal_meta,
          .impl = View{},
          .samples = {.calls = kDiagonalSample}},
    OpDef{.schema = "aten.dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
          .doc = "Parts of dimension 2 between the given indices.",
          .meta = fixed_split_indices_meta<2>,
          .impl = View{},
          .samples = {.calls = kCubeIndicesSample}},
    OpDef{.schema = "aten.dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
          .doc = "Equal parts of dimension 2.",
          .meta = fixed_split_sections_meta<2>,
          .impl = View{},
          .samples = {.calls = kCubeSectionsSample}},
    OpDef{.schema = "aten.expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> "
                    "Tensor(a)",
          .doc = "Repeats dimensions of size 1 without moving data; -1 keeps a size.",
          .meta = expand_meta,
          .impl = View{},
          .samples = {.calls = kExpandSample}},
    OpDef{.schema = "aten.expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
          .doc = "expand to the sizes of `other`.",
          .meta = expand_as_meta,
          .impl = View{},
          .samples = {.calls = kExpandAsSample}},
    OpDef{.schema = "aten.hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
          .doc = "Parts of dimension 1 (0 at rank 1) between the given indices.",
          .meta = fixed_split_indices_meta<1>,
          .impl = View{},
          .samples = {.calls = kCubeIndicesSample}},
    OpDef{.schema = "aten.hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
          .doc = "Equal parts of dimension 1 (0 at rank 1).",
          .meta = fixed_split_sections_meta<1>,
          .impl = View{},
          .samples = {.calls = kCubeSectionsSample}},
    OpDef{.schema = "aten.mT(Tensor(a) self) -> Tensor(a)",
          .doc = "Transpose of the last two dimensions.",
          .meta = matrix_transpose_meta,
          .impl = View{},
          .samples = {.calls = kPlainSample}},
    OpDef{.schema = "aten.movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
          .doc = "Moves one dimension to a new place; the others keep their order.",
          .meta = movedim_int_meta,
          .impl = View{},
          .samples = {.calls = kTwoDimsSample}},
    OpDef{.schema = "aten.movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> "
                    "Tensor(a)",
          .doc = "Moves dimensions to new places; the others keep their order.",
          .meta = movedim_meta,
          .impl = View{},
          .samples = {.calls = kMovedimSample}},
    OpDef{.schema = "aten.narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> "
                    "Tensor(a)",
          .doc = "`length` elements of a dimension from `start` on.",
          .meta = narrow_meta,
          .impl = View{},
          .samples = {.calls = kNarrowSample}},
    OpDef{.schema = "aten.numpy_T(Tensor(a) self) -> Tensor(a)",
          .doc = "All dimensions reversed.",
          .meta = numpy_t_meta,
          .impl = View{},
          .samples = {.calls = kPlainSample}},
    OpDef{.schema = "aten.permute(Tensor(a) self, int[] dims) -> Tensor(a)",
          .doc = "Dimension i of the result is dimension dims[i] of the input.",
          .meta = permute_meta,
          .impl = View{},
          .samples = {.calls = kPermuteSample}},
    OpDef{.schema = "aten.select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
          .doc = "One index of a dimension, which is dropped.",
          .meta = select_meta,
          .impl = View{},
          .samples = {.calls = kSelectSample}},
    OpDef{.schema = "aten.slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? "
                    "end=None, SymInt step=1) -> Tensor(a)",
          .doc = "Every step-th element of a dimension in [start, end), both clamped.",
          .meta = slice_meta,
          .impl = View{},
          .samples = {.calls = kSliceSample}},
    OpDef{.schema = "aten.split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> "
                    "Tensor(a)[]",
          .doc = "Parts of `split_size` elements, the last possibly shorter.",
          .meta = split_meta,
          .impl = View{},
          .samples = {.calls = kSplitSample}},
    OpDef{.schema = "aten.split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> "
                    "Tensor(a)[]",
          .doc = "Parts of the given lengths.",
          .meta = split_sizes_meta,
          .impl = View{},
          .samples = {.calls = kSplitSizesSample}},
    OpDef{.schema = "aten.split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) "
                    "-> Tensor(a)[]",
          .doc = "Parts of the given lengths.",
          .meta = split_with_sizes_meta,
          .impl = View{},
          .samples = {.calls = kSplitSizesSample}},
    OpDef{.schema = "aten.squeeze(Tensor(a) self) -> Tensor(a)",
          .doc = "Drops every dimension of size 1.",
          .meta = squeeze_all_meta,
          .impl = View{},
          .traits = ir::Trait::reshape,
          .samples = {.calls = kSqueezeSample}},
    OpDef{.schema = "aten.squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
          .doc = "Drops the dimension if its size is 1.",
          .meta = squeeze_dim_meta,
          .impl = View{},
          .traits = ir::Trait::reshape,
          .samples = {.calls = kSqueezeDimSample}},
    OpDef{.schema = "aten.squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
          .doc = "Drops those of the dimensions whose size is 1.",
          .meta = squeeze_dims_meta,
          .impl = View{},
          .traits = ir::Trait::reshape,
          .samples = {.calls = kSqueezeDimsSample}},
    OpDef{.schema = "aten.swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
          .doc = "Exchanges two dimensions.",
          .meta = swap_axes_meta,
          .impl = View{},
          .samples = {.calls = kTwoDimsSample}},
    OpDef{.schema = "aten.swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
          .doc = "Exchanges two dimensions.",
          .meta = transpose_meta,
          .impl = View{},
          .samples = {.calls = kTwoDimsSample}},
    OpDef{.schema = "aten.t(Tensor(a) self) -> Tensor(a)",
          .doc = "Transpose of a matrix; the input itself below rank 2.",
          .meta = t_meta,
          .impl = View{},
          .samples = {.calls = kPlainSample}},
    OpDef{.schema = "aten.tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) "
                    "-> Tensor(a)[]",
          .doc = "Parts between the given indices.",
          .meta = tensor_split_indices_meta,
          .impl = View{},
          .samples = {.calls = kTensorSplitIndicesSample}},
    OpDef{.schema = "aten.tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) "
                    "-> Tensor(a)[]",
          .doc = "`sections` parts whose lengths differ by at most one, longer ones first.",
          .meta = tensor_split_sections_meta,
          .impl = View{},
          .samples = {.calls = kTensorSplitSample}},
    OpDef{.schema = "aten.transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
          .doc = "Exchanges two dimensions.",
          .meta = transpose_meta,
          .impl = View{},
          .samples = {.calls = kTwoDimsSample}},
    OpDef{.schema = "aten.unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
          .doc = "Every index of a dimension as a part of its own.",
          .meta = unbind_meta,
          .impl = View{},
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
          .doc = "Sliding windows along a dimension, laid out in a new last dimension.",
          .meta = unfold_meta,
          .impl = View{},
          .samples = {.calls = kUnfoldSample}},
    OpDef{.schema = "aten.unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
          .doc = "Inserts a dimension of size 1.",
          .meta = unsqueeze_meta,
          .impl = View{},
          .traits = ir::Trait::reshape,
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
          .doc = "Other sizes for the same elements in the same order; throws where the strides do "
                 "not allow it.",
          .meta = view_meta,
          .impl = View{},
          .traits = ir::Trait::reshape,
          .samples = {.calls = kViewSample}},
    OpDef{.schema = "aten.view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
          .doc = "The same bytes as elements of another dtype.\n"
                 "C1: rank 0 only with elements of one size. C2: else the last stride is 1. C3: "
                 "larger elements divide the last size, the other strides and the offset.",
          .meta = view_dtype_meta,
          .impl = View{},
          .samples = {.calls = kViewDtypeSample}},
    OpDef{.schema = "aten.view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
          .doc = "view to the sizes of `other`.",
          .meta = view_as_meta,
          .impl = View{},
          .traits = ir::Trait::reshape,
          .samples = {.calls = kViewAsSample}},
    OpDef{.schema = "aten.vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
          .doc = "Parts of dimension 0 between the given indices.",
          .meta = fixed_split_indices_meta<0>,
          .impl = View{},
          .samples = {.calls = kCubeIndicesSample}},
    OpDef{.schema = "aten.vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
          .doc = "Equal parts of dimension 0.",
          .meta = fixed_split_sections_meta<0>,
          .impl = View{},
          .samples = {.calls = kCubeSectionsSample}},
};

}  // namespace

std::span<const OpDef> view_ops() { return kOps; }

}  // namespace litz::ops
