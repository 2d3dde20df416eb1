// Derivatives of resampling, one dimension after another. Gradients go to where elements came from:
// to one element for nearest, to two or four with their weights for interpolation.
//
// Antialiased resampling has windows of many elements, so along a dimension it is a product with a
// matrix: the operator's results for unit vectors. Its derivative is the product with the
// transpose.

#include <algorithm>
#include <array>
#include <optional>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/families/resample.h"
#include "ops/image_checks.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;

/// One dimension of a call.
struct Axis {
  int64_t dim;
  Expr input;
  Expr output;
  std::optional<double> factor;

  bool keeps_size() const { return known_equal(input, output); }
};

std::vector<Axis> axes_of(const Call& call) {
  const Sizes input = call.sizes("input_size");
  const Sizes output = call.sizes("output_size");
  const TensorType& gradient = call.type("grad_output");
  const size_t dims = output.size();
  require(input.size() == dims + 2 && gradient.rank() == dims + 2,
          "resampling C1: images have a batch and channels before their dimensions:", gradient,
          input.size());
  constexpr std::array kFactors{"scales_d", "scales_h", "scales_w"};
  for (size_t d = 0; d < 2; ++d) {
    call.require_sizes(eq(gradient.sizes[d], input[d]),
                       "resampling C3: the gradient has the batch and channels of the result:",
                       gradient, input[d]);
  }
  require_image(call, gradient, dims);
  std::vector<Axis> axes;
  for (size_t i = 0; i < dims; ++i) {
    call.require_sizes(logical_and(lt(0, input[2 + i]), lt(0, output[i])),
                       "resampling C2: sizes are above 0:", input[2 + i], output[i]);
    call.require_sizes(eq(gradient.sizes[2 + i], output[i]),
                       "resampling C3: the gradient has the size of the result:", gradient,
                       output[i]);
    const char* name = dims == 1 ? "scales" : kFactors[3 - dims + i];
    Axis axis{static_cast<int64_t>(2 + i), input[2 + i], output[i], std::nullopt};
    if (call.has(name)) axis.factor = call.real(name);
    axes.push_back(axis);
  }
  return axes;
}

TensorType backward_meta(const Call& call) {
  axes_of(call);
  const TensorType& gradient = call.type("grad_output");
  require(is_floating(gradient.dtype) || gradient.dtype == DType::u8,
          "resampling C4: gradients are floating:", gradient);
  TensorType type = contiguous_type(gradient.dtype, call.sizes("input_size"), gradient.device);
  const std::string_view op = call.op().name();
  const auto is = [&](std::string_view part) { return op.find(part) != std::string_view::npos; };
  if (!is("bicubic") && !is("lanczos") && !is("nearest3d") && !is("nearest_exact3d")) {
    type.strides = strides_for(suggest_memory_format(gradient), type.sizes);
  }
  return type;
}

ir::Argument factor_of(const Axis& axis) {
  return axis.factor ? ir::Argument(Expr::real(*axis.factor)) : ir::Argument();
}

// "aten.upsample_bicubic2d_backward" -> "upsample_bicubic2d"
std::string forward_name(const Call& call) {
  constexpr std::string_view kEnd = "_backward";
  std::string_view name = call.op().name().substr(5);
  return std::string(name.substr(0, name.size() - kEnd.size()));
}

// [input, output]: row i is the operator's result for a line that is 1 at i and 0 elsewhere.
Value axis_matrix(const DecomposeCall& call, const Axis& axis, DType dtype) {
  const Steps steps(call);
  const Value units = call.aten("eye", {axis.input, ir::Attribute(dtype)});
  const Value image = steps.reshape(units, {Expr(1), axis.input, Expr(1), axis.input});
  const Value lines = call.aten(
      forward_name(call),
      {image, Sizes{Expr(1), axis.output}, call.pass("align_corners"), {}, factor_of(axis)});
  return steps.reshape(lines, {axis.input, axis.output});
}

// The product with a matrix along one dimension, which is moved to the end for it.
Value along(const DecomposeCall& call, Value value, const Axis& axis, Value matrix) {
  const int64_t last = static_cast<int64_t>(value.tensor().rank()) - 1;
  const auto exchanged = [&](Value v) {
    if (axis.dim == last) return v;
    return call.aten("transpose.int", {v, Expr(axis.dim), Expr(last)});
  };
  return exchanged(call.aten("matmul", {exchanged(value), call.aten("t", {matrix})}));
}

std::vector<Value> antialias_backward(DecomposeCall& call) {
  const DType dtype = call.type("grad_output").dtype;
  Value value = call.to(call["grad_output"], compute_dtype(dtype));
  for (const Axis& axis : axes_of(call)) {
    value = along(call, value, axis, axis_matrix(call, axis, value.tensor().dtype));
  }
  return {call.to(value, dtype)};
}

