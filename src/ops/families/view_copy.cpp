// Copies of views, and views of several tensors at once.
//
// Each `x_copy` returns the result of `x` in its own row-major memory. The `unsafe_` forms of split
// and chunk are plain views, since no write through them can be overlooked here.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/op_table.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Attribute;

// "aten.split_copy.Tensor" -> "aten.split.Tensor"; "aten.unsafe_chunk" -> "aten.chunk";
// "aten.squeeze_.dim" -> "aten.squeeze.dim".
std::string original_name(std::string_view op) {
  std::string name(op);
  for (const std::string_view mark : {"_copy", "unsafe_"}) {
    if (const size_t at = name.find(mark); at != std::string::npos) name.erase(at, mark.size());
  }
  const size_t end = std::min(name.find('.', name.find('.') + 1), name.size());
  if (name[end - 1] == '_') name.erase(end - 1, 1);
  // A copy with other sizes does not need matching strides.
  if (name == "aten.view") return "aten.reshape";
  // The only operator whose overloads have different names.
  return name == "aten.transpose" ? "aten.transpose.int" : name;
}

const ir::OpInfo& original(const Call& call) {
  const ir::OpInfo* op = call.module().ops().find(original_name(call.op().name()));
  check(op != nullptr, "a copy of a view has an original:", call.op().name());
  return *op;
}

Types original_types(const Call& call) {
  const ir::OpInfo& op = original(call);
  return definition(op).meta(Call(op, call.arguments(), call.context()));
}

Types copied_types(const Call& call) {
  Types types = original_types(call);
  for (ir::ValueType& type : types) {
    const TensorType& view = std::get<TensorType>(type);
    type = contiguous_type(view.dtype, view.sizes, view.device);
  }
  return types;
}

std::vector<ir::Value> copied_nodes(DecomposeCall& call) {
  const std::span<const ir::Argument> arguments = call.arguments();
  const ir::Node* view = call.graph().create(original(call), {arguments.begin(), arguments.end()});
  std::vector<ir::Value> copies;
  for (const ir::Value& output : view->outputs()) {
    copies.push_back(call.aten("clone", {output, Attribute(MemoryFormat::contiguous)}));
  }
  return copies;
}

constexpr OpDef copy_of(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = "What the view of the same name gives, copied.",
          .meta = copied_types,
          .impl = Decompose{copied_nodes},
          .samples = {.calls = calls}};
}

constexpr OpDef plain_view(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = "What the operator without unsafe_ in its name gives.",
          .meta = original_types,
          .impl = View{},
          .samples = {.calls = calls}};
}

// An in-place view changes the operand's type, not its contents; programs then read the result.
constexpr OpDef in_place_view(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = "What the operator without the underscore gives.",
          .meta = original_types,
          .impl = View{},
          .samples = {.calls = calls}};
}

// Broadcasting.

TensorType broadcast_to_meta(const Call& call) {
  return expanded(call.type("self"), call.sizes("size"));
}

Sizes common_sizes(const Call& call) {
  Sizes sizes;
  for (const TensorType& type : call.types("tensors")) sizes = broadcast_sizes(sizes, type.sizes);
  return sizes;
}

Types broadcast_meta(const Call& call) {
  const Sizes sizes = common_sizes(call);
  Types types;
  for (const TensorType& type : call.types("tensors")) types.push_back(expanded(type, sizes));
  return types;
}

std::vector<ir::Value> broadcast_nodes(DecomposeCall& call) {
  const Sizes sizes = common_sizes(call);
  std::vector<ir::Value> views;
  for (const ir::Value& tensor : call.values("tensors")) {
    views.push_back(call.aten("expand", {tensor, Attribute(sizes)}));
  }
  return views;
}

// meshgrid: each tensor gets its own axis; "xy" exchanges the first two axes.

struct Grid {
  std::vector<size_t> axes;  // Of each tensor.
  Sizes sizes;
};

