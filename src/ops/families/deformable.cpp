// Deformable convolution: every element of a window is read at a position shifted by an offset,
// interpolated between pixels, and weighted by a mask. The samples become columns, so the rest is a
// product.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/stepwise.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;

/// One spatial dimension of a call.
struct WindowAxis {
  Expr image;
  Expr kernel;
  Expr stride;
  Expr padding;
  Expr dilation;

  Expr outputs() const {
    return floor_div(image + 2 * padding - (dilation * (kernel - 1) + 1), stride) + 1;
  }
};

struct Deformed {
  WindowAxis y;
  WindowAxis x;
  Expr offset_groups;
};

Deformed deformed_of(const Call& call, const Sizes& kernel) {
  const TensorType& input = call.type("input");
  require(input.rank() == 4, "deform_conv2d C1: the input is a batch of images:", input);
  const auto axis = [&](size_t i, const char* stride, const char* padding, const char* dilation) {
    const WindowAxis line{input.sizes[2 + i], kernel[i], call.expr(stride), call.expr(padding),
                          call.expr(dilation)};
    call.require_sizes(
        logical_and(lt(0, line.stride), logical_and(le(0, line.padding), lt(0, line.dilation))),
        "deform_conv2d C2: strides and dilations are positive, paddings not negative:", line.stride,
        line.padding, line.dilation);
    call.require_sizes(lt(0, line.outputs()),
                       "deform_conv2d C3: the window fits the padded image:", input, line.kernel);
    return line;
  };
  return {axis(0, "stride_h", "pad_h", "dilation_h"), axis(1, "stride_w", "pad_w", "dilation_w"),
          call.expr("offset_groups")};
}

void require_plane(const Call& call, std::string_view name, Expr channels, const Deformed& window) {
  const TensorType& type = call.type(name);
  const TensorType& input = call.type("input");
  require(type.dtype == input.dtype && type.rank() == 4 &&
              !known_not_equal(type.sizes[0], input.sizes[0]) &&
              !known_not_equal(type.sizes[1], channels) &&
              !known_not_equal(type.sizes[2], window.y.outputs()) &&
              !known_not_equal(type.sizes[3], window.x.outputs()),
          "deform_conv2d C4: offsets and masks have an element per window, group and output:", name,
          type, channels);
}

void require_planes(const Call& call, const Deformed& window) {
  const DType dtype = call.type("input").dtype;
  require(dtype == DType::f16 || dtype == DType::f32 || dtype == DType::f64, ErrorCode::unsupported,
          "deform_conv2d C5: images are f16, f32 or f64:", name(dtype));
  const Expr elements = window.y.kernel * window.x.kernel * window.offset_groups;
  require_plane(call, "offset", 2 * elements, window);
  if (call.flag("use_mask")) require_plane(call, "mask", elements, window);
  call.require_sizes(
      logical_and(lt(0, window.offset_groups),
                  eq(mod(call.type("input").sizes[1], max(window.offset_groups, Expr(1))), 0)),
      "deform_conv2d C6: channels divide into groups of offsets:", call.type("input"),
      window.offset_groups);
}

// --- columns ---

Deformed columns_window(const Call& call) {
  return deformed_of(call, {call.expr("kernel_h"), call.expr("kernel_w")});
}

TensorType columns_meta(const Call& call) {
  const Deformed window = columns_window(call);
  require_planes(call, window);
  const TensorType& input = call.type("input");
  return contiguous_type(input.dtype,
                         {input.sizes[0], input.sizes[1], window.y.kernel, window.x.kernel,
                          window.y.outputs(), window.x.outputs()},
                         input.device);
}

/// A coordinate and the adjacent pixels below and above it, which may be outside.
struct Between {
  Scalar low;  // i64
  Scalar distance;
};

Between between(const Stepwise& in, Scalar place) {
  const Scalar low = floor(place);
  // NaN selects the first pixels and makes the result NaN.
  return {in.builder().cast(select(is_nan(low), 0.0, low), DType::i64), in.sub(place, low)};
}

