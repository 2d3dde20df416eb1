// Derivatives of losses by predictions. A reduced loss has one gradient for all elements; a mean
// divides it by their number.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/class_scores.h"
#include "ops/families/families.h"
#include "ops/families/loss_reduction.h"
#include "ops/families/operand_dtypes.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::Index;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

// --- by element ---

// The gradient of one element. Means are over those of `self`, even if targets are more.
Scalar share(const PointwiseCall& call, Scalar gradient) {
  if (loss_reduction(call) != LossReduction::mean) return gradient;
  return gradient / call.builder().index(call.type("self").numel(), gradient.dtype());
}

Scalar mse_backward(const PointwiseCall& call) {
  const Scalar error = call["self"] - call["target"];
  return share(call, 2 * error * call["grad_output"]);
}

Scalar smooth_l1_backward(const PointwiseCall& call) {
  const Scalar error = call["self"] - call["target"];
  const double beta = call.real("beta");
  // With a beta of 0, an error of 0 counts as negative.
  const Scalar slope = select(error <= -beta, -1.0, select(error >= beta, 1.0, error / beta));
  return share(call, slope * call["grad_output"]);
}

// Layouts follow from the steps by which exported programs state these losses, in the dtype in which
// halves are computed.
TensorType joined(const Call& call, const TensorType& a, const TensorType& b) {
  return joined_type(compute_dtype(promoted_dtype(call)), a, b);
}

TensorType error_type(const Call& call) {
  return joined(call, call.type("self"), call.type("target"));
}

// Computed in the common dtype and written to a tensor like self.
TensorType like_self_at(const Call& call, const TensorType& steps) {
  const DType dtype = meta::elementwise_floating_only(call).dtype;
  require_writable(call, dtype, call.type("self").dtype);
  TensorType type = steps;
  type.dtype = call.type("self").dtype;
  return type;
}

TensorType mse_meta(const Call& call) {
  return like_self_at(call, joined(call, error_type(call), call.type("grad_output")));
}

// A choice by the error of two products.
TensorType choice_meta(const Call& call) {
  const TensorType error = error_type(call);
  const TensorType slope = joined(call, call.type("grad_output"), error);
  return like_self_at(call, joined(call, error, slope));
}

TensorType smooth_l1_meta(const Call& call) {
  require(call.real("beta") >= 0,
          "the beta of a smooth loss must not be negative:", call.real("beta"));
  return choice_meta(call);
}

TensorType huber_meta(const Call& call) {
  require(call.real("delta") >= 0,
          "the delta of a Huber loss must not be negative:", call.real("delta"));
  require_same_dtypes(call, {"self", "grad_output", "target"});
  return choice_meta(call);
}

Scalar huber_backward(const PointwiseCall& call) {
  const Scalar error = call["self"] - call["target"];
  const double delta = call.real("delta");
  const Scalar slope = select(error <= -delta, -delta, select(error >= delta, delta, error));
  return share(call, slope * call["grad_output"]);
}

TensorType soft_margin_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& target = call.type("target");
  const TensorType& gradient = call.type("grad_output");
  require(is_floating(self.dtype), "soft margins are for floating dtypes only:", self);
  for (const char* name : {"target", "grad_output"}) {
    require(!is_complex(call.type(name).dtype), "soft margins are for real numbers only:", name,
            call.type(name));
  }
  require(target.dtype != DType::bool_, "soft margins need targets with a sign, got", target);
  TensorType type = joined(call, target, self);
  require(broadcast_sizes(type.sizes, gradient.sizes) == type.sizes,
          "the gradient of a loss must not be larger than its terms:", gradient, type);
  type = joined(call, joined(call, target, gradient), type);
  type.dtype = self.dtype;
  return type;
}

// Rounds every step: intermediate halves overflow, which is visible in the result. The exponential
// has the dtype that score and target have in common, all that is written that of the score.
Scalar soft_margin_backward(const PointwiseCall& call) {
  KernelBuilder& b = call.builder();
  const DType common = promoted_dtype(call, {"self", "target"});
  const auto round = [&](Scalar x, DType dtype) {
    return b.cast(b.cast(x, dtype), call.compute());
  };
  const auto written = [&](Scalar x) { return round(x, call.result()); };
  const Scalar target = call["target"];
  const Scalar opposite = is_integer(call.type("target").dtype)
                              ? b.cast(-call.load("target"), call.compute())
                              : -target;
  const Scalar z = round(exp(round(opposite * call["self"], common)), common);
  Scalar slope = -written(target * z);
  if (loss_reduction(call) == LossReduction::mean) slope = written(share(call, slope));
  return written(written(slope / round(z + 1, common)) * call["grad_output"]);
}

