// Complex numbers: their parts, conjugates, and construction from two reals.
//
// A complex tensor is stored as pairs of reals, so its parts are views with doubled strides.
// Conjugates are computed: there are no lazily conjugated tensors.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Scalar;

// A view of the real (0) or imaginary (1) parts of a complex tensor.
TensorType part_type(const TensorType& self, int part) {
  TensorType type = self;
  type.dtype = real_dtype(self.dtype);
  for (Expr& stride : type.strides) stride = stride * 2;
  type.offset = self.offset * 2 + part;
  return type;
}

TensorType real_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return is_complex(self.dtype) ? part_type(self, 0) : self;
}

TensorType imag_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(is_complex(self.dtype),
          "imag C1: real tensors have no imaginary part:", name(self.dtype));
  return part_type(self, 1);
}

TensorType view_as_real_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(is_complex(self.dtype), "view_as_real C1: self must be complex:", name(self.dtype));
  TensorType type = part_type(self, 0);
  type.sizes.push_back(2);
  type.strides.push_back(1);
  return type;
}

TensorType view_as_complex_meta(const Call& call) {
  TensorType type = call.type("self");
  require(is_floating(type.dtype), "view_as_complex C1: self must be real:", name(type.dtype));
  require(type.rank() > 0 && type.sizes.back().is(2) && type.strides.back().is(1),
          "view_as_complex C2: the last dimension must hold adjacent pairs:", type);
  type.dtype = complex_dtype(type.dtype);
  type.sizes.pop_back();
  type.strides.pop_back();
  for (size_t d = 0; d < type.rank(); ++d) {
    Expr& stride = type.strides[d];
    // Nothing steps along a dimension of one element.
    require(type.sizes[d].is(1) || !known_not_equal(mod(stride, 2), 0),
            "view_as_complex C3: strides must be even:", stride);
    stride = floor_div(stride, 2);
  }
  type.offset = floor_div(type.offset, 2);
  return type;
}

TensorType conj_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return preserved_type(self.dtype, self, std::nullopt);
}

Scalar conj_body(const PointwiseCall& call) {
  const Scalar x = call.load("self");
  if (!is_complex(call.result())) return x;
  return conj(call.builder().cast(x, call.compute()));
}

TensorType angle_meta(const Call& call) {
  TensorType type = meta::floating_like_self(call);
  type.dtype = real_dtype(type.dtype);
  return type;
}

Scalar angle_body(const PointwiseCall& call) { return angle(call["self"]); }

TensorType pair_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  require(is_floating(type.dtype), "parts of complex numbers must be real:", call.op().name(),
          name(type.dtype));
  for (const ir::SchemaArgument& part : call.op().schema.arguments) {
    require(call.type(part.name).dtype == type.dtype,
            "parts of complex numbers must have one dtype:", call.op().name(),
            call.type(part.name));
  }
  type.dtype = complex_dtype(type.dtype);
  return type;
}

Scalar complex_body(const PointwiseCall& call) {
  const DType part = real_dtype(call.compute());
  return make_complex(call.as("real", part), call.as("imag", part));
}

Scalar polar(const PointwiseCall& call) {
  const DType part = real_dtype(call.compute());
  const Scalar radius = call.as("abs", part);
  const Scalar angle = call.as("angle", part);
  return make_complex(radius * cos(angle), radius * sin(angle));
}

constexpr OpDef conjugate(ir::SchemaText schema, std::span<const std::string_view> calls,
                          bool inplace = false) {
  return {.schema = schema,
          .doc = "Complex conjugate; real tensors are copied.",
          .meta = conj_meta,
          .impl = Pointwise{conj_body},
          .inplace = inplace,
          .samples = {.calls = calls}};
}

// Conjugation and negation are never lazy here, so there is nothing to resolve.
TensorType same_meta(const Call& call) { return call.type("self"); }

constexpr OpDef resolution(ir::SchemaText schema) {
  return {.schema = schema, .doc = "Self.", .meta = same_meta, .impl = View{}};
}

constexpr std::string_view kComplexSelf[] = {"(c64[2, 3])"};
constexpr std::string_view kEitherSelf[] = {"(c64[2, 3])", "(f32[3])"};
constexpr std::string_view kPairs[] = {"(f32[3, 2])"};

constexpr std::array kOps{
    conjugate("aten._conj(Tensor self) -> Tensor", kComplexSelf),
    conjugate("aten._conj_physical(Tensor self) -> Tensor", kEitherSelf),
    OpDef{.schema = "aten.angle(Tensor self) -> Tensor",
          .doc = "Argument of a complex number; 0 or pi for reals.",
          .meta = angle_meta,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{angle_body},
          .samples = {.calls = kEitherSelf}},
    OpDef{.schema = "aten.complex(Tensor real, Tensor imag) -> Tensor",
          .doc = "real + i imag.",
          .meta = pair_meta,
          .impl = Pointwise{complex_body}},
    conjugate("aten.conj(Tensor self) -> Tensor", kEitherSelf),
    conjugate("aten.conj_physical(Tensor self) -> Tensor", kEitherSelf, true),
    OpDef{.schema = "aten.imag(Tensor(a) self) -> Tensor(a)",
          .doc = "Imaginary parts, a view.\nC1: self is complex.",
          .meta = imag_meta,
          .impl = View{},
          .samples = {.calls = kComplexSelf}},
    OpDef{.schema = "aten.polar(Tensor abs, Tensor angle) -> Tensor",
          .doc = "The complex number of this magnitude and angle.",
          .meta = pair_meta,
          .impl = Pointwise{polar}},
    OpDef{.schema = "aten.real(Tensor(a) self) -> Tensor(a)",
          .doc = "Real parts, a view; self if it is real.",
          .meta = real_meta,
          .impl = View{},
          .samples = {.calls = kEitherSelf}},
    resolution("aten.resolve_conj(Tensor(a) self) -> Tensor(a)"),
    resolution("aten.resolve_neg(Tensor(a) self) -> Tensor(a)"),
    OpDef{.schema = "aten.view_as_complex(Tensor(a) self) -> Tensor(a)",
          .doc = "Adjacent pairs of the last dimension as complex numbers, a view.\n"
                 "C1: self is real. C2: its last dimension is 2 with stride 1. C3: the other "
                 "strides are even.",
          .meta = view_as_complex_meta,
          .impl = View{},
          .samples = {.calls = kPairs}},
    OpDef{.schema = "aten.view_as_real(Tensor(a) self) -> Tensor(a)",
          .doc = "Parts along a new last dimension, a view.\nC1: self is complex.",
          .meta = view_as_real_meta,
          .impl = View{},
          .samples = {.calls = kComplexSelf}},
};

}  // namespace

std::span<const OpDef> complex_ops() { return kOps; }

}  // namespace litz::ops
