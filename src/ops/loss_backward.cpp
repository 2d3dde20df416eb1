// Derivatives of losses by what was predicted. A reduced loss has one gradient for all elements; a
// mean divides it by their number.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families.h"
#include "ops/loss_reduction.h"
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

Scalar sign_of_error(Scalar error) { return sign(error); }

// What each of as many elements as `self` and `target` make together gets.
Scalar share(const PointwiseCall& call, Scalar gradient) {
  if (loss_reduction(call) != LossReduction::mean) return gradient;
  Expr count = call.type("self").numel();
  if (call.is_tensor("target")) {
    count = product(broadcast_sizes(call.type("self").sizes, call.type("target").sizes));
  }
  return gradient / call.builder().index(count, gradient.dtype());
}

Scalar mse_backward(const PointwiseCall& call) {
  const Scalar error = call["self"] - call["target"];
  return share(call, 2 * error * call["grad_output"]);
}

Scalar smooth_l1_backward(const PointwiseCall& call) {
  const Scalar error = call["self"] - call["target"];
  const double beta = call.real("beta");
  const Scalar gradient = call["grad_output"];
  Scalar slope = sign_of_error(error);
  if (beta > 0) slope = select(abs(error) < beta, error / beta, slope);
  return share(call, slope * gradient);
}

Scalar huber_backward(const PointwiseCall& call) {
  const Scalar error = call["self"] - call["target"];
  const double delta = call.real("delta");
  const Scalar slope = select(abs(error) <= delta, error, delta * sign_of_error(error));
  return share(call, slope * call["grad_output"]);
}

Scalar soft_margin_backward(const PointwiseCall& call) {
  const Scalar target = call["target"];
  const Scalar z = exp(-target * call["self"]);
  return share(call, -target * z / (z + 1) * call["grad_output"]);
}

Scalar binary_cross_entropy_backward(const PointwiseCall& call) {
  const Scalar x = call["self"];
  // Keeps what certain predictions get finite.
  constexpr double kSmallest = 1e-12;
  Scalar slope = (x - call["target"]) / max((1 - x) * x, kSmallest) * call["grad_output"];
  if (call.has("weight")) slope = slope * call["weight"];
  return share(call, slope);
}

// --- by class ---

size_t class_dim(const TensorType& scores) { return scores.rank() == 1 ? 0 : 1; }

TensorType scores_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  require(scores.rank() >= 1 && target.rank() + 1 == scores.rank() && is_integer(target.dtype),
          "there must be one target for every position of the scores:", scores, target);
  if (call.has("weight")) {
    const TensorType& weight = call.type("weight");
    require(
        weight.rank() == 1 && !known_not_equal(weight.sizes[0], scores.sizes[class_dim(scores)]),
        "there must be one weight for every class:", weight, scores);
  }
  return contiguous_type(scores.dtype, scores.sizes, scores.device);
}

IndexVector position_index(const TensorType& type, Exprs position) {
  if (type.rank() == 0) return {};
  return {position.begin(), position.end()};
}

// Minus the weight of the target's class, at that class; nothing at positions that are ignored.
void nll_backward(NestCall& call) {
  const TensorType& scores = call.type("self");
  const TensorType& gradient = call.type("grad_output");
  const size_t dim = class_dim(scores);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(scores.dtype);
  Sizes positions = scores.sizes;
  positions.erase(positions.begin() + static_cast<ptrdiff_t>(dim));
  b.loop(positions, [&](Exprs position) {
    const Scalar target = b.cast(b.load(call.in("target"), position), DType::i64);
    const Scalar ignored = target == b.index(call.expr("ignore_index"));
    const Scalar chosen = b.bound_index(select(ignored, b.constant(DType::i64, int64_t{0}), target),
                                        scores.sizes[dim], false, "the class of a loss");
    Scalar slope =
        -b.cast(b.load(call.in("grad_output"), position_index(gradient, position)), compute);
    if (call.has("weight")) {
      slope = slope * b.cast(b.load(call.in("weight"), IndexVector{chosen.id()}), compute);
    }
    if (loss_reduction(call) == LossReduction::mean) {
      slope = slope / b.cast(b.load(call.in("total_weight"), IndexVector()), compute);
    }
    b.loop(std::array{scores.sizes[dim]}, [&](Exprs c) {
      IndexVector index(position.begin(), position.end());
      index.insert(index.begin() + static_cast<ptrdiff_t>(dim), c[0]);
      const Scalar counts = (b.index(c[0]) == chosen) & !ignored;
      b.store(call.out(), index, b.cast(select(counts, slope, 0.0), scores.dtype));
    });
  });
}

// Scores as rows: [C] and [] are one row.
struct Rows {
  explicit Rows(const TensorType& scores) {
    require(scores.rank() <= 2, "margins take a vector of scores or one a row:", scores);
    if (scores.rank() == 2) sample = {scores.sizes[0]};
    classes = scores.rank() == 0 ? Expr(1) : scores.sizes.back();
  }

