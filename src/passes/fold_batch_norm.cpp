// Folds the fixed statistics of a batch norm into one factor and one term per channel.
//
//   %y, _, _ = aten._native_batch_norm_legit_no_training(%x, %gamma, %beta, %mean, %var, ...)
//     =>
//   %s = gamma / sqrt(var + eps)
//   %t = beta - mean * s
//   %y = x * s + t
//
// The rest is pointwise: behind a convolution or product it becomes part of that call. Weights stay
// unscaled, because scaled copies would duplicate almost all weights of an image model, in memory
// and in the time until the first result.
//
// Requires:        functional form; an evaluator, since constant folding computes the two vectors.
// Ensures:         no norm of floats by constant statistics with a positive eps is left. Halves are
//                  computed in f32 and rounded once. Results differ in rounding: the shift is
//                  scaled in advance (as in PyTorch's own kernel).
// Why it matters:  every convolution of most image models is followed by one.
// Cost:            one visit per batch norm.

#include "passes/constant_values.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

class Fold {
 public:
  explicit Fold(Node* norm) : norm_(norm), graph_(norm->graph()) {}

  bool is_possible(const ConstantValues& constants) const {
    if (!is_floating(result().dtype)) return false;
    if (norm_->output(1).has_uses() || norm_->output(2).has_uses()) return false;
    const Expr eps = norm_->scalar("eps");
    if (!eps.is_constant() || !(eps.real_constant() > 0)) return false;
    for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
      const Argument& argument = norm_->argument(name);
      if (!argument.is_none() && !constants.contains(argument.value())) return false;
    }
    return true;
  }

  void apply() {
    const auto scope = graph_.insert_before(norm_);
    const Value deviation =
        make("aten.sqrt",
             {make("aten.add.Tensor", {wide("running_var"), Argument(norm_->scalar("eps"))})});
    const Value scale = has("weight") ? make("aten.div.Tensor", {wide("weight"), deviation})
                                      : make("aten.reciprocal", {deviation});
    const Value offset = make("aten.mul.Tensor", {wide("running_mean"), scale});
    const Value shift =
        has("bias") ? make("aten.sub.Tensor", {wide("bias"), offset}) : make("aten.neg", {offset});
    const Value input = cast(norm_->argument("input").value(), compute_dtype());
    const Value scaled = make_result("aten.mul.Tensor", input, scale);
    const Value shifted = make_result("aten.add.Tensor", scaled, shift);
    graph_.replace_uses(norm_->output(), cast(shifted, result().dtype));
    graph_.erase(norm_);
  }

 private:
  const TensorType& result() const { return norm_->output().tensor(); }

  DType compute_dtype() const { return result().dtype == DType::f64 ? DType::f64 : DType::f32; }

  bool has(std::string_view name) const { return !norm_->argument(name).is_none(); }

  Value make(std::string_view op, std::vector<Argument> arguments) {
    return graph_.create(op, std::move(arguments))->output();
  }

  Value cast(Value value, DType dtype) {
    if (value.tensor().dtype == dtype) return value;
    return make("prims.convert_element_type", {value, dtype});
  }

  // Both vectors are computed in f64 and rounded once.
  Value wide(std::string_view name) { return cast(norm_->argument(name).value(), DType::f64); }

  // Emits a pointwise node in the layout of the norm's result.
  Value make_result(std::string_view op, Value image, Value vector) {
    TensorType type = result();
    type.dtype = compute_dtype();
    return create_typed(graph_, op, {image, by_channel(vector)}, ir::ValueType(type));
  }

  // Channels are dimension 1, or 0 of a vector.
  Value by_channel(Value vector) {
    const Value rounded = cast(vector, compute_dtype());
    if (result().rank() <= 2) return rounded;
    ir::Scalars sizes(result().rank() - 1, Expr(1));
    sizes[0] = vector.tensor().sizes[0];
    return make("aten.view", {rounded, Argument(sizes)});
  }

  Node* norm_;
  ir::Graph& graph_;
};

}  // namespace

Changed fold_batch_norm(ir::Graph& graph, PassContext& context) {
  const std::vector<Node*> norms = graph.in_order("aten._native_batch_norm_legit_no_training");
  if (norms.empty() || !context.evaluate) return Changed::no;
  const ConstantValues constants(graph, context);
  Changed changed = Changed::no;
  for (Node* norm : norms) {
    Fold fold(norm);
    if (!fold.is_possible(constants) || !context.may_rewrite()) continue;
    fold.apply();
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
