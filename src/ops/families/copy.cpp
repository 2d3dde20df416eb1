// Copies, casts, fills, and the operators that may return their input unchanged.
//
// A cast converts directly between dtypes; an intermediate dtype would round twice.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Attribute;
using loops::Scalar;

// Copies that change dtype, device or layout.

Scalar load_self(const PointwiseCall& call) { return call.load("self"); }

Scalar load_a(const PointwiseCall& call) { return call.load("a"); }

TensorType clone_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return preserved_type(self.dtype, self, call.memory_format());
}

TensorType to_copy_meta(const Call& call) {
  const TensorType& self = call.type("self");
  TensorType type = preserved_type(call.dtype().value_or(self.dtype), self, call.memory_format());
  type.device = call.device().value_or(self.device);
  return type;
}

TensorType convert_meta(const Call& call) {
  const TensorType& a = call.type("a");
  require(call.dtype().has_value(), "convert_element_type C1: a dtype must be given");
  const TensorType operands[] = {a};
  return elementwise_type(*call.dtype(), operands);
}

TensorType cast_float_meta(const Call& call) {
  return preserved_type(DType::f32, call.type("self"), std::nullopt);
}

// The overloads of `to`: self itself unless something changes.

struct Conversion {
  DType dtype = DType::f32;
  Device device;
  std::optional<MemoryFormat> format;
  bool is_needed = false;
};

Conversion conversion_of(const Call& call) {
  const TensorType& self = call.type("self");
  Conversion to{self.dtype, self.device, call.memory_format(),
                call.has("copy") && call.flag("copy")};
  if (call.op().schema.find("other") >= 0) {
    to.dtype = call.type("other").dtype;
    to.device = call.type("other").device;
  } else {
    if (const auto dtype = call.dtype()) to.dtype = *dtype;
    if (const auto device = call.device()) to.device = *device;
  }
  // "cuda" without an index matches any index.
  const bool same_device = to.device.kind == self.device.kind &&
                           (to.device.index < 0 || to.device.index == self.device.index);
  if (same_device) to.device = self.device;
  const bool keeps_format = !to.format || *to.format == MemoryFormat::preserve ||
                            suggest_memory_format(self) == *to.format;
  to.is_needed = to.is_needed || to.dtype != self.dtype || !same_device || !keeps_format;
  return to;
}

TensorType to_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const Conversion to = conversion_of(call);
  if (!to.is_needed) return self;
  TensorType type = preserved_type(to.dtype, self, to.format);
  type.device = to.device;
  return type;
}

std::vector<ir::Value> to_nodes(DecomposeCall& call) {
  const Conversion to = conversion_of(call);
  const ir::Value self = call["self"];
  if (!to.is_needed) return {call.aten("alias", {self})};
  ir::Argument format;
  if (to.format) format = Attribute(*to.format);
  // self, dtype, layout, device, pin_memory, non_blocking, memory_format
  return {call.aten("_to_copy", {self,
                                 Attribute(to.dtype),
                                 {},
                                 Attribute(to.device),
                                 {},
                                 Attribute(Expr::boolean(false)),
                                 format})};
}

constexpr OpDef conversion(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = "Self in another dtype, device or memory format; self itself if nothing changes.",
          .meta = to_meta,
          .impl = Decompose{to_nodes},
          .samples = {.calls = calls}};
}

TensorType contiguous_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const MemoryFormat format = call.memory_format().value_or(MemoryFormat::contiguous);
  require(format != MemoryFormat::preserve,
          "contiguous C1: preserve_format says nothing about the result");
  if (is_contiguous(self, format)) return self;
  return preserved_type(self.dtype, self, format);
}

std::vector<ir::Value> contiguous_nodes(DecomposeCall& call) {
  const MemoryFormat format = call.memory_format().value_or(MemoryFormat::contiguous);
  if (is_contiguous(call.type("self"), format)) return {call.aten("alias", {call["self"]})};
  return {call.aten("clone", {call["self"], Attribute(format)})};
}

// Values written over a tensor: functional forms of copy_, fill_ and zero_.

TensorType copy_meta(const Call& call) {
  TensorType type = call.type("self");
  const TensorType& src = call.type("src");
  const Sizes sizes = broadcast_sizes(type.sizes, src.sizes);
  require(sizes.size() == type.rank(), "copy C1: src must broadcast to self:", src, type);
  for (size_t i = 0; i < sizes.size(); ++i) {
    require(!known_not_equal(sizes[i], type.sizes[i]), "copy C1: src must broadcast to self:", src,
            type);
  }
  type.offset = 0;
  return type;
}