Scalar is_outside(KernelBuilder& b, Scalar place, Expr size) {
  return (place <= -1) | (place >= b.index(size, place.dtype()));
}

Scalar pixel(NestCall& call, const IndexVector& image, Scalar y, Scalar x) {
  const TensorType& input = call.type("input");
  KernelBuilder& b = call.builder();
  const auto within = [&](Scalar place, Expr size) {
    return (place >= 0) & (place < b.index(size));
  };
  const Scalar inside = within(y, input.sizes[2]) & within(x, input.sizes[3]);
  IndexVector at = image;
  at.emplace_back(select(inside, y, 0.0).id());
  at.emplace_back(select(inside, x, 0.0).id());
  const DType compute = compute_dtype(input.dtype);
  const Scalar zero = b.cast(b.constant(compute, 0.0), input.dtype);
  return b.cast(b.load_if(inside, call.in("input"), at, zero), compute);
}

// Interpolates the four pixels around a position; outside pixels are 0.
Scalar bilinear(NestCall& call, const Stepwise& in, const IndexVector& image, Scalar y, Scalar x) {
  const TensorType& input = call.type("input");
  KernelBuilder& b = call.builder();
  const Scalar outside = is_outside(b, y, input.sizes[2]) | is_outside(b, x, input.sizes[3]);
  const Between row = between(in, select(outside, 0.0, y));
  const Between column = between(in, select(outside, 0.0, x));
  const Scalar one = in.constant(1);
  const std::array row_weights{in.sub(one, row.distance), row.distance};
  const std::array column_weights{in.sub(one, column.distance), column.distance};
  Scalar total;
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 2; ++j) {
      const Scalar weight = in.mul(row_weights[i], column_weights[j]);
      const Scalar value =
          pixel(call, image, row.low + static_cast<double>(i), column.low + static_cast<double>(j));
      const Scalar part = in.mul(weight, value);
      total = total ? in.add(total, part) : part;
    }
  }
  return select(outside, 0.0, total);
}

void columns(NestCall& call) {
  const TensorType& input = call.type("input");
  const Deformed window = columns_window(call);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(input.dtype);
  const Stepwise in(b, input.dtype);
  const Expr per_group = floor_div(input.sizes[1], window.offset_groups);
  b.loop(call.result().sizes,
         [&](Exprs i) {  // Image, channel, kernel row, column, output row, column.
           const Expr element = floor_div(i[1], per_group) * window.y.kernel * window.x.kernel +
                                i[2] * window.x.kernel + i[3];
           const auto plane = [&](const char* name, Expr channel) {
             return b.cast(b.load(call.in(name), {i[0], channel, i[4], i[5]}), compute);
           };
           const auto place = [&](const WindowAxis& axis, Expr output, Expr k, Expr channel) {
             const Expr start = output * axis.stride - axis.padding + k * axis.dilation;
             return in.add(in.real(start), plane("offset", channel));
           };
           const Scalar y = place(window.y, i[4], i[2], 2 * element);
           const Scalar x = place(window.x, i[5], i[3], 2 * element + 1);
           Scalar value = bilinear(call, in, {i[0], i[1]}, y, x);
           if (call.flag("use_mask")) value = in.mul(plane("mask", element), value);
           b.store(call.out(), i, b.cast(value, input.dtype));
         });
}

// --- convolution ---

Deformed convolution_window(const Call& call) {
  const TensorType& weight = call.type("weight");
  require(weight.rank() == 4, "deform_conv2d C1: the weight has rank 4:", weight);
  return deformed_of(call, {weight.sizes[2], weight.sizes[3]});
}