Grid grid_of(const Call& call) {
  Grid grid;
  const std::vector<TensorType> types = call.types("tensors");
  bool swaps = false;
  require(!types.empty(), "meshgrid C1: a tensor must be given");
  if (call.op().schema.find("indexing") >= 0) {
    const std::string_view indexing = call.str("indexing");
    require(indexing == "ij" || indexing == "xy",
            "meshgrid C2: indexing must be ij or xy:", indexing);
    swaps = indexing == "xy" && types.size() > 1;
  }
  for (size_t i = 0; i < types.size(); ++i) grid.axes.push_back(i);
  if (swaps) std::swap(grid.axes[0], grid.axes[1]);
  grid.sizes.resize(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    require(types[i].rank() <= 1,
            "meshgrid C3: tensors must have at most one dimension:", types[i]);
    require(types[i].dtype == types[0].dtype, "meshgrid C4: tensors must have one dtype:", types[i],
            types[0]);
    grid.sizes[grid.axes[i]] = types[i].numel();
  }
  return grid;
}

Sizes axis_sizes(const Grid& grid, size_t tensor) {
  Sizes sizes(grid.sizes.size(), Expr(1));
  sizes[grid.axes[tensor]] = grid.sizes[grid.axes[tensor]];
  return sizes;
}

Types meshgrid_meta(const Call& call) {
  const Grid grid = grid_of(call);
  const std::vector<TensorType> tensors = call.types("tensors");
  Types types;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::optional<TensorType> axis = viewed(tensors[i], axis_sizes(grid, i));
    check(axis.has_value(), "a list of numbers can be viewed along any axis:", tensors[i]);
    types.push_back(expanded(*axis, grid.sizes));
  }
  return types;
}

std::vector<ir::Value> meshgrid_nodes(DecomposeCall& call) {
  const Grid grid = grid_of(call);
  const std::span<const ir::Value> tensors = call.values("tensors");
  std::vector<ir::Value> grids;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ir::Value axis = call.aten("view", {tensors[i], Attribute(axis_sizes(grid, i))});
    grids.push_back(call.aten("expand", {axis, Attribute(grid.sizes)}));
  }
  return grids;
}

// Every tuple of elements of the given lists, one per row.

TensorType cartesian_meta(const Call& call) {
  const std::vector<TensorType> types = call.types("tensors");
  require(!types.empty(), "cartesian_prod C1: a tensor must be given");
  Expr rows = 1;
  for (const TensorType& type : types) {
    require(type.rank() == 1, "cartesian_prod C2: tensors must be lists:", type);
    require(type.dtype == types[0].dtype, "cartesian_prod C3: tensors must have one dtype:", type,
            types[0]);
    rows = rows * type.sizes[0];
  }
  if (types.size() == 1) return types[0];
  return contiguous_type(types[0].dtype, {rows, static_cast<int64_t>(types.size())},
                         types[0].device);
}

std::vector<ir::Value> cartesian_nodes(DecomposeCall& call) {
  const std::span<const ir::Value> tensors = call.values("tensors");
  if (tensors.size() == 1) return {call.aten("alias", {tensors[0]})};
  const std::vector<ir::Value> grids = call.aten_all(
      "meshgrid.indexing", {std::vector(tensors.begin(), tensors.end()), Attribute("ij")});
  std::vector<ir::Value> columns;
  columns.reserve(grids.size());
  for (const ir::Value& grid : grids) {
    columns.push_back(call.aten("reshape", {grid, Attribute(ir::Scalars{-1})}));
  }
  return {call.aten("stack", {columns, Expr(1)})};
}

// Conjugate transposes.

TensorType adjoint_type(const Call& call) {
  const TensorType& self = call.type("self");
  // A number is its own transpose.
  require(self.rank() != 1, "a matrix is transposed:", call.op().name(), self);
  require(call.op().name() != "aten.matrix_H" || self.rank() <= 2,
          "matrix_H C1: self must be one matrix:", self);
  if (self.rank() == 0) return self;
  const auto rank = static_cast<int64_t>(self.rank());
  const TensorType type = transposed(self, rank - 2, rank - 1);
  return is_complex(self.dtype) ? preserved_type(self.dtype, type, std::nullopt) : type;
}

std::vector<ir::Value> adjoint_nodes(DecomposeCall& call) {
  const ir::Value self = call["self"];
  const ir::Value turned = self.tensor().rank() == 0
                               ? call.aten("alias", {self})
                               : call.aten("transpose.int", {self, Expr(-2), Expr(-1)});
  if (!is_complex(turned.tensor().dtype)) return {turned};
  return {call.aten("_conj", {turned})};
}