std::vector<Value> interpolate_backward(DecomposeCall& call) {
  const DType dtype = call.type("grad_output").dtype;
  Value value = call.to(call["grad_output"], compute_dtype(dtype));
  const std::vector<Axis> axes = axes_of(call);
  const bool is_cubic = forward_name(call).find("cubic") != std::string::npos;
  // PyTorch copies an image that keeps its sizes only for cubic; linear weights of 0 turn
  // infinities into NaN.
  if (is_cubic && std::ranges::all_of(axes, &Axis::keeps_size))
    return {call.aten("clone", {call["grad_output"]})};
  for (const Axis& axis : axes) {
    value =
        call.graph()
            .create("litz.spread_axis", {value, Expr(axis.dim), axis.input, Expr::boolean(is_cubic),
                                         call.pass("align_corners"), factor_of(axis)})
            ->output();
  }
  return {call.to(value, dtype)};
}

// --- one dimension of an interpolated image ---

TensorType spread_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() > 0 && (self.dtype == DType::f32 || self.dtype == DType::f64),
          "litz.spread_axis C1: gradients are f32 or f64, with dimensions:", self);
  const auto dim = static_cast<size_t>(call.dim("dim", self.rank()));
  call.require_sizes(logical_and(lt(0, call.expr("size")), lt(0, self.sizes[dim])),
                     "litz.spread_axis C2: sizes are above 0:", call.expr("size"), self);
  Sizes sizes = self.sizes;
  sizes[dim] = call.expr("size");
  return contiguous_type(self.dtype, sizes, self.device);
}

void spread_axis(NestCall& call) {
  const TensorType& self = call.type("self");
  const auto dim = static_cast<size_t>(call.dim("dim", self.rank()));
  ResampledAxis axis{call.expr("size"), self.sizes[dim], {}};
  if (call.has("scale") && call.real("scale") > 0) axis.factor = call.real("scale");
  KernelBuilder& b = call.builder();
  b.loop(call.result().sizes,
         [&](Exprs i) { b.store(call.out(), i, b.constant(self.dtype, 0.0)); });
  b.loop(self.sizes, [&](Exprs i) {
    const Scalar gradient = b.load(call.in("self"), i);
    for (const Tap& tap : interpolated_taps(b, call.flag("is_cubic"), call.flag("align_corners"),
                                            axis, self.dtype, i[dim])) {
      IndexVector place(i.begin(), i.end());
      place[dim] = tap.place;
      b.store(call.out(), place, tap.weight ? gradient * tap.weight : gradient,
              loops::StoreMode::add);
    }
  });
}

// The source of each output of an axis: resamples the indices themselves.
Value sources(const DecomposeCall& call, const Axis& axis) {
  const Steps steps(call);
  const Value places = call.aten("arange", {axis.input, ir::Attribute(DType::f64)});
  const Value image = steps.reshape(places, {Expr(1), Expr(1), axis.input});
  const bool exact = call.op().name().find("exact") != std::string_view::npos;
  // PyTorch's derivative uses the ratio of sizes if it is 1 or 2, whatever the factor is.
  const bool takes_ratio =
      !exact && (known_equal(axis.output, axis.input) || known_equal(axis.output, axis.input * 2));
  const Value moved =
      call.aten(exact ? "_upsample_nearest_exact1d" : "upsample_nearest1d",
                {image, Sizes{axis.output}, takes_ratio ? ir::Argument() : factor_of(axis)});
  return call.to(steps.reshape(moved, {axis.output}), DType::i64);
}

std::vector<Value> nearest_backward(DecomposeCall& call) {
  const DType dtype = call.type("grad_output").dtype;
  Value value = call.to(call["grad_output"], compute_dtype(dtype));
  for (const Axis& axis : axes_of(call)) {
    Sizes sizes = value.tensor().sizes;
    sizes[static_cast<size_t>(axis.dim)] = axis.input;
    const Value zeros = Steps(call).zeros(sizes, value.tensor().dtype);
    value = call.aten("index_add", {zeros, Expr(axis.dim), sources(call, axis), value});
  }
  return {call.to(value, dtype)};
}

constexpr std::array kNearest1{"(f32[1, 2, 6], [6], [1, 2, 4])"sv,
                               "(f32[1, 2, s0], [s0], [1, 2, 4], 0.75)"sv};
constexpr std::array kNearest2{"(f32[1, 2, 6, 5], [6, 5], [1, 2, 3, 4])"sv,
                               "(bf16[1, 2, 6, 8], [6, 8], [1, 2, 3, 4], 2.0, 2.0)"sv};
