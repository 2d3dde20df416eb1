// Writes attention as products and a softmax, on machines without a call for it.
//
//   %y = litz.attention(%query, %key, %value, %mask, scale=0.25, safe=True)
//     =>
//   %k = aten.permute(%key, [0, 1, 3, 2])
//   %s = litz.wide_matmul(%query, %k)              f32, of halves; aten.matmul of f32 and f64
//   %c = aten.mul.Scalar(%s, 0.25)
//   %m = aten.where.ScalarOther(%mask, %c, -inf)   or aten.add.Tensor
//   %w = aten._safe_softmax(%m, -1)
//   %h = aten._to_copy(%w, dtype=bf16)
//   %y = aten.matmul(%h, %value)
//
// Requires:        attention as match-attention makes it, whose heads are shared.
// Ensures:         no attention is left that the machine neither has as one call nor attends. Weights
//                  of halves are rounded before the second product, as in PyTorch's kernels for
//                  cards.
// Why it matters:  products of halves run on other units than those of f32, ten times as fast.
// Cost:            one visit per call.

#include <cmath>

#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

class Expansion {
 public:
  explicit Expansion(Node* call) : call_(call), graph_(call->graph()) {}

  void run() {
    const auto scope = graph_.insert_before(call_);
    const Value query = call_->argument("query").value();
    const Value value = call_->argument("value").value();
    const DType dtype = query.tensor().dtype;
    Value scores = emit(is_half(dtype) ? "litz.wide_matmul" : "aten.matmul",
                        {query, exchanged(call_->argument("key").value())});
    const Expr scale = call_->scalar("scale");
    if (!(scale == Expr::real(1))) scores = emit("aten.mul.Scalar", {scores, scale});
    scores = masked(scores);
    const bool is_safe = call_->scalar("safe").boolean_constant();
    Value weights = is_safe ? emit("aten._safe_softmax", {scores, Expr(-1)})
                            : emit("aten._softmax", {scores, Expr(-1), Expr::boolean(false)});
    if (is_half(dtype)) weights = cast(weights, dtype);
    Value result = emit("aten.matmul", {weights, value});
    const TensorType& wanted = call_->output().tensor();
    if (result.tensor().strides != wanted.strides) {
      result = emit("litz.restride", {result, ir::Attribute(wanted.strides)});
    }
    graph_.replace_uses(call_->output(), result);
    graph_.erase_if_unused(call_);
  }

 private:
  Value emit(const char* op, std::vector<Argument> arguments) {
    return graph_.create(op, std::move(arguments))->output();
  }

  Value cast(Value value, DType dtype) {
    TensorType type = value.tensor();
    type.dtype = dtype;
    return create_typed(graph_, "aten._to_copy", {Argument(value), Argument(dtype)}, type);
  }

  Value masked(Value scores) {
    const Argument& mask = call_->argument("mask");
    if (call_->scalar("causal").boolean_constant()) return behind_diagonal_masked(scores);
    if (!mask.is_value()) return scores;
    if (mask.value().tensor().dtype != DType::bool_) {
      return emit("aten.add.Tensor", {scores, mask.value()});
    }
    return emit("aten.where.ScalarOther", {mask.value(), scores, Expr::real(-INFINITY)});
  }

  Value behind_diagonal_masked(Value scores) {
    const TensorType& type = scores.tensor();
    const Sizes sizes{type.sizes[type.rank() - 2], type.sizes.back()};
    const Value ones = create_typed(graph_, "aten.full",
                                    {Argument(ir::Scalars(sizes)),
                                     Argument(Expr::boolean(true)),
                                     Argument(DType::bool_),
                                     {},
                                     Argument(ir::Attribute(type.device))},
                                    contiguous_type(DType::bool_, sizes, type.device));
    return emit("aten.where.ScalarOther",
                {emit("aten.tril", {ones}), scores, Expr::real(-INFINITY)});
  }

  Value exchanged(Value value) {
    const auto rank = static_cast<int64_t>(value.tensor().rank());
    ir::Scalars dims;
    for (int64_t i = 0; i + 2 < rank; ++i) dims.emplace_back(i);
    dims.emplace_back(rank - 1);
    dims.emplace_back(rank - 2);
    return emit("aten.permute", {value, dims});
  }

  Node* call_;
  ir::Graph& graph_;
};

bool is_one_kernel(const Node& call, const machine::Machine& machine) {
  if (machine.attends == nullptr || !call.scalar("scale").is_constant()) return false;
  const TensorType& key = call.argument("key").value().tensor();
  const TensorType& result = call.output().tensor();
  const auto columns = [](const TensorType& type) {
    return type.sizes.back().maybe_constant().value_or(-1);
  };
  return machine.attends(result.dtype, columns(key), columns(result), result.rank() - 2);
}

}  // namespace

Changed expand_attention(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  if (context.machine.has_attention) return changed;
  for (Node* call : graph.in_order("litz.attention")) {
    if (is_one_kernel(*call, context.machine) || !context.may_rewrite()) continue;
    Expansion(call).run();
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
