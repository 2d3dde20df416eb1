// Resizing: the same storage, read row by row with other sizes.
//
// In-place forms change the operand's type, not its contents, so they are views here. Growing
// beyond the storage would expose uninitialised memory; the functional form adds zeros.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Exprs;
using loops::Scalar;

TensorType resized_type(const Call& call, Sizes sizes) {
  TensorType type = call.type("self");
  const MemoryFormat format = call.memory_format().value_or(MemoryFormat::contiguous);
  type.strides =
      format == MemoryFormat::preserve ? contiguous_strides(sizes) : strides_for(format, sizes);
  type.sizes = std::move(sizes);
  return type;
}

TensorType resize_meta(const Call& call) {
  TensorType type = resized_type(call, call.sizes("size"));
  type.offset = 0;
  return type;
}

// The number of storage elements from self's element 0 to its last.
Expr span_of(const TensorType& self) {
  Expr span = 1;
  for (size_t i = 0; i < self.rank(); ++i) {
    if (self.sizes[i].is(0)) return 0;
    span = span + (self.sizes[i] - 1) * self.strides[i];
  }
  return span;
}

TensorType fitting(const Call& call, TensorType type) {
  const Expr span = span_of(call.type("self"));
  require(known_less_equal(type.numel(), span), ErrorCode::unsupported,
          "resizing in place is only supported within the storage of self; try a new tensor:",
          call.type("self"), type);
  return type;
}

TensorType resize_in_place_meta(const Call& call) {
  return fitting(call, resized_type(call, call.sizes("size")));
}

TensorType resize_as_meta(const Call& call) {
  return fitting(call, resized_type(call, call.type("the_template").sizes));
}

void resize(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  const TensorType& out = call.result();
  const Expr span = span_of(self);
  TensorType flat = self;
  flat.sizes = {span};
  flat.strides = {1};
  const Scalar zero = b.cast(b.constant(DType::f32, 0.0), out.dtype);
  b.loop(out.sizes, [&](Exprs i) {
    Expr at = 0;
    for (size_t d = 0; d < out.rank(); ++d) at = at + i[d] * out.strides[d];
    const loops::IndexVector index{at};
    const loops::BufferId buffer = call.in_as("self", flat);
    const Scalar value = known_less_equal(out.numel(), span)
                             ? b.load(buffer, index)
                             : b.load_if(b.index(at) < b.index(span), buffer, index, zero);
    b.store(call.out(), i, value);
  });
}

constexpr std::string_view kResizeCalls[] = {"(f32[2, 3], [3, 2])", "(f32[2, 3], [2, 2])",
                                             "(i64[2], [4])"};
constexpr std::string_view kInPlaceCalls[] = {"(f32[2, 3], [3, 2])", "(f32[2, 3], [4])"};
constexpr std::string_view kTemplateCalls[] = {"(f32[2, 3], f32[6])"};

constexpr std::array kOps{
    OpDef{
        .schema = "aten.resize(Tensor self, SymInt[] size, *, "
                  "MemoryFormat? memory_format=None) -> Tensor",
        .doc = "The elements of the storage of self under other sizes; zeros where there are more.",
        .meta = resize_meta,
        .impl = LoopNest{resize},
        .samples = {.calls = kResizeCalls}},
    OpDef{.schema = "aten.resize_(Tensor(a) self, SymInt[] size, *, "
                    "MemoryFormat? memory_format=None) -> Tensor(a)",
          .doc = "Self under other sizes, within its storage.",
          .meta = resize_in_place_meta,
          .impl = View{},
          .samples = {.calls = kInPlaceCalls}},
    OpDef{.schema = "aten.resize_as_(Tensor(a) self, Tensor the_template, *, "
                    "MemoryFormat? memory_format=None) -> Tensor(a)",
          .doc = "Self under the sizes of another tensor, within its storage.",
          .meta = resize_as_meta,
          .impl = View{},
          .samples = {.calls = kTemplateCalls}},
};

}  // namespace

std::span<const OpDef> resize_ops() { return kOps; }

}  // namespace litz::ops