// PyTorch drops sizes of 1 before matching the others; its results for operands that broadcast are
// rejected here.
TensorType binary_cross_entropy_meta(const Call& call) {
  const TensorType& self = call.type("self");
  for (const char* name : {"grad_output", "target"}) {
    const Expr count = call.type(name).numel();
    require(
        !known_not_equal(count, self.numel()) ||
            (name == std::string_view("grad_output") && known_equal(count, Expr(1))),
        "binary_cross_entropy has a target for every element, and a gradient for each or for all:",
        name, call.type(name), self);
  }
  require_same_dtypes(call, {"self", "grad_output", "target"});
  TensorType steps = joined(call, call.type("grad_output"), error_type(call));
  steps = joined(call, steps, self);
  if (call.has("weight")) steps = joined(call, steps, call.type("weight"));
  const TensorType type = like_self_at(call, steps);
  require(type.sizes == self.sizes, "binary_cross_entropy has weights for its elements:", type,
          self);
  return type;
}

Scalar binary_cross_entropy_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  // Keeps the gradients of certain predictions finite.
  constexpr double kSmallest = 1e-12;
  Scalar slope = (x - call["target"]) / max((1 - x) * x, kSmallest) * call["grad_output"];
  if (call.has("weight")) slope = slope * call["weight"];
  return share(call, slope);
}

// --- by class ---

TensorType scores_meta(const Call& call) {
  require_class_targets(call);
  const TensorType& scores = call.type("self");
  require_loss_gradient(call, positions_of(scores), false);
  const TensorType& total = call.type("total_weight");
  require(!known_not_equal(total.numel(), 1) && total.dtype == scores.dtype,
          "the total weight of a loss must be one number of the scores' dtype:", total, scores);
  return contiguous_type(scores.dtype, scores.sizes, scores.device);
}

// Minus the weight of the target's class, at that class; 0 at ignored positions.
void nll_backward(NestCall& call) {
  const TensorType& scores = call.type("self");
  const size_t dim = class_dim(scores);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(scores.dtype);
  const IndexVector one_number(call.type("total_weight").rank(), Expr(0));
  b.loop(positions_of(scores), [&](Exprs position) {
    const Scalar target = b.cast(b.load(call.in("target"), position), DType::i64);
    const Scalar ignored = target == b.index(call.expr("ignore_index"));
    const Scalar chosen = b.bound_index(select(ignored, b.constant(DType::i64, int64_t{0}), target),
                                        scores.sizes[dim], false, "the class of a loss");
    Scalar slope = -b.cast(b.load(call.in("grad_output"), gradient_index(call, position)), compute);
    if (call.has("weight")) {
      slope = slope * b.cast(b.load(call.in("weight"), IndexVector{chosen.id()}), compute);
    }
    if (loss_reduction(call) == LossReduction::mean) {
      slope = slope / b.cast(b.load(call.in("total_weight"), one_number), compute);
    }
    b.loop(std::array{scores.sizes[dim]}, [&](Exprs c) {
      IndexVector index(position.begin(), position.end());
      index.insert(index.begin() + static_cast<ptrdiff_t>(dim), c[0]);
      const Scalar counts = (b.index(c[0]) == chosen) & !ignored;
      b.store(call.out(), index, b.cast(select(counts, slope, 0.0), scores.dtype));
    });
  });
}

TensorType multi_margin_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  require_margin_rows(call);
  require_target_per_row(call);
  require_class_weights(call, Rows(scores).classes);
  require_loss_gradient(call, Rows(scores).sample, true);
  margin_power(call);
  return contiguous_type(scores.dtype, scores.sizes, scores.device);
}

TensorType multilabel_margin_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  const TensorType& is_target = call.type("is_target");
  require_margin_rows(call);
  require_targets_like_scores(call);
  require_loss_gradient(call, Rows(scores).sample, true);
  bool fits = is_target.rank() == target.rank() && is_target.dtype == scores.dtype;
  for (size_t d = 0; fits && d < target.rank(); ++d) {
    fits = !known_not_equal(is_target.sizes[d], target.sizes[d]);
  }
  require(fits,
          "what tells targets must have the sizes of the targets, the scores' dtype:", is_target,
          target);
  return contiguous_type(scores.dtype, scores.sizes, scores.device);
}