constexpr std::string_view kAdjoint[] = {"(f32[2, 3])", "(c64[2, 3])"};

constexpr OpDef adjoint_of(ir::SchemaText schema) {
  return {.schema = schema,
          .doc = "Transposed and conjugated.",
          .meta = adjoint_type,
          .impl = Decompose{adjoint_nodes},
          .samples = {.calls = kAdjoint}};
}

TensorType linalg_diagonal_meta(const Call& call) {
  const TensorType& a = call.type("A");
  return diagonal_of(a, call.integer("offset"), call.dim("dim1", a.rank()),
                     call.dim("dim2", a.rank()));
}

constexpr std::string_view kAsStrided[] = {"(f32[6], [2, 2], [1, 2], 1)"};
constexpr std::string_view kDiagonal[] = {"(f32[3, 4], 1)"};
constexpr std::string_view kExpand[] = {"(f32[3, 1], [2, 3, 4])"};
constexpr std::string_view kNarrow[] = {"(f32[4, 3], 0, 1, 2)"};
constexpr std::string_view kPermute[] = {"(f32[2, 3, 4], [2, 0, 1])"};
constexpr std::string_view kSelect[] = {"(f32[2, 3], 1, 2)"};
constexpr std::string_view kSlice[] = {"(f32[5, 3], 0, 1, 4, 2)"};
constexpr std::string_view kSplit[] = {"(f32[5, 3], 2)"};
constexpr std::string_view kSplitSizes[] = {"(f32[5, 3], [2, 3])"};
constexpr std::string_view kSqueeze[] = {"(f32[2, 1, 3])"};
constexpr std::string_view kSqueezeDim[] = {"(f32[2, 1, 3], 1)"};
constexpr std::string_view kSqueezeDims[] = {"(f32[2, 1, 3], [1])"};
constexpr std::string_view kTransposed[] = {"(f32[2, 3])"};
constexpr std::string_view kTranspose[] = {"(f32[2, 3, 4], 0, 2)"};
constexpr std::string_view kUnbind[] = {"(f32[2, 3])"};
constexpr std::string_view kUnfold[] = {"(f32[5, 3], 0, 2, 1)"};
constexpr std::string_view kUnsqueeze[] = {"(f32[2, 3], 1)"};
constexpr std::string_view kView[] = {"(f32[2, 6], [3, 4])"};
constexpr std::string_view kPairs[] = {"(f32[3, 2])"};
constexpr std::string_view kComplex[] = {"(c64[3])"};
constexpr std::string_view kViewDtype[] = {"(f32[2, 3], i16)"};
constexpr std::string_view kBroadcast[] = {"([f32[3, 1], f32[4]])"};
constexpr std::string_view kMeshgrid[] = {"([f32[3], f32[4], f32[]])"};
constexpr std::string_view kMeshgridIndexing[] = {"([f32[3], f32[4]], indexing='xy')",
                                                  "([f32[3], f32[4]], indexing='ij')"};
constexpr std::string_view kCartesian[] = {"([f32[3], f32[4]])", "([f32[3]])"};

