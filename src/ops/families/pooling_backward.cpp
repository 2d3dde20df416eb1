// Derivatives of poolings with indices: adds gradients where elements came from.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/image_checks.h"
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

// "aten.adaptive_max_pool2d_backward" -> 2
size_t spatial_dims(const Call& call) {
  return call.op().name().find("pool3d") != std::string_view::npos ? 3 : 2;
}

TensorType placed_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& gradient = call.type("grad_output");
  const TensorType& indices = call.type("indices");
  const size_t dims = spatial_dims(call);
  require((self.rank() == dims + 1 || self.rank() == dims + 2) && gradient.rank() == self.rank() &&
              indices.rank() == self.rank() && gradient.dtype == self.dtype,
          "the gradient of a pooling and its positions have the rank of what was pooled:", gradient,
          indices, self);
  require_index(call, "indices", IndexTypes::i64);
  require_image(call, self, dims);
  require_image(call, gradient, dims);
  Sizes sizes(self.sizes.begin(), self.sizes.end() - static_cast<ptrdiff_t>(dims));
  const bool is_fractional = call.op().schema.find("output_size") >= 0;
  for (size_t d = sizes.size(); d < self.rank(); ++d) {
    sizes.push_back(is_fractional ? call.sizes("output_size").at(d - (self.rank() - dims))
                                  : gradient.sizes[d]);
  }
  require_sizes_are(call, gradient, sizes, "the gradient has the sizes of the result:");
  require_sizes_are(call, indices, sizes, "every element of a gradient has a position:");
  TensorType type = contiguous_type(self.dtype, self.sizes, self.device);
  if (call.op().name() == "aten.adaptive_max_pool2d_backward") {
    type.strides = strides_for(suggest_memory_format(self), self.sizes);
  }
  return type;
}

void place_gradients(NestCall& call) {
  const TensorType& self = call.type("self");
  const size_t first = self.rank() - spatial_dims(call);
  KernelBuilder& b = call.builder();
  b.loop(self.sizes, [&](Exprs i) {
    b.store(call.out(), i, b.cast(b.constant(DType::i64, int64_t{0}), self.dtype));
  });
  const Expr image = product(std::span(self.sizes).subspan(first));
  b.loop(call.type("grad_output").sizes, [&](Exprs i) {
    Scalar position = b.bound_index(b.cast(b.load(call.in("indices"), i), DType::i64), image, false,
                                    "index of " + std::string(call.op().name()));
    IndexVector place(i.begin(), i.end());
    for (size_t d = self.rank(); d-- > first;) {
      const Scalar size = b.index(self.sizes[d]);
      place[d] = mod(position, size).id();
      position = floor_div(position, size);
    }
    b.store(call.out(), place, b.load(call.in("grad_output"), i), loops::StoreMode::add);
  });
}

constexpr std::array kAdaptive2dSample{
    "(f32[1, 2, 3, 3], f32[1, 2, 5, 6], i64[1, 2, 3, 3] in [0, 30))"sv,
    "(f32[s0, 2, 2], f32[s0, 5, 6], i64[s0, 2, 2] in [0, 30))"sv};
constexpr std::array kAdaptive3dSample{
    "(f32[1, 2, 2, 2, 2], f32[1, 2, 3, 4, 4], i64[1, 2, 2, 2, 2] in [0, 48))"sv};
constexpr std::array kFractional2dSample{
    "(f32[1, 2, 3, 3], f32[1, 2, 5, 6], [2, 2], [3, 3], i64[1, 2, 3, 3] in [0, 30))"sv};
constexpr std::array kFractional3dSample{
    "(f32[1, 2, 2, 2, 2], f32[1, 2, 3, 4, 4], [2, 2, 2], [2, 2, 2], i64[1, 2, 2, 2, 2] in [0, 48))"sv};

constexpr OpDef derivative(ir::SchemaText schema, std::string_view doc,
                           std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = placed_meta,
          .impl = LoopNest{place_gradients},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    derivative("aten.adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor "
               "indices) -> Tensor",
               "Derivative of adaptive_max_pool2d.", kAdaptive2dSample),
    derivative("aten.adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor "
               "indices) -> Tensor",
               "Derivative of adaptive_max_pool3d.", kAdaptive3dSample),
    derivative("aten.fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] "
               "kernel_size, int[2] output_size, Tensor indices) -> Tensor",
               "Derivative of fractional_max_pool2d.", kFractional2dSample),
    derivative("aten.fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] "
               "kernel_size, int[3] output_size, Tensor indices) -> Tensor",
               "Derivative of fractional_max_pool3d.", kFractional3dSample),
};

}  // namespace

std::span<const OpDef> pooling_backward_ops() { return kOps; }

}  // namespace litz::ops
