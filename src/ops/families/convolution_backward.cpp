// The derivatives of a convolution are convolutions: that by the input is transposed; that by the
// weight exchanges batch and channels, and stride and dilation.
//
// For y[n, o, p] = sum over c, k of x[n, c, p * stride + k * dilation] * w[o, c, k], the gradient
// by w[o, c, k] is the sum over n, p of the same x times the gradient of y[n, o, p]: a convolution
// of x with that gradient as its weight, summed over n.

#include <array>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/op_def.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

struct Window {
  Sizes stride;
  Sizes padding;
  Sizes dilation;
  bool transposed = false;
  Expr groups = 1;

  size_t dims() const { return stride.size(); }
};

Sizes per_dim(const Call& call, std::string_view name, size_t dims) {
  Sizes values = call.sizes(name);
  if (values.size() == 1) values.resize(dims, values[0]);
  require(values.size() == dims, "a convolution needs one entry per spatial dimension:", name,
          values.size(), dims);
  return values;
}

Window window_of(const Call& call) {
  const TensorType& weight = call.type("weight");
  require(weight.rank() >= 3 && weight.rank() <= 5 && call.type("input").rank() == weight.rank() &&
              call.type("grad_output").rank() == weight.rank(),
          "the derivative of a convolution takes batches of one to three spatial dimensions:",
          call.type("grad_output"), call.type("input"), weight);
  const size_t dims = weight.rank() - 2;
  return {per_dim(call, "stride", dims), per_dim(call, "padding", dims),
          per_dim(call, "dilation", dims), call.flag("transposed"), call.expr("groups")};
}

// The sizes of the convolution's result, inferred by its own meta.
TensorType forward_type(const Call& call) {
  const ir::OpInfo* op = call.module().ops().find("aten.convolution");
  check(op != nullptr, "the derivative of a convolution has a convolution");
  std::vector<ir::Argument> arguments;
  for (const ir::SchemaArgument& argument : op->schema.arguments) {
    const bool is_bias = argument.name == "bias";
    arguments.push_back(is_bias ? ir::Argument() : call.argument(argument.name));
  }
  return std::get<TensorType>(definition(*op).meta(Call(*op, arguments, call.context())).front());
}

// Without images or channels all derivatives are 0.
bool has_elements(const Call& call) {
  const Sizes& sizes = call.type("input").sizes;
  return !known_equal(sizes[0], Expr(0)) && !known_equal(sizes[1], Expr(0));
}

Types backward_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& weight = call.type("weight");
  const TensorType& gradient = call.type("grad_output");
  const Window window = window_of(call);
  require(input.dtype == weight.dtype && input.dtype == gradient.dtype,
          "the operands of a convolution have one dtype:", input, weight, gradient);
  require(is_floating(input.dtype), "the derivative of a convolution needs floating numbers, got",
          name(input.dtype));
  const TensorType forward = forward_type(call);
  const Expr channels = forward.sizes[1];
  const Expr inputs = window.transposed ? weight.sizes[0] : weight.sizes[1] * window.groups;
  require(!known_not_equal(gradient.sizes[1], channels) &&
              !known_not_equal(input.sizes[1], inputs) &&
              !known_not_equal(gradient.sizes[0], input.sizes[0]),
          "the gradient has the channels of the convolution's result:", gradient, input, weight);
  for (size_t d = 2; d < gradient.rank(); ++d) {
    call.require_sizes(eq(gradient.sizes[d], forward.sizes[d]),
                       "the gradient has the sizes of the convolution's result:", gradient,
                       forward);
  }
  for (const Expr padding : call.sizes("output_padding")) {
    require(window.transposed || known_equal(padding, Expr(0)),
            "only a transposed convolution has output padding:", padding);
  }
  Sizes bias{channels};
  if (!has_elements(call) && call.has("bias_sizes")) bias = call.sizes("bias_sizes");
  return masked_types(call, {contiguous_type(input.dtype, input.sizes, input.device),
                             contiguous_type(weight.dtype, weight.sizes, weight.device),
                             contiguous_type(gradient.dtype, bias, gradient.device)});
}

Value convolution(const DecomposeCall& call, Value input, Value weight, const Window& window,
                  const Sizes& output_padding) {
  return call.aten("convolution", {input,
                                   weight,
                                   {},
                                   window.stride,
                                   window.padding,
                                   window.dilation,
                                   Expr::boolean(window.transposed),
                                   output_padding,
                                   window.groups});
}

