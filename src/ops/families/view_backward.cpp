// Derivatives of views and selections: gradients go to where elements came from.

#include <array>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;

TensorType like_gradient(const Call& call, std::string_view gradient, std::string_view sizes) {
  const TensorType& type = call.type(gradient);
  return contiguous_type(type.dtype, call.sizes(sizes), type.device);
}

TensorType input_meta(const Call& call) {
  return like_gradient(call, "grad_output", "input_sizes");
}

Value zero_input(const DecomposeCall& call) {
  return Steps(call).zeros(call.result().sizes, call.result().dtype);
}

std::vector<Value> slice_backward(DecomposeCall& call) {
  return {call.aten("slice_scatter", {zero_input(call), call["grad_output"], call.pass("dim"),
                                      call.pass("start"), call.pass("end"), call.pass("step")})};
}

std::vector<Value> select_backward(DecomposeCall& call) {
  return {call.aten("select_scatter",
                    {zero_input(call), call["grad_output"], call.pass("dim"), call.pass("index")})};
}

std::vector<Value> diagonal_backward(DecomposeCall& call) {
  return {call.aten("diagonal_scatter", {zero_input(call), call["grad_output"], call.pass("offset"),
                                         call.pass("dim1"), call.pass("dim2")})};
}

TensorType trace_meta(const Call& call) {
  require(call.sizes("sizes").size() == 2, "trace_backward C1: a trace is of a matrix");
  return like_gradient(call, "grad", "sizes");
}

std::vector<Value> trace_backward(DecomposeCall& call) {
  const Sizes& sizes = call.result().sizes;
  const Value line = call.aten("expand", {call["grad"], Sizes{min(sizes[0], sizes[1])}});
  return {call.aten("diagonal_scatter", {zero_input(call), line})};
}

TensorType unfold_meta(const Call& call) {
  const TensorType& windows = call.type("grad_in");
  const TensorType result = like_gradient(call, "grad_in", "input_sizes");
  require(windows.rank() == result.rank() + 1,
          "unfold_backward C1: windows have a dimension more than what they are of:", windows,
          result);
  require(call.integer("step") > 0, "unfold_backward C2: a step is positive");
  const auto dim = static_cast<size_t>(call.dim("dim", result.rank()));
  require(!known_not_equal(windows.sizes.back(), call.expr("size")),
          "unfold_backward C1: a window has `size` elements:", windows, call.expr("size"));
  if (result.rank() == 0) {
    call.require_sizes(
        le(call.expr("size"), Expr(1)),
        "unfold_backward C1: a window of a number has one element at most:", windows);
    return result;
  }
  for (size_t d = 0; d < result.rank(); ++d) {
    if (d == dim) continue;
    call.require_sizes(eq(windows.sizes[d], result.sizes[d]),
                       "unfold_backward C1: windows have the sizes of what they are of:", windows,
                       result);
  }
  const Expr size = max(result.sizes[dim], Expr(0));
  const Expr end = (windows.sizes[dim] - 1) * call.expr("step") + call.expr("size");
  call.require_sizes(lt(0, windows.sizes[dim]), "unfold_backward C1: there are windows:", windows);
  call.require_sizes(le(end, size), "unfold_backward C1: windows lie in what they are of:", windows,
                     result);
  // Only windows that do not overlap must be as many as there is room for.
  if (call.integer("step") < call.integer("size")) return result;
  call.require_sizes(lt(size, end + call.expr("step")),
                     "unfold_backward C1: windows fill what they are of:", windows, result);
  return result;
}

// Overlapping windows add up, the first one first.
void unfold_backward(NestCall& call) {
  const TensorType& windows = call.type("grad_in");
  const TensorType& result = call.result();
  KernelBuilder& b = call.builder();
  b.loop(result.sizes, [&](Exprs i) {
    b.store(call.out(), i, b.cast(b.constant(DType::i64, int64_t{0}), result.dtype));
  });
  b.loop(windows.sizes, [&](Exprs i) {
    IndexVector place(i.begin(), i.end() - 1);
    if (!place.empty()) {
      const auto dim = static_cast<size_t>(call.dim("dim", result.rank()));
      place[dim] = i[dim] * call.expr("step") + i.back();
    }
    b.store(call.out(), place, b.load(call.in("grad_in"), i), loops::StoreMode::add);
  });
}

TensorType masked_scatter_meta(const Call& call) {
  require(call.type("mask").dtype == DType::bool_,
          "masked_scatter_backward C1: a mask is bool:", call.type("mask"));
  return like_gradient(call, "grad_output", "sizes");
}

// The elements of the gradient where the mask is true, compacted and followed by zeros. Others go
// to a place in front, so that too many run past the end.
std::vector<Value> masked_scatter_backward(DecomposeCall& call) {
  const Steps steps(call);
  const Expr count = product(call.result().sizes);
  const Sizes shape = call.type("grad_output").sizes;
  const Sizes flat{Expr(-1)};
  const Value mask = steps.reshape(call.aten("expand", {call["mask"], ir::Attribute(shape)}), flat);
  const Value seen = call.aten("cumsum", {call.to(mask, DType::i64), Expr(0)});
  const Value target = call.aten("mul.Tensor", {seen, call.to(mask, DType::i64)});
  const Value zeros = steps.zeros({count + 1}, call.result().dtype);
  const Value gradient = steps.reshape(call["grad_output"], flat);
  const Value scattered = call.aten("scatter.src", {zeros, Expr(0), target, gradient});
  return {steps.reshape(call.aten("slice.Tensor", {scattered, Expr(0), Expr(1), count + 1}),
                        call.result().sizes)};
}

