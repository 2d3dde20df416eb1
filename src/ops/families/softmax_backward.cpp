// Derivatives of softmax and log_softmax, from their results.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Exprs;
using loops::ReduceKind;
using loops::Scalar;

TensorType backward_meta(const Call& call) {
  const TensorType& grad = call.type("grad_output");
  const std::optional<DType> dtype = call.dtype("input_dtype");
  require(dtype.has_value(),
          "a softmax derivative needs the dtype of the input:", call.op().name());
  const TensorType& output = call.type("output");
  require(is_floating(grad.dtype) && output.dtype == grad.dtype &&
              may_be_same_sizes(output.sizes, grad.sizes),
          "the gradient of a softmax must have the sizes and the floating dtype of the output:",
          grad, output);
  call.dim("dim", grad.rank());
  // Softmax may have converted f16 to f32; it keeps other dtypes.
  const bool narrows = grad.dtype == DType::f32 && *dtype == DType::f16;
  return contiguous_type(narrows ? *dtype : grad.dtype, grad.sizes, grad.device);
}

// The contribution of an element to the sum of its line, and its result given that sum.
struct Rule {
  Scalar (*term)(Scalar grad, Scalar output);
  Scalar (*result)(Scalar grad, Scalar output, Scalar sum);
};

Scalar softmax_term(Scalar grad, Scalar output) { return grad * output; }

Scalar softmax_result(Scalar grad, Scalar output, Scalar sum) { return (grad - sum) * output; }

Scalar log_softmax_term(Scalar grad, Scalar /*output*/) { return grad; }

Scalar log_softmax_result(Scalar grad, Scalar output, Scalar sum) {
  return grad - exp(output) * sum;
}

void build(NestCall& call, const Rule& rule) {
  loops::KernelBuilder& b = call.builder();
  const TensorType& out = call.result();
  const DType compute = compute_dtype(call.type("grad_output").dtype);
  if (out.rank() == 0) {
    const Scalar grad = b.cast(b.load(call.in("grad_output"), Sizes{}), compute);
    const Scalar output = b.cast(b.load(call.in("output"), Sizes{}), compute);
    b.store(call.out(), Sizes{},
            b.cast(rule.result(grad, output, rule.term(grad, output)), out.dtype));
    return;
  }
  const auto dim = static_cast<size_t>(call.dim("dim", out.rank()));
  Sizes lines = out.sizes;
  lines.erase(lines.begin() + static_cast<ptrdiff_t>(dim));
  const Expr length[] = {out.sizes[dim]};
  b.loop(lines, [&](Exprs i) {
    const auto at = [&](Expr k) {
      Sizes index(i.begin(), i.end());
      index.insert(index.begin() + static_cast<ptrdiff_t>(dim), k);
      return index;
    };
    const auto load = [&](std::string_view name, Expr k) {
      return b.cast(b.load(call.in(name), at(k)), compute);
    };
    const Scalar sum = b.reduce(ReduceKind::sum, length, [&](Exprs k) {
      return rule.term(load("grad_output", k[0]), load("output", k[0]));
    });
    b.loop(length, [&](Exprs k) {
      const Scalar value = rule.result(load("grad_output", k[0]), load("output", k[0]), sum);
      b.store(call.out(), at(k[0]), b.cast(value, out.dtype));
    });
  });
}

void softmax_backward(NestCall& call) { build(call, {softmax_term, softmax_result}); }

void log_softmax_backward(NestCall& call) { build(call, {log_softmax_term, log_softmax_result}); }

constexpr std::string_view kCalls[] = {"(f32[2, 3], f32[2, 3], 1, f32)",
                                       "(bf16[4, 3], bf16[4, 3], 0, bf16)"};

constexpr std::array kOps{
    OpDef{.schema = "aten._log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, "
                    "ScalarType input_dtype) -> Tensor",
          .doc = "grad - exp(output) * sum(grad) along dim.",
          .meta = backward_meta,
          .impl = LoopNest{log_softmax_backward},
          .samples = {.calls = kCalls}},
    OpDef{.schema = "aten._softmax_backward_data(Tensor grad_output, Tensor output, int dim, "
                    "ScalarType input_dtype) -> Tensor",
          .doc = "(grad - sum(grad * output)) * output along dim.",
          .meta = backward_meta,
          .impl = LoopNest{softmax_backward},
          .samples = {.calls = kCalls}},
};

}  // namespace

std::span<const OpDef> softmax_backward_ops() { return kOps; }

}  // namespace litz::ops