constexpr std::array kOps{
    adjoint_of("aten.adjoint(Tensor(a) self) -> Tensor(a)"),
    in_place_view("aten.as_strided_(Tensor(a) self, SymInt[] size, SymInt[] stride, "
                  "SymInt? storage_offset=None) -> Tensor(a)",
                  kAsStrided),
    copy_of("aten.as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, "
            "SymInt? storage_offset=None) -> Tensor",
            kAsStrided),
    OpDef{.schema = "aten.broadcast_tensors(Tensor[] tensors) -> Tensor[]",
          .doc = "Views of all tensors under their common shape.",
          .meta = broadcast_meta,
          .impl = Decompose{broadcast_nodes},
          .samples = {.calls = kBroadcast}},
    OpDef{.schema = "aten.broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)",
          .doc = "A view of self under a larger shape.",
          .meta = broadcast_to_meta,
          .impl = View{},
          .samples = {.calls = kExpand}},
    OpDef{.schema = "aten.cartesian_prod(Tensor[] tensors) -> Tensor",
          .doc = "Every tuple of elements, one a row.\nC1: a tensor is given. C2: all are lists. "
                 "C3: they have one dtype.",
          .meta = cartesian_meta,
          .impl = Decompose{cartesian_nodes},
          .samples = {.calls = kCartesian}},
    copy_of("aten.diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
            kDiagonal),
    copy_of("aten.expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor",
            kExpand),
    OpDef{.schema = "aten.linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, "
                    "int dim2=-1) -> Tensor(a)",
          .doc = "A view of the diagonals of matrices.",
          .meta = linalg_diagonal_meta,
          .impl = View{},
          .samples = {.calls = kTransposed}},
    adjoint_of("aten.mH(Tensor(a) self) -> Tensor(a)"),
    adjoint_of("aten.matrix_H(Tensor(a) self) -> Tensor(a)"),
    OpDef{.schema = "aten.meshgrid(Tensor[] tensors) -> Tensor[]",
          .doc =
              "Views of lists along axes of their own, under one shape.\n"
              "C1: a tensor is given. C3: each has at most one dimension. C4: they have one dtype.",
          .meta = meshgrid_meta,
          .impl = Decompose{meshgrid_nodes},
          .samples = {.calls = kMeshgrid}},
    OpDef{.schema = "aten.meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]",
          .doc =
              "Views of lists along axes of their own, under one shape; 'xy' swaps the first two "
              "axes.\n"
              "C1: a tensor is given. C2: indexing is ij or xy. C3: each has at most one "
              "dimension. C4: they have one dtype.",
          .meta = meshgrid_meta,
          .impl = Decompose{meshgrid_nodes},
          .samples = {.calls = kMeshgridIndexing}},
    copy_of("aten.narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
            kNarrow),
    copy_of("aten.permute_copy(Tensor self, int[] dims) -> Tensor", kPermute),
    copy_of("aten.select_copy.int(Tensor self, int dim, SymInt index) -> Tensor", kSelect),
    copy_of("aten.slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, "
            "SymInt? end=None, SymInt step=1) -> Tensor",
            kSlice),
    copy_of("aten.split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
            kSplit),
    copy_of("aten.split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> "
            "Tensor[]",
            kSplitSizes),
    in_place_view("aten.squeeze_(Tensor(a) self) -> Tensor(a)", kSqueeze),
    in_place_view("aten.squeeze_.dim(Tensor(a) self, int dim) -> Tensor(a)", kSqueezeDim),
    in_place_view("aten.squeeze_.dims(Tensor(a) self, int[] dim) -> Tensor(a)", kSqueezeDims),
    copy_of("aten.squeeze_copy(Tensor self) -> Tensor", kSqueeze),
    copy_of("aten.squeeze_copy.dim(Tensor self, int dim) -> Tensor", kSqueezeDim),
    copy_of("aten.squeeze_copy.dims(Tensor self, int[] dim) -> Tensor", kSqueezeDims),
    in_place_view("aten.swapaxes_(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", kTranspose),
    in_place_view("aten.swapdims_(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", kTranspose),
    in_place_view("aten.t_(Tensor(a) self) -> Tensor(a)", kTransposed),
    copy_of("aten.t_copy(Tensor self) -> Tensor", kTransposed),
    in_place_view("aten.transpose_(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", kTranspose),
    copy_of("aten.transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor", kTranspose),
    copy_of("aten.unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", kUnbind),
    copy_of("aten.unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", kUnfold),
    plain_view("aten.unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", kSplit),
    plain_view("aten.unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
               kSplit),
    plain_view("aten.unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> "
               "Tensor[]",
               kSplitSizes),
    in_place_view("aten.unsqueeze_(Tensor(a) self, int dim) -> Tensor(a)", kUnsqueeze),
    copy_of("aten.unsqueeze_copy(Tensor self, int dim) -> Tensor", kUnsqueeze),
    copy_of("aten.view_as_complex_copy(Tensor self) -> Tensor", kPairs),
    copy_of("aten.view_as_real_copy(Tensor self) -> Tensor", kComplex),
    copy_of("aten.view_copy(Tensor self, SymInt[] size) -> Tensor", kView),
    copy_of("aten.view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor", kViewDtype),
};

}  // namespace

std::span<const OpDef> view_copy_ops() { return kOps; }

}  // namespace litz::ops