  static IndexVector at(const TensorType& type, Exprs sample, Index chosen) {
    IndexVector index(sample.begin(), sample.end());
    if (index.size() < type.rank()) index.push_back(chosen);
    return index;
  }

  Sizes sample;
  Expr classes;
};

TensorType margin_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  const Rows rows(scores);
  require(is_floating(scores.dtype) && is_integer(call.type("target").dtype),
          "margins take floating scores and class numbers:", scores, call.type("target"));
  return contiguous_type(scores.dtype, scores.sizes, scores.device);
}

// The gradient of a row, over what a mean divides by.
Scalar row_gradient(NestCall& call, const Rows& rows, Exprs sample, DType compute) {
  KernelBuilder& b = call.builder();
  const TensorType& gradient = call.type("grad_output");
  const IndexVector index =
      gradient.rank() == 0 ? IndexVector() : Rows::at(gradient, sample, Expr(0));
  const Scalar value = b.cast(b.load(call.in("grad_output"), index), compute);
  Expr count = rows.classes;
  if (loss_reduction(call) == LossReduction::mean) count = count * product(rows.sample);
  return value / b.index(count, compute);
}

void multi_margin_backward(NestCall& call) {
  const TensorType& scores = call.type("self");
  const Rows rows(scores);
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(scores.dtype);
  const bool is_squared = call.integer("p") == 2;
  b.loop(rows.sample, [&](Exprs sample) {
    const IndexVector target_index = Rows::at(call.type("target"), sample, Expr(0));
    const Scalar target = b.bound_index(b.cast(b.load(call.in("target"), target_index), DType::i64),
                                        rows.classes, false, "the class of multi_margin_loss");
    const auto score = [&](Index chosen) {
      return b.cast(b.load(call.in("self"), Rows::at(scores, sample, chosen)), compute);
    };
    Scalar unit = row_gradient(call, rows, sample, compute);
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
      b.store(call.out(), Rows::at(scores, sample, c[0]), b.cast(value, scores.dtype));
    });
  });
}

// Every target (up to the first -1) against every class that is none: both get the same share, with
// other signs, where they are closer than 1.
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
    const Scalar none = b.index(rows.classes);
    // Where the targets end.
    const Scalar end = b.reduce(ReduceKind::min, classes, [&](Exprs t) {
      return select(b.cast(load("target", t[0]), DType::i64) < 0, b.index(t[0]), none);
    });
    const auto score = [&](Index chosen) { return b.cast(load("self", chosen), compute); };
    const auto is_target = [&](Expr c) { return b.cast(load("is_target", c), compute) != 0; };
    const auto target_at = [&](Expr t) {
      const Scalar given = b.cast(load("target", t), DType::i64);
      return b.bound_index(select(b.index(t) < end, given, b.constant(DType::i64, int64_t{0})),
                           rows.classes, false, "the class of multilabel_margin_loss");
    };
    const auto closer = [&](Scalar own, Scalar other) { return (1 - own + other) > 0; };
    const Scalar unit = row_gradient(call, rows, sample, compute);
    const auto counted = [&](Scalar condition) {
      return select(condition, b.constant(compute, 1.0), 0.0);
    };
    b.loop(classes, [&](Exprs c) {
      const Scalar own = score(c[0]);
      // As one that is no target: from every target that is not 1 above it.
      const Scalar pulled = b.reduce(ReduceKind::sum, classes, [&](Exprs t) {
        const Scalar target = target_at(t[0]);
        return counted((b.index(t[0]) < end) & closer(score(target.id()), own));
      });
      // As a target, as often as it is named: from every class that is none.
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
                           std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta::elementwise_floating_only,
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
               "Derivative of binary_cross_entropy.", binary_cross_entropy_backward,
               kEntropySample),
    by_element("aten.huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
               "reduction, float delta) -> Tensor",
               "Derivative of huber_loss.", huber_backward, kBetaSample),
    by_element("aten.mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
               "reduction) -> Tensor",
               "Derivative of mse_loss.", mse_backward, kPairSample),
    by_class("aten.multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, "
             "Scalar p, Scalar margin, Tensor? weight=None, int reduction=1) -> Tensor",
             "Derivative of multi_margin_loss.", margin_meta, multi_margin_backward, kMarginSample),
    by_class("aten.multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor "
             "target, int reduction, Tensor is_target) -> Tensor",
             "Derivative of multilabel_margin_loss.", margin_meta, multilabel_margin_backward,
             kMultilabelSample),
    by_class("aten.nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
             "weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
             "Derivative of nll_loss2d.", scores_meta, nll_backward, kNll2dSample),
    by_class("aten.nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
             "weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor",
             "Derivative of nll_loss.", scores_meta, nll_backward, kNllSample),
    by_element("aten.smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int "
               "reduction, float beta) -> Tensor",
               "Derivative of smooth_l1_loss.", smooth_l1_backward, kBetaSample),
    by_element("aten.soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, "
               "int reduction) -> Tensor",
               "Derivative of soft_margin_loss.", soft_margin_backward, kPairSample),
};

}  // namespace

std::span<const OpDef> loss_backward_ops() { return kOps; }

}  // namespace litz::ops