Scalar load_src(const PointwiseCall& call) { return call.load("src"); }

TensorType preserved_self(const Call& call) {
  const TensorType& self = call.type("self");
  return preserved_type(self.dtype, self, std::nullopt);
}

TensorType fill_meta(const Call& call) {
  require(!call.is_tensor("value") || call.type("value").rank() == 0,
          "fill C1: the value must be a number or a rank-0 tensor");
  return preserved_self(call);
}

Scalar fill(const PointwiseCall& call) {
  return call.is_tensor("value") ? call.load("value") : call["value"];
}

Scalar zero(const PointwiseCall& call) { return call.constant(0); }

// The memory layout that a decomposed operator stated.

TensorType restrided(const Call& call, const TensorType& self) {
  TensorType type = contiguous_type(self.dtype, self.sizes, self.device);
  type.strides = call.sizes("stride");
  require(type.strides.size() == self.rank(),
          "restride C1: one stride per dimension:", type.strides.size(), self.rank());
  return type;
}

TensorType restride_meta(const Call& call) { return restrided(call, call.type("self")); }

TensorType copy_strided_meta(const Call& call) { return restrided(call, call.type("a")); }

// Views of all of self.

TensorType same_meta(const Call& call) { return call.type("self"); }

constexpr OpDef whole_view(ir::SchemaText schema) {
  return {.schema = schema, .doc = "Self, sharing its storage.", .meta = same_meta, .impl = View{}};
}

TensorType contiguous_self(const Call& call) {
  const TensorType& self = call.type("self");
  return contiguous_type(self.dtype, self.sizes, self.device);
}

constexpr OpDef whole_copy(ir::SchemaText schema, Meta meta = contiguous_self) {
  return {.schema = schema,
          .doc = "A copy of self.",
          .meta = meta,
          .impl = Pointwise{load_self},
          .traits = ir::Trait::copy};
}

constexpr std::string_view kCloneCalls[] = {"(f32[2, 3])", "(f32[2, 3]{1, 2})",
                                            "(f32[1, 2, 3, 4], memory_format=channels_last)"};
constexpr std::string_view kToCopyCalls[] = {"(f32[2, 3], dtype=bf16)", "(i64[2, 3], dtype=f32)",
                                             "(f32[2, 3]{1, 2}, memory_format=contiguous_format)"};
constexpr std::string_view kToDeviceCalls[] = {"(f32[2, 3], cpu, f64)", "(f32[2, 3], cpu, f32)"};
constexpr std::string_view kToDtypeCalls[] = {"(f32[2, 3], f64)", "(f32[2, 3], f32)",
                                              "(f32[2, 3], f32, copy=True)"};
constexpr std::string_view kToLayoutCalls[] = {"(f32[2, 3], dtype=i64)", "(f32[2, 3])"};
constexpr std::string_view kToOtherCalls[] = {"(f32[2, 3], f64[1])", "(f32[2, 3], f32[1])"};
constexpr std::string_view kContiguousCalls[] = {"(f32[2, 3])", "(f32[2, 3]{1, 2})",
                                                 "(f32[s0, 3]{1, s0})"};
constexpr std::string_view kCopyCalls[] = {"(f32[2, 3], f64[3])"};
constexpr std::string_view kFillCalls[] = {"(f32[2, 3], 2)"};
constexpr std::string_view kRestrideCalls[] = {"(f32[2, 3], [1, 2])"};
constexpr std::string_view kFillTensorCalls[] = {"(f32[2, 3], f64[])"};