// The transposed convolution through the same window. Elements that no whole stride reached get 0.
Value input_gradient(const DecomposeCall& call, Window window) {
  const TensorType& input = call.type("input");
  const TensorType& weight = call.type("weight");
  const TensorType& gradient = call.type("grad_output");
  Sizes rest(window.dims(), Expr(0));
  if (!window.transposed) {
    for (size_t i = 0; i < window.dims(); ++i) {
      const Expr reached = (gradient.sizes[2 + i] - 1) * window.stride[i] - 2 * window.padding[i] +
                           window.dilation[i] * (weight.sizes[2 + i] - 1) + 1;
      rest[i] = input.sizes[2 + i] - reached;
    }
  }
  window.transposed = !window.transposed;
  return convolution(call, call["grad_output"], call["weight"], window, rest);
}

// [N, groups * C, ...] -> [C, groups * N, ...]: the dimension that one group sums over becomes its
// channels.
Value channels_as_batch(const DecomposeCall& call, Value value, Expr groups) {
  const Steps steps(call);
  const Sizes& sizes = value.tensor().sizes;
  const Expr width = floor_div(sizes[1], groups);
  Sizes split{sizes[0], groups, width};
  Sizes joined{width, groups * sizes[0]};
  std::vector<int64_t> order{2, 1, 0};
  for (size_t d = 2; d < sizes.size(); ++d) {
    split.push_back(sizes[d]);
    joined.push_back(sizes[d]);
    order.push_back(static_cast<int64_t>(d) + 1);
  }
  return steps.reshape(steps.permute(steps.reshape(value, split), order), joined);
}

Value weight_gradient(const DecomposeCall& call, const Window& window) {
  // A transposed convolution exchanges the roles of its input and its result.
  const Value read = call[window.transposed ? "grad_output" : "input"];
  const Value placed = call[window.transposed ? "input" : "grad_output"];
  const Window swapped{window.dilation, window.padding, window.stride, false, window.groups};
  const Value as_weight = call.aten("transpose.int", {placed, Expr(0), Expr(1)});
  Value result = convolution(call, channels_as_batch(call, read, window.groups), as_weight, swapped,
                             Sizes(window.dims(), Expr(0)));
  result = call.aten("transpose.int", {result, Expr(0), Expr(1)});
  // Elements that no whole stride reached make the result longer than the weight.
  const TensorType& weight = call.type("weight");
  for (size_t d = 2; d < weight.rank(); ++d) {
    if (known_equal(result.tensor().sizes[d], weight.sizes[d])) continue;
    result = call.aten("slice.Tensor",
                       {result, Expr(static_cast<int64_t>(d)), Expr(0), weight.sizes[d]});
  }
  return result;
}

std::vector<Value> convolution_backward(DecomposeCall& call) {
  const Window window = window_of(call);
  std::vector<Value> results(3);
  if (!has_elements(call)) {
    for (size_t i = 0; i < results.size(); ++i) {
      if (wants(call, i))
        results[i] = Steps(call).zeros(call.result(i).sizes, call.result(i).dtype);
    }
    return results;
  }
  if (wants(call, 0)) results[0] = input_gradient(call, window);
  if (wants(call, 1)) results[1] = weight_gradient(call, window);
  if (wants(call, 2)) {
    std::vector<int64_t> others{0};
    for (size_t d = 2; d < window.dims() + 2; ++d) others.push_back(static_cast<int64_t>(d));
    results[2] = Steps(call).sum(call["grad_output"], others, false);
  }
  return results;
}

constexpr std::array kSample{
    "(f32[2, 6, 2, 3], f32[2, 4, 6, 5], f32[6, 2, 3, 2], [6], [2, 1], [0, 0], [1, 2], False, [0, 0], 2, [True, True, True])"sv,
    "(f32[2, 4, 9], f32[2, 4, 5], f32[4, 2, 3], None, [2], [1], [1], True, [0], 2, [True, True, False])"sv,
    "(f32[s0, 3, 5, 5], f32[s0, 2, 5, 5], f32[3, 2, 3, 3], [3], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [False, True, True])"sv,
    "(f32[2, 0, 4], f32[2, 0, 5], f32[3, 0, 2], [3], [1], [0], [1], False, [0], 1, [True, True, True])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.convolution_backward(Tensor grad_output, Tensor input, Tensor weight, "
                    "SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, "
                    "bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) "
                    "-> (Tensor, Tensor, Tensor)",
          .doc = "Derivative of convolution by input, weight and bias.",
          .meta = backward_meta,
          .impl = Decompose{convolution_backward},
          .samples = {.calls = kSample}},
};

}  // namespace

std::span<const OpDef> convolution_backward_ops() { return kOps; }

}  // namespace litz::ops