TensorType chosen_meta(const Call& call) { return like_gradient(call, "grad", "sizes"); }

std::vector<Value> chosen_backward(DecomposeCall& call) {
  Value gradient = call["grad"];
  Value indices = call["indices"];
  if (!call.flag("keepdim") && !call.result().sizes.empty()) {
    gradient = call.aten("unsqueeze", {gradient, call.pass("dim")});
    indices = call.aten("unsqueeze", {indices, call.pass("dim")});
  }
  return {call.aten("scatter.src", {zero_input(call), call.pass("dim"), indices, gradient})};
}

TensorType index_select_meta(const Call& call) { return like_gradient(call, "grad", "self_sizes"); }

std::vector<Value> index_select_backward(DecomposeCall& call) {
  return {
      call.aten("index_add", {zero_input(call), call.pass("dim"), call["index"], call["grad"]})};
}

constexpr std::array kSliceSample{"(f32[2, 2], [4, 2], 0, 1, 4, 2)"sv,
                                  "(f16[3, s0], [3, s0], 1, 0, 9223372036854775807, 1)"sv,
                                  "(i64[2], [5], -1, -3, -1, 1)"sv};
constexpr std::array kSelectSample{"(f32[2, 3], [2, 4, 3], 1, -1)"sv, "(f32[], [3], 0, 2)"sv};
constexpr std::array kDiagonalSample{"(f32[2, 3], [3, 4, 2], 1, 0, 1)"sv};
constexpr std::array kTraceSample{"(f32[], [2, 3])"sv};
constexpr std::array kUnfoldSample{"(f32[2, 3, 3], [2, 6], 1, 3, 1)"sv,
                                   "(i64[s0, 2, 2], [s0, 5], 1, 2, 3)"sv,
                                   "(f32[1], [], 0, 1, 1)"sv};
constexpr std::array kMaskedSample{"(f32[2, 3], bool[2, 3], [5])"sv,
                                   "(f32[s0, 3], bool[3], [s0, 3])"sv};
constexpr std::array kChosenSample{"(f32[2], 1, i64[2] in [0, 3), [2, 3], False)"sv,
                                   "(f32[2, 1], 1, i64[2, 1] in [0, 3), [2, 3], True)"sv};
constexpr std::array kIndexSelectSample{"(f32[2, 4], [2, 3], 1, i64[4] in [0, 3))"sv};

constexpr OpDef derivative(ir::SchemaText schema, std::string_view doc, Meta meta, Impl impl,
                           std::span<const std::string_view> calls) {
  return {.schema = schema, .doc = doc, .meta = meta, .impl = impl, .samples = {.calls = calls}};
}

constexpr std::array kOps{
    derivative("aten.diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int "
               "dim1, int dim2) -> Tensor",
               "Derivative of diagonal: zeros but for the diagonal.", input_meta,
               Decompose{diagonal_backward}, kDiagonalSample),
    derivative("aten.index_select_backward(Tensor grad, SymInt[] self_sizes, int dim, Tensor "
               "index) -> Tensor",
               "Derivative of index_select: gradients added where they were selected.",
               index_select_meta, Decompose{index_select_backward}, kIndexSelectSample),
    derivative("aten.masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> "
               "Tensor",
               "Derivative of masked_scatter by its source: the gradients under the mask, then "
               "zeros.",
               masked_scatter_meta, Decompose{masked_scatter_backward}, kMaskedSample),
    derivative("aten.select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt "
               "index) -> Tensor",
               "Derivative of select: zeros but for the entry.", input_meta,
               Decompose{select_backward}, kSelectSample),
    derivative("aten.slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt "
               "start, SymInt end, SymInt step) -> Tensor",
               "Derivative of slice: zeros but for the slice.", input_meta,
               Decompose{slice_backward}, kSliceSample),
    derivative("aten.trace_backward(Tensor grad, SymInt[] sizes) -> Tensor",
               "Derivative of trace: the gradient along the diagonal.\nC1: a trace is of a matrix.",
               trace_meta, Decompose{trace_backward}, kTraceSample),
    derivative("aten.unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int "
               "step) -> Tensor",
               "Derivative of unfold: gradients of windows added where they overlap.\n"
               "C1: windows of `size` elements, inside what they are of. C2: a step is positive.",
               unfold_meta, LoopNest{unfold_backward}, kUnfoldSample),
    derivative("aten.value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, "
               "SymInt[] sizes, bool keepdim) -> Tensor",
               "Derivative of max, median and others that choose an element along a dimension.",
               chosen_meta, Decompose{chosen_backward}, kChosenSample),
};

}  // namespace

std::span<const OpDef> view_backward_ops() { return kOps; }

}  // namespace litz::ops