TensorType convolution_meta(const Call& call) {
  const Deformed window = convolution_window(call);
  require_planes(call, window);
  const TensorType& input = call.type("input");
  const TensorType& weight = call.type("weight");
  const TensorType& bias = call.type("bias");
  require(weight.dtype == input.dtype && bias.dtype == input.dtype && bias.rank() == 1 &&
              !known_not_equal(bias.sizes[0], weight.sizes[0]),
          "deform_conv2d C7: weight and bias have the dtype of the input, the bias an element per "
          "output channel:",
          weight, bias);
  const Expr groups = call.expr("groups");
  call.require_sizes(logical_and(eq(weight.sizes[1] * groups, input.sizes[1]),
                                 eq(mod(weight.sizes[0], max(groups, Expr(1))), 0)),
                     "deform_conv2d C8: the input has the channels its weight expects:", input,
                     weight, groups);
  return contiguous_type(input.dtype,
                         {input.sizes[0], weight.sizes[0], window.y.outputs(), window.x.outputs()},
                         input.device);
}

std::vector<ir::Value> convolution(DecomposeCall& call) {
  const TensorType& weight = call.type("weight");
  const TensorType& result = call.result();
  const Expr groups = call.expr("groups");
  const Expr pixels = result.sizes[2] * result.sizes[3];
  const Expr depth = weight.sizes[1] * weight.sizes[2] * weight.sizes[3];
  const ir::Value columns =
      call.graph()
          .create("litz.deform_columns",
                  {call["input"], call["offset"], call["mask"], weight.sizes[2], weight.sizes[3],
                   call.pass("stride_h"), call.pass("stride_w"), call.pass("pad_h"),
                   call.pass("pad_w"), call.pass("dilation_h"), call.pass("dilation_w"),
                   call.pass("offset_groups"), call.pass("use_mask")})
          ->output();
  const auto reshaped = [&](ir::Value value, Sizes sizes) {
    return call.aten("reshape", {value, std::move(sizes)});
  };
  const ir::Value rows =
      reshaped(call["weight"], {groups, floor_div(weight.sizes[0], groups), depth});
  const ir::Value product =
      call.aten("matmul", {rows, reshaped(columns, {result.sizes[0], groups, depth, pixels})});
  const ir::Value bias = reshaped(call["bias"], {weight.sizes[0], 1, 1});
  return {call.aten("add.Tensor", {reshaped(product, result.sizes), bias})};
}

constexpr std::array kSample{
    "(f32[2, 4, 6, 5], f32[6, 2, 3, 2], f32[2, 24, 4, 4], f32[2, 12, 4, 4], f32[6], 1, 1, 0, 0, 1, 1, 2, 2, True)"sv,
    "(f16[1, 2, s0, 5], f16[2, 2, 1, 1], f16[1, 2, s0, 5], f16[1, 1], f16[2], 1, 1, 0, 0, 1, 1, 1, 1, False)"sv};
constexpr std::array kColumnsSample{
    "(f32[2, 4, 6, 5], f32[2, 24, 4, 4], f32[2, 12, 4, 4], 3, 2, 1, 1, 0, 0, 1, 1, 2, True)"sv};

constexpr std::array kOps{
    OpDef{.schema = "litz.deform_columns(Tensor input, Tensor offset, Tensor mask, SymInt "
                    "kernel_h, SymInt kernel_w, SymInt stride_h, SymInt stride_w, SymInt pad_h, "
                    "SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt offset_groups, "
                    "bool use_mask) -> Tensor",
          .doc = "What the windows of torchvision.deform_conv2d read: [image, channel, kernel row, "
                 "kernel column, output row, output column].",
          .meta = columns_meta,
          .impl = LoopNest{columns},
          .samples = {.calls = kColumnsSample}},
    OpDef{.schema = "torchvision.deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor "
                    "mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt "
                    "pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt "
                    "offset_groups, bool use_mask) -> Tensor",
          .doc = "Convolution whose windows read the image at places that offsets move, times a "
                 "mask where there is one.",
          .meta = convolution_meta,
          .impl = Decompose{convolution},
          .samples = {.calls = kSample}},
};

}  // namespace

std::span<const OpDef> deformable_ops() { return kOps; }

}  // namespace litz::ops