Scalar row_gradient(NestCall& call, Exprs sample, DType compute) {
  KernelBuilder& b = call.builder();
  return b.cast(b.load(call.in("grad_output"), gradient_index(call, sample)), compute);
}

// The divisor of the terms of a row.
Expr term_count(const Call& call, const Rows& rows) {
  if (loss_reduction(call) != LossReduction::mean) return rows.classes;
  return rows.classes * product(rows.sample);
}

void multi_margin_backward(NestCall& call) {
  const TensorType& scores = call.type("self");
  const Rows rows(scores);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(scores.dtype);
  const bool is_squared = margin_power(call) == 2;
  b.loop(rows.sample, [&](Exprs sample) {
    const IndexVector target_index = Rows::at(call.type("target"), sample, Expr(0));
    const Scalar target = b.bound_index(b.cast(b.load(call.in("target"), target_index), DType::i64),
                                        rows.classes, false, "the class of multi_margin_loss");
    const auto score = [&](Index chosen) {
      return b.cast(b.load(call.in("self"), Rows::at(scores, sample, chosen)), compute);
    };
    const Scalar gradient = row_gradient(call, sample, compute);
    Scalar unit = 1 / b.index(term_count(call, rows), compute);
    if (call.has("weight")) {
      unit = unit * b.cast(b.load(call.in("weight"), IndexVector{target.id()}), compute);
    }
    const Scalar own = score(target.id());
    const Scalar margin = b.constant(compute, call.real("margin"));
    const auto slope = [&](Exprs c) {
      const Scalar excess = margin - own + score(c[0]);
      const Scalar value = is_squared ? 2 * excess * unit : unit;
      return select((excess > 0) & (b.index(c[0]) != target), value, 0.0);
    };
    const Scalar others = b.reduce(ReduceKind::sum, std::array{rows.classes}, slope);
    b.loop(std::array{rows.classes}, [&](Exprs c) {
      const Scalar value = select(b.index(c[0]) == target, -others, slope(c));
      b.store(call.out(), Rows::at(scores, sample, c[0]), b.cast(value * gradient, scores.dtype));
    });
  });
}

// Compares every target (up to the first -1) with every other class: if they are closer than 1,
// both get the same contribution, with opposite signs.
void multilabel_margin_backward(NestCall& call) {
  const TensorType& scores = call.type("self");
  const Rows rows(scores);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(scores.dtype);
  const std::array classes{rows.classes};
  b.loop(rows.sample, [&](Exprs sample) {
    const auto load = [&](std::string_view name, Index chosen) {
      return b.load(call.in(name), Rows::at(call.type(name), sample, chosen));
    };
    const auto label = [&](Index t) {
      return bound_target(b, b.cast(load("target", t), DType::i64), rows.classes);
    };
    const Scalar none = b.index(rows.classes);
    // The end of the targets.
    const Scalar end = b.reduce(ReduceKind::min, classes, [&](Exprs t) {
      return select(label(t[0]) < 0, b.index(t[0]), none);
    });
    const auto score = [&](Index chosen) { return b.cast(load("self", chosen), compute); };
    const auto is_target = [&](Expr c) { return b.cast(load("is_target", c), compute) != 0; };
    const auto target_at = [&](Expr t) {
      const Scalar given = label(t);
      return b.bound_index(select(b.index(t) < end, given, b.constant(DType::i64, int64_t{0})),
                           rows.classes, false, "the class of multilabel_margin_loss");
    };
    const auto closer = [&](Scalar own, Scalar other) { return (1 - own + other) > 0; };
    const Scalar unit =
        row_gradient(call, sample, compute) / b.index(term_count(call, rows), compute);
    const auto counted = [&](Scalar condition) {
      return select(condition, b.constant(compute, 1.0), 0.0);
    };
    b.loop(classes, [&](Exprs c) {
      const Scalar own = score(c[0]);
      // As a non-target: from every target that is not 1 above it.
      const Scalar pulled = b.reduce(ReduceKind::sum, classes, [&](Exprs t) {
        const Scalar target = target_at(t[0]);
        return counted((b.index(t[0]) < end) & closer(score(target.id()), own));
      });
      // As a target, once per occurrence: from every non-target.
      const Scalar named = b.reduce(ReduceKind::sum, classes, [&](Exprs t) {
        return counted((b.index(t[0]) < end) & (target_at(t[0]) == b.index(c[0])));
      });
      const Scalar pushed = b.reduce(ReduceKind::sum, classes, [&](Exprs o) {
        return counted((!is_target(o[0])) & closer(own, score(o[0])));
      });
      const Scalar value = select(is_target(c[0]), -(pushed * named), pulled) * unit;
      b.store(call.out(), Rows::at(scores, sample, c[0]), b.cast(value, scores.dtype));
    });
  });
}

