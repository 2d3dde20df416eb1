// Folds a batch norm by fixed statistics into the convolution or product in front of it.
//
//   %c = aten.convolution(%x, %w, %b, ...)
//   %y, _, _ = aten._native_batch_norm_legit_no_training(%c, %gamma, %beta, %mean, %var, ...)
//     =>
//   %s = gamma / sqrt(var + eps)
//   %y = aten.convolution(%x, w * s, (b - mean) * s + beta, ...)
//
// Requires:        functional form; an evaluator, since constant folding computes the new weights.
// Ensures:         none of these norms reads a convolution or product that nobody else reads, where
//                  all weights are constant, f32 or f64, and eps is positive. New weights are
//                  computed in f64 and rounded once. Results differ in rounding: the scale is
//                  applied to weights instead of sums. Halves stay, since their weights would be
//                  rounded to 8 or 11 bits after scaling.
// Why it matters:  every convolution of most image models is followed by one.
// Cost:            one visit per batch norm.

#include <array>

#include "passes/constant_values.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

// What computes the channels that the norm scales, and along which dimensions its weight has them.
struct Producer {
  Node* node = nullptr;
  const char* weight = nullptr;
  const char* bias = nullptr;
  size_t channel_dim = 0;  // Of the weight.
};

bool is_one(const Argument& argument) { return uniform_number(argument) == 1; }

std::optional<Producer> producer_of(Value value) {
  Node* node = value.producer();
  if (node == nullptr || value.use_count() != 1) return std::nullopt;
  if (node->is("aten.convolution")) {
    const bool transposed = node->scalar("transposed").boolean_constant();
    if (transposed && !node->scalar("groups").is(1)) return std::nullopt;
    return Producer{node, "weight", "bias", transposed ? 1U : 0U};
  }
  // The channels of a norm are dimension 1, those of a product the last one.
  if (value.tensor().rank() != 2) return std::nullopt;
  if (node->is("aten.linear")) return Producer{node, "weight", "bias", 0};
  const bool is_plain_addmm = node->is("aten.addmm") && is_one(node->argument("alpha")) &&
                              is_one(node->argument("beta")) &&
                              node->argument("self").value().tensor().rank() == 1;
  if (is_plain_addmm) return Producer{node, "mat2", "self", 1};
  return std::nullopt;
}

class Fold {
 public:
  Fold(Node* norm, const Producer& producer)
      : norm_(norm), producer_(producer), graph_(norm->graph()) {}

  bool is_possible(const ConstantValues& constants) const {
    const DType dtype = norm_->output().tensor().dtype;
    if (dtype != DType::f32 && dtype != DType::f64) return false;
    if (norm_->output(1).has_uses() || norm_->output(2).has_uses()) return false;
    const Expr eps = norm_->scalar("eps");
    if (!eps.is_constant() || !(eps.real_constant() > 0)) return false;
    for (const Argument& argument :
         {producer_.node->argument(producer_.weight), producer_.node->argument(producer_.bias),
          norm_->argument("weight"), norm_->argument("bias"), norm_->argument("running_mean"),
          norm_->argument("running_var")}) {
      if (argument.is_none()) continue;
      if (!argument.is_value() || !constants.contains(argument.value())) return false;
    }
    // A bias of fewer channels would broadcast.
    const Argument& bias = producer_.node->argument(producer_.bias);
    return bias.is_none() || known_equal(bias.value().tensor().numel(),
                                         norm_->argument("running_mean").value().tensor().numel());
  }

  void apply() {
    const auto scope = graph_.insert_before(norm_);
    const Value deviation =
        make("aten.sqrt", {make("aten.add.Tensor", {wide(norm_->argument("running_var")),
                                                    Argument(norm_->scalar("eps"))})});
    const Argument& gamma = norm_->argument("weight");
    const Value scale = gamma.is_none() ? make("aten.reciprocal", {deviation})
                                        : make("aten.div.Tensor", {wide(gamma), deviation});
    std::vector<Argument> arguments(producer_.node->arguments().begin(),
                                    producer_.node->arguments().end());
    const ir::Schema& schema = producer_.node->op().schema;
    arguments[static_cast<size_t>(schema.find(producer_.weight))] = Argument(new_weight(scale));
    arguments[static_cast<size_t>(schema.find(producer_.bias))] = Argument(new_bias(scale));
    const Value folded = create_typed(graph_, producer_.node->op().name(), std::move(arguments),
                                      norm_->output().type());
    graph_.replace_uses(norm_->output(), folded);
    graph_.erase(norm_);
    graph_.erase_if_unused(producer_.node);
  }

 private:
  Value make(std::string_view op, std::vector<Argument> arguments) {
    return graph_.create(op, std::move(arguments))->output();
  }

  Value cast(Value value, DType dtype) {
    if (value.tensor().dtype == dtype) return value;
    return make("prims.convert_element_type", {value, dtype});
  }

  Value wide(const Argument& argument) { return cast(argument.value(), DType::f64); }

  Value new_weight(Value scale) {
    const Value weight = producer_.node->argument(producer_.weight).value();
    const TensorType& type = weight.tensor();
    ir::Scalars sizes(type.rank(), Expr(1));
    sizes[producer_.channel_dim] = type.sizes[producer_.channel_dim];
    const Value factors = make("aten.view", {scale, Argument(sizes)});
    // Promotes to f64 by itself, without a copy of the weight in f64.
    const Value scaled = make("aten.mul.Tensor", {weight, factors});
    return cast(scaled, type.dtype);
  }

  Value new_bias(Value scale) {
    const Value mean = wide(norm_->argument("running_mean"));
    const Argument& bias = producer_.node->argument(producer_.bias);
    const Value centred =
        bias.is_none() ? make("aten.neg", {mean}) : make("aten.sub.Tensor", {wide(bias), mean});
    Value shifted = make("aten.mul.Tensor", {centred, scale});
    const Argument& beta = norm_->argument("bias");
    if (!beta.is_none()) shifted = make("aten.add.Tensor", {shifted, wide(beta)});
    return cast(shifted, norm_->output().tensor().dtype);
  }

  Node* norm_;
  Producer producer_;
  ir::Graph& graph_;
};

}  // namespace

Changed fold_batch_norm(ir::Graph& graph, PassContext& context) {
  const std::vector<Node*> norms = graph.in_order("aten._native_batch_norm_legit_no_training");
  if (norms.empty() || !context.evaluate) return Changed::no;
  const ConstantValues constants(graph, context);
  Changed changed = Changed::no;
  for (Node* norm : norms) {
    const std::optional<Producer> producer = producer_of(norm->argument("input").value());
    if (!producer) continue;
    Fold fold(norm, *producer);
    if (!fold.is_possible(constants) || !context.may_rewrite()) continue;
    fold.apply();
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
