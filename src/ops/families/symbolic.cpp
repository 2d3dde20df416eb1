// Host scalars: sizes of tensors, data-dependent numbers, and assertions about them.
//
// None of these computes on tensors. A size is known from the type; a number read from data is a
// new symbol, which later sizes and arguments may use.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::ScalarType;

Types integer(Expr value) { return {ScalarType{ExprDomain::integer, value}}; }

Types sym_size(const Call& call) {
  const TensorType& self = call.type("self");
  return integer(self.sizes.at(static_cast<size_t>(call.dim("dim", self.rank()))));
}

Types sym_stride(const Call& call) {
  const TensorType& self = call.type("self");
  return integer(self.strides.at(static_cast<size_t>(call.dim("dim", self.rank()))));
}

Types sym_numel(const Call& call) { return integer(call.type("self").numel()); }

Types all_sizes(const Call& call) {
  Types types;
  for (const Expr size : call.type("self").sizes) {
    types.emplace_back(ScalarType{ExprDomain::integer, size});
  }
  return types;
}

Types truth(bool value) { return {ScalarType{ExprDomain::boolean, Expr::boolean(value)}}; }

Types has_layout(const Call& call) {
  const MemoryFormat format = call.memory_format().value_or(MemoryFormat::contiguous);
  return truth(is_contiguous(call.type("self"), format));
}

// Pinned memory depends on the device that runs the program, not on the program.
Types never(const Call&) { return truth(false); }

Types sym_storage_offset(const Call& call) { return integer(call.type("self").offset); }

Types item(const Call& call) {
  const TensorType& self = call.type("self");
  for (const Expr size : self.sizes) {
    require(!known_not_equal(size, 1), "item C1: self must have one element:", self);
  }
  require(!is_complex(self.dtype), ErrorCode::unsupported,
          "item C2: complex numbers cannot be host scalars:", name(self.dtype));
  if (is_floating(self.dtype)) {
    return {ScalarType{ExprDomain::real, call.module().fresh_symbol({}, ExprDomain::real)}};
  }
  // A bool is read as 0 or 1.
  const Interval range = self.dtype == DType::bool_ ? Interval{0, 1} : Interval{};
  return integer(call.data_dependent(0, range));
}

Types nothing(const Call&) { return {}; }

std::vector<ir::Value> no_nodes(DecomposeCall&) { return {}; }

constexpr OpDef kAssertAsync{
    .schema = "aten._assert_async(Tensor self) -> ()",
    .doc = "Fails unless the one element of self is nonzero.",
    .meta = nothing,
    .impl = Structural{},
    .traits = ir::Trait::side_effect,
};

constexpr OpDef kAssertAsyncMsg{
    .schema = "aten._assert_async.msg(Tensor self, str assert_msg) -> ()",
    .doc = "Fails with the message unless the one element of self is nonzero.",
    .meta = nothing,
    .impl = Structural{},
    .traits = ir::Trait::side_effect,
};

constexpr OpDef kAssertScalar{
    .schema = "aten._assert_scalar(Scalar self, str assert_msg) -> ()",
    .doc = "Fails with the message unless self is true.",
    .meta = nothing,
    .impl = Structural{},
    .traits = ir::Trait::side_effect,
};

constexpr OpDef kAssertTensorMetadata{
    .schema =
        "aten._assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, "
        "ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()",
    .doc = "States what the type of a tensor is, which is checked when a program is imported.",
    .meta = nothing,
    .impl = Decompose{no_nodes},
    .traits = ir::Trait::side_effect,
};

constexpr OpDef kLocalScalarDense{
    .schema = "aten._local_scalar_dense(Tensor self) -> Scalar",
    .doc =
        "The one element of self as a host scalar.\n"
        "C1: self has one element. C2: self is not complex.",
    .meta = item,
    .impl = Structural{},
    .traits = ir::Trait::data_dependent,
};

constexpr OpDef kPrint{
    .schema = "aten._print(str s) -> ()",
    .doc = "Prints a text.",
    .meta = nothing,
    .impl = Structural{},
    .traits = ir::Trait::side_effect,
};

constexpr OpDef kItem{
    .schema = "aten.item(Tensor self) -> Scalar",
    .doc =
        "The one element of self as a host scalar.\n"
        "C1: self has one element. C2: self is not complex.",
    .meta = item,
    .impl = Structural{},
    .traits = ir::Trait::data_dependent,
};

constexpr OpDef kSymConstrainRange{
    .schema = "aten.sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()",
    .doc = "Fails unless min <= size <= max.",
    .meta = nothing,
    .impl = Structural{},
    .traits = ir::Trait::side_effect,
};

constexpr OpDef kSymConstrainRangeForSize{
    .schema =
        "aten.sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()",
    .doc = "Fails unless min <= size <= max; size will be the size of a tensor.",
    .meta = nothing,
    .impl = Structural{},
    .traits = ir::Trait::side_effect,
};

constexpr OpDef kSymNumel{
    .schema = "aten.sym_numel(Tensor self) -> SymInt",
    .doc = "The number of elements.",
    .meta = sym_numel,
    .impl = Structural{},
};

constexpr OpDef kSymSizeInt{
    .schema = "aten.sym_size.int(Tensor self, int dim) -> SymInt",
    .doc = "The size of a dimension.",
    .meta = sym_size,
    .impl = Structural{},
};

constexpr OpDef kSymStorageOffset{
    .schema = "aten.sym_storage_offset(Tensor self) -> SymInt",
    .doc = "Elements from the start of the storage to element 0.",
    .meta = sym_storage_offset,
    .impl = Structural{},
};

constexpr OpDef kSymStrideInt{
    .schema = "aten.sym_stride.int(Tensor self, int dim) -> SymInt",
    .doc = "The stride of a dimension in elements.",
    .meta = sym_stride,
    .impl = Structural{},
};

// A fact from a tensor's type, under the name of its method.
constexpr OpDef fact(ir::SchemaText schema, std::string_view doc, Meta meta) {
  return {.schema = schema, .doc = doc, .meta = meta, .impl = Structural{}};
}

constexpr OpDef kIsPinned =
    fact("aten.is_pinned(Tensor self, Device? device=None) -> bool", "False.", never);

constexpr OpDef kNumel =
    fact("aten.numel(Tensor self) -> int", "The number of elements.", sym_numel);

constexpr OpDef kSizeInt =
    fact("aten.size.int(Tensor self, int dim) -> int", "The size of a dimension.", sym_size);

constexpr OpDef kStrideInt = fact("aten.stride.int(Tensor self, int dim) -> int",
                                  "The stride of a dimension in elements.", sym_stride);

constexpr OpDef kSymIsContiguous = fact(
    "aten.sym_is_contiguous(Tensor self, MemoryFormat memory_format=contiguous_format) -> "
    "SymBool",
    "Whether the memory format is known to hold.", has_layout);

constexpr OpDef kSymSize = fact("aten.sym_size(Tensor self) -> SymInt[]", "All sizes.", all_sizes);

constexpr std::array kOps{
    kAssertAsync,  kAssertAsyncMsg,
    kAssertScalar, kAssertTensorMetadata,
    kItem,         kLocalScalarDense,
    kPrint,        kSymConstrainRange,
    kSymNumel,     kSymConstrainRangeForSize,
    kSymSizeInt,   kSymStorageOffset,
    kSymStrideInt, kIsPinned,
    kNumel,        kSizeInt,
    kStrideInt,    kSymIsContiguous,
    kSymSize,
};

}  // namespace

std::span<const OpDef> symbolic_ops() { return kOps; }

}  // namespace litz::ops