constexpr std::array kNearest3{"(f32[1, 1, 4, 3, 5], [4, 3, 5], [1, 1, 2, 3, 3])"sv};
constexpr std::array kLinear1{"(f32[1, 2, 6], [6], [1, 2, 4], False)"sv,
                              "(f32[1, 2, s0], [s0], [1, 2, 4], True)"sv};
constexpr std::array kLinear2{"(f32[1, 2, 6, 5], [6, 5], [1, 2, 3, 4], False)"sv,
                              "(bf16[1, 2, 6, 8], [6, 8], [1, 2, 3, 4], True, 2.0, 2.0)"sv};
constexpr std::array kLinear3{"(f32[1, 1, 4, 3, 5], [4, 3, 5], [1, 1, 2, 3, 3], False)"sv};

constexpr std::array kSpread{"(f32[1, 2, 4, 7], 3, 5, False, False)"sv,
                             "(f64[2, s0], 1, 9, True, True)"sv,
                             "(f32[s0, 2], 0, 2, True, False, 0.75)"sv};

constexpr OpDef derivative(ir::SchemaText schema, std::vector<Value> (*build)(DecomposeCall&),
                           std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc =
              "Derivative of resampling.\n"
              "C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient "
              "has the size of the result. C4: gradients are floating.",
          .meta = backward_meta,
          .impl = Decompose{build},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    derivative("aten._upsample_bicubic2d_aa_backward(Tensor grad_output, SymInt[2] output_size, "
               "SymInt[4] input_size, bool align_corners, float? scales_h=None, float? "
               "scales_w=None) -> Tensor",
               antialias_backward, kLinear2),
    derivative("aten._upsample_bilinear2d_aa_backward(Tensor grad_output, SymInt[2] output_size, "
               "SymInt[4] input_size, bool align_corners, float? scales_h=None, float? "
               "scales_w=None) -> Tensor",
               antialias_backward, kLinear2),
    derivative("aten._upsample_nearest_exact1d_backward(Tensor grad_output, SymInt[1] "
               "output_size, SymInt[3] input_size, float? scales=None) -> Tensor",
               nearest_backward, kNearest1),
    derivative("aten._upsample_nearest_exact2d_backward(Tensor grad_output, SymInt[2] "
               "output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) "
               "-> Tensor",
               nearest_backward, kNearest2),
    derivative("aten._upsample_nearest_exact3d_backward(Tensor grad_output, SymInt[3] "
               "output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, "
               "float? scales_w=None) -> Tensor",
               nearest_backward, kNearest3),
    derivative("aten.upsample_bicubic2d_backward(Tensor grad_output, SymInt[2] output_size, "
               "SymInt[4] input_size, bool align_corners, float? scales_h=None, float? "
               "scales_w=None) -> Tensor",
               interpolate_backward, kLinear2),
    derivative("aten.upsample_bilinear2d_backward(Tensor grad_output, SymInt[2] output_size, "
               "SymInt[4] input_size, bool align_corners, float? scales_h=None, float? "
               "scales_w=None) -> Tensor",
               interpolate_backward, kLinear2),
    derivative("aten.upsample_linear1d_backward(Tensor grad_output, SymInt[1] output_size, "
               "SymInt[3] input_size, bool align_corners, float? scales=None) -> Tensor",
               interpolate_backward, kLinear1),
    derivative("aten.upsample_nearest1d_backward(Tensor grad_output, SymInt[1] output_size, "
               "SymInt[3] input_size, float? scales=None) -> Tensor",
               nearest_backward, kNearest1),
    derivative("aten.upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, "
               "SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor",
               nearest_backward, kNearest2),
    derivative("aten.upsample_nearest3d_backward(Tensor grad_output, SymInt[3] output_size, "
               "SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? "
               "scales_w=None) -> Tensor",
               nearest_backward, kNearest3),
    derivative("aten.upsample_trilinear3d_backward(Tensor grad_output, SymInt[3] output_size, "
               "SymInt[5] input_size, bool align_corners, float? scales_d=None, float? "
               "scales_h=None, float? scales_w=None) -> Tensor",
               interpolate_backward, kLinear3),
    OpDef{.schema = "litz.spread_axis(Tensor self, int dim, SymInt size, bool is_cubic, bool "
                    "align_corners, float? scale=None) -> Tensor",
          .doc = "Derivative of interpolation along one dimension, which has `size` places.\n"
                 "C1: gradients are f32 or f64, with dimensions. C2: sizes are above 0.",
          .meta = spread_meta,
          .impl = LoopNest{spread_axis},
          .samples = {.calls = kSpread}},
};

}  // namespace

std::span<const OpDef> resample_backward_ops() { return kOps; }

}  // namespace litz::ops