constexpr std::array kOps{
    OpDef{.schema = "aten._cast_Float(Tensor self, bool non_blocking=False) -> Tensor",
          .doc = "Self as f32.",
          .meta = cast_float_meta,
          .impl = Pointwise{load_self},
          .traits = ir::Trait::copy},
    OpDef{.schema = "aten._to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None, bool non_blocking=False, "
                    "MemoryFormat? memory_format=None) -> Tensor",
          .doc = "A copy in another dtype, device or memory format.",
          .meta = to_copy_meta,
          .impl = Pointwise{load_self},
          .traits = ir::Trait::copy,
          .samples = {.calls = kToCopyCalls}},
    whole_view("aten.alias(Tensor(a) self) -> Tensor(a)"),
    whole_copy("aten.alias_copy(Tensor self) -> Tensor"),
    OpDef{.schema = "aten.clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
          .doc = "A copy; it keeps a dense layout unless a memory format is given.",
          .meta = clone_meta,
          .impl = Pointwise{load_self},
          .traits = ir::Trait::copy,
          .samples = {.calls = kCloneCalls}},
    OpDef{.schema = "aten.contiguous(Tensor(a) self, *, "
                    "MemoryFormat memory_format=contiguous_format) -> Tensor(a)",
          .doc = "Self in the memory format; self itself if it has it already.\n"
                 "C1: the format is not preserve_format.",
          .meta = contiguous_meta,
          .impl = Decompose{contiguous_nodes},
          .samples = {.calls = kContiguousCalls}},
    OpDef{.schema = "aten.copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
          .doc = "src broadcast and cast to self.\nC1: src broadcasts to self.",
          .meta = copy_meta,
          .impl = Pointwise{load_src},
          .inplace = true,
          .samples = {.calls = kCopyCalls}},
    whole_view("aten.detach(Tensor(a) self) -> Tensor(a)"),
    // It only writes the gradient tape, which a program does not have.
    whole_view("aten.detach_(Tensor(a) self) -> Tensor(a)"),
    whole_copy("aten.detach_copy(Tensor self) -> Tensor"),
    OpDef{.schema = "aten.fill.Scalar(Tensor self, Scalar value) -> Tensor",
          .doc = "One value in place of those of self.",
          .meta = fill_meta,
          .impl = Pointwise{fill},
          .inplace = true,
          .held = "value",
          .fills_with = "value",
          .samples = {.calls = kFillCalls}},
    OpDef{.schema = "aten.fill.Tensor(Tensor self, Tensor value) -> Tensor",
          .doc = "One value in place of those of self.\nC1: the value has rank 0.",
          .meta = fill_meta,
          .impl = Pointwise{fill},
          .inplace = true,
          .samples = {.calls = kFillTensorCalls}},
    whole_copy("aten.lift(Tensor self) -> Tensor", preserved_self),
    whole_view("aten.lift_fresh(Tensor(a) self) -> Tensor(a)"),
    whole_copy("aten.lift_fresh_copy(Tensor self) -> Tensor"),
    conversion("aten.to.device(Tensor(a) self, Device device, ScalarType dtype, "
               "bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
               "Tensor(a)",
               kToDeviceCalls),
    conversion("aten.to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, "
               "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
               kToDtypeCalls),
    conversion("aten.to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
               "Tensor(a)",
               kToLayoutCalls),
    conversion("aten.to.other(Tensor(a) self, Tensor other, bool non_blocking=False, "
               "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
               kToOtherCalls),
    conversion("aten.type_as(Tensor(a) self, Tensor other) -> Tensor(a)", kToOtherCalls),
    OpDef{.schema = "aten.zero(Tensor self) -> Tensor",
          .doc = "Zeros in place of the values of self.",
          .meta = preserved_self,
          .impl = Pointwise{zero},
          .inplace = true,
          .fills_with = "0"},
    OpDef{.schema = "litz.restride(Tensor self, SymInt[] stride) -> Tensor",
          .doc = "A copy of self in memory of the given strides.\n"
                 "C1: there is one stride per dimension.",
          .meta = restride_meta,
          .impl = Pointwise{load_self},
          .traits = ir::Trait::copy,
          .samples = {.calls = kRestrideCalls}},
    OpDef{.schema = "prims.convert_element_type(Tensor a, ScalarType dtype) -> Tensor",
          .doc = "A copy in another dtype.\nC1: a dtype is given.",
          .meta = convert_meta,
          .impl = Pointwise{load_a},
          .traits = ir::Trait::copy},
    OpDef{.schema = "prims.copy_strided(Tensor a, SymInt[] stride) -> Tensor",
          .doc = "A copy of a in memory of the given strides.\n"
                 "C1: there is one stride per dimension.",
          .meta = copy_strided_meta,
          .impl = Pointwise{load_a},
          .traits = ir::Trait::copy,
          .samples = {.calls = kRestrideCalls}},
};

}  // namespace

std::span<const OpDef> copy_ops() { return kOps; }

}  // namespace litz::ops