constexpr std::array kPairSample{"(f32[], f32[2, 3], f32[2, 3], 1)"sv,
                                 "(f32[2, 3], f32[2, 3], f32[2, 3], 0)"sv,
                                 "(f16[], f16[s0, 3], f16[s0, 3], 2)"sv};
constexpr std::array kBetaSample{"(f32[], f32[2, 3], f32[2, 3], 1, 0.5)"sv,
                                 "(f32[2, 3], f32[2, 3], f32[2, 3], 0, 1.0)"sv};
constexpr std::array kEntropySample{
    "(f32[], f32[2, 3] in [0.1, 0.9), f32[2, 3] in [0, 1), f32[3], 1)"sv};
constexpr std::array kNllSample{
    "(f32[], f32[4, 3], i64[4] in [0, 3), f32[3], 1, 1, f32[] in [1, 2))"sv,
    "(f32[4], f32[4, 3], i64[4] in [0, 3), None, 0, -100, f32[])"sv,
    "(f32[], f32[3], i64[] in [0, 3), None, 2, -100, f32[])"sv};
constexpr std::array kNll2dSample{
    "(f32[], f32[2, 3, 2, 2], i64[2, 2, 2] in [0, 3), f32[3], 1, 1, f32[] in [1, 2))"sv};
constexpr std::array kMarginSample{"(f32[], f32[2, 3], i64[2] in [0, 3), 1, 1.0, f32[3], 1)"sv,
                                   "(f32[2], f32[2, 3], i64[2] in [0, 3), 2, 0.5, None, 0)"sv};
constexpr std::array kMultilabelSample{
    "(f32[], f32[2, 3], i64[2, 3] in [-1, 3), 1, f32[2, 3] in [0, 1))"sv};

constexpr OpDef by_element(ir::SchemaText schema, std::string_view doc,
                           Scalar (*body)(const PointwiseCall&),
                           std::span<const std::string_view> calls, Meta meta) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .compute = Compute::inputs,
          .impl = Pointwise{body},
          .samples = {.calls = calls}};
}

constexpr OpDef by_class(ir::SchemaText schema, std::string_view doc, Meta meta,
                         void (*build)(NestCall&), std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = LoopNest{build},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    by_element("aten.binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor "
               "target, Tensor? weight=None, int reduction=1) -> Tensor",
               "Derivative of binary_cross_entropy.", binary_cross_entropy_backward, kEntropySample,
               binary_cross_entropy_meta),
    by_element("aten.huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
               "reduction, float delta) -> Tensor",
               "Derivative of huber_loss.", huber_backward, kBetaSample, huber_meta),
    by_element("aten.mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
               "reduction) -> Tensor",
               "Derivative of mse_loss.", mse_backward, kPairSample, mse_meta),
    by_class("aten.multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, "
             "Scalar p, Scalar margin, Tensor? weight=None, int reduction=1) -> Tensor",
             "Derivative of multi_margin_loss.", multi_margin_meta, multi_margin_backward,
             kMarginSample),
    by_class("aten.multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor "
             "target, int reduction, Tensor is_target) -> Tensor",
             "Derivative of multilabel_margin_loss.", multilabel_margin_meta,
             multilabel_margin_backward, kMultilabelSample),
    by_class("aten.nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
             "weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
             "Derivative of nll_loss2d.", scores_meta, nll_backward, kNll2dSample),
    by_class("aten.nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
             "weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
             "Derivative of nll_loss.", scores_meta, nll_backward, kNllSample),
    by_element("aten.smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
               "reduction, float beta) -> Tensor",
               "Derivative of smooth_l1_loss.", smooth_l1_backward, kBetaSample, smooth_l1_meta),
    OpDef{.schema = "aten.soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor "
                    "target, int reduction) -> Tensor",
          .doc = "Derivative of soft_margin_loss.",
          .meta = soft_margin_meta,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{soft_margin_backward},
          .samples = {.calls = kPairSample}},
};

}  // namespace

std::span<const OpDef> loss_backward_ops() { return kOps; }

}  // namespace litz::ops
