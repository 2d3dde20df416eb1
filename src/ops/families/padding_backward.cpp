// Derivatives of paddings that repeat elements: adds gradients where elements came from.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/operand_dtypes.h"
#include "ops/families/pad_map.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;

bool reflects(const Call& call) {
  return call.op().name().find("reflection") != std::string_view::npos;
}

TensorType padding_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& gradient = call.type("grad_output");
  const Sizes padding = call.sizes("padding");
  const size_t dims = padding.size() / 2;
  require(padding.size() % 2 == 0 && self.rank() > dims && self.rank() <= dims + 2 &&
              gradient.rank() == self.rank(),
          "padding C1: the gradient has the rank of self, which has one or two dimensions that are "
          "not padded:",
          gradient, self);
  require_same_dtypes(call, {"self", "grad_output"});
  for (size_t d = 0; d < self.rank(); ++d) {
    const size_t i = self.rank() - 1 - d;  // The last dimension comes first.
    const Expr size = self.sizes[d];
    const Expr before = i < dims ? padding[2 * i] : Expr(0);
    const Expr after = i < dims ? padding[2 * i + 1] : Expr(0);
    call.require_sizes(eq(gradient.sizes[d], size + before + after),
                       "padding C2: the gradient is self with its padding:", gradient, self);
    if (i >= dims) continue;
    if (reflects(call)) {
      call.require_sizes(logical_and(lt(before, size), lt(after, size)),
                         "padding C3: a reflection is less than the size:", before, after, size);
    }
    call.require_sizes(lt(0, size), "padding C3: what is repeated is not empty:", self);
  }
  // Kernels of more than one dimension that replicate want channels.
  if (dims > 1 && !reflects(call)) {
    call.require_sizes(lt(0, self.sizes[self.rank() - dims - 1]),
                       "padding C3: what is repeated is not empty:", self);
  }
  return contiguous_type(self.dtype, self.sizes, self.device);
}

void padding_backward(NestCall& call) {
  const TensorType& self = call.type("self");
  const Sizes padding = call.sizes("padding");
  const PadMap map = reflects(call) ? reflect_map : replicate_map;
  KernelBuilder& b = call.builder();
  b.loop(self.sizes, [&](Exprs i) {
    b.store(call.out(), i, b.cast(b.constant(DType::i64, int64_t{0}), self.dtype));
  });
  b.loop(call.type("grad_output").sizes, [&](Exprs i) {
    IndexVector place(i.begin(), i.end());
    for (size_t k = 0; k < padding.size() / 2; ++k) {
      const size_t dim = self.rank() - 1 - k;
      place[dim] = b.index(map(i[dim] - padding[2 * k], self.sizes[dim])).id();
    }
    b.store(call.out(), place, b.load(call.in("grad_output"), i), loops::StoreMode::add);
  });
}

constexpr std::array kLineSample{"(f32[2, 3, 7], f32[2, 3, 4], [1, 2])"sv,
                                 "(f16[3, 6], f16[3, 5], [2, -1])"sv};
constexpr std::array kImageSample{"(f32[1, 2, 6, 7], f32[1, 2, 4, 4], [1, 2, 2, 0])"sv,
                                  "(f32[s0, 5, 5], f32[s0, 3, 3], [1, 1, 1, 1])"sv};
constexpr std::array kVolumeSample{
    "(f32[1, 2, 4, 4, 5], f32[1, 2, 3, 3, 3], [1, 1, 0, 1, 1, 0])"sv};

constexpr OpDef derivative(ir::SchemaText schema, std::string_view doc,
                           std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = padding_meta,
          .impl = LoopNest{padding_backward},
          .samples = {.calls = calls}};
}

constexpr std::string_view kReflectionDoc =
    "Derivative of padding by reflection.\nC1 to C3 as those of the padding.";
constexpr std::string_view kReplicationDoc =
    "Derivative of padding by edge values.\nC1 to C3 as those of the padding.";

constexpr std::array kOps{
    derivative("aten.reflection_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] "
               "padding) -> Tensor",
               kReflectionDoc, kLineSample),
    derivative("aten.reflection_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] "
               "padding) -> Tensor",
               kReflectionDoc, kImageSample),
    derivative("aten.reflection_pad3d_backward(Tensor grad_output, Tensor self, SymInt[6] "
               "padding) -> Tensor",
               kReflectionDoc, kVolumeSample),
    derivative("aten.replication_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] "
               "padding) -> Tensor",
               kReplicationDoc, kLineSample),
    derivative("aten.replication_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] "
               "padding) -> Tensor",
               kReplicationDoc, kImageSample),
    derivative("aten.replication_pad3d_backward(Tensor grad_output, Tensor self, SymInt[6] "
               "padding) -> Tensor",
               kReplicationDoc, kVolumeSample),
};

}  // namespace

std::span<const OpDef> padding_backward_ops() { return kOps; }

}  // namespace litz::ops
