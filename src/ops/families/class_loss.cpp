// Losses of class scores: negative log likelihood, cross entropy and multi-class margins.
//
// Scores are [C], or [N, C, ...] with a target for every index of the other dimensions. A target
// equal to ignore_index counts neither in the sum nor in the weight that a mean divides by.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/class_scores.h"
#include "ops/families/families.h"
#include "ops/families/loss_reduction.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::Index;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

IndexVector with_class(const TensorType& scores, Exprs position, Index chosen) {
  IndexVector index(position.begin(), position.end());
  index.insert(index.begin() + static_cast<ptrdiff_t>(class_dim(scores)), chosen);
  return index;
}

TensorType nll_type(const Call& call) {
  require_class_targets(call);
  const TensorType& scores = call.type("self");
  const bool is_none = loss_reduction(call) == LossReduction::none;
  return contiguous_type(scores.dtype, is_none ? positions_of(scores) : Sizes(), scores.device);
}

Types nll_meta(const Call& call) {
  Types types{nll_type(call)};
  if (call.op().schema.returns.size() == 2) {
    types.emplace_back(contiguous_type(call.type("self").dtype, {}, call.type("self").device));
  }
  return types;
}

Types vector_nll_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  require(scores.rank() <= 2,
          "nll_loss takes scores [N, C] or [C]; nll_loss_nd takes more:", scores);
  return nll_meta(call);
}

Types image_nll_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  require(scores.rank() == 4, "nll_loss2d takes scores [N, C, H, W]:", scores);
  return nll_meta(call);
}

// The loss of one position: its class's weight (0 if ignored) and its weighted loss.
class Likelihood {
 public:
  Likelihood(NestCall& call, DType compute) : call_(call), compute_(compute) {}

  Scalar weight(Exprs position) const {
    KernelBuilder& b = call_.builder();
    Scalar weight = b.constant(compute_, 1.0);
    if (call_.has("weight") && !known_equal(classes(), 0)) {
      weight = b.cast(b.load(call_.in("weight"), IndexVector{chosen(position).id()}), compute_);
    }
    return select(ignored(position), 0.0, weight);
  }

  Scalar loss(Exprs position) const {
    KernelBuilder& b = call_.builder();
    if (known_equal(classes(), 0)) return b.cast(chosen(position), compute_);
    const IndexVector index = with_class(call_.type("self"), position, chosen(position).id());
    const Scalar score = b.cast(b.load(call_.in("self"), index), compute_);
    return select(ignored(position), 0.0, -(score * weight(position)));
  }

 private:
  Scalar target(Exprs position) const {
    KernelBuilder& b = call_.builder();
    return b.cast(b.load(call_.in("target"), position), DType::i64);
  }

  Scalar ignored(Exprs position) const {
    return target(position) == call_.builder().index(call_.expr("ignore_index"));
  }

  Expr classes() const {
    const TensorType& scores = call_.type("self");
    return scores.sizes[class_dim(scores)];
  }

  // An ignored target may not be a class; class 0 replaces it. Without classes only ignored targets
  // have a place.
  Scalar chosen(Exprs position) const {
    KernelBuilder& b = call_.builder();
    const bool is_empty = known_equal(classes(), 0);
    const auto number = [&](int64_t value) { return b.constant(DType::i64, value); };
    const Scalar safe =
        select(ignored(position), number(0), is_empty ? number(-1) : target(position));
    return b.bound_index(safe, is_empty ? Expr(1) : classes(), false, "the class of a loss");
  }

  NestCall& call_;
  DType compute_;
};

void nll(NestCall& call) {
  KernelBuilder& b = call.builder();
  const DType dtype = call.result().dtype;
  const DType compute = compute_dtype(dtype);
  const Likelihood likelihood(call, compute);
  const Sizes sizes = positions_of(call.type("self"));
  const LossReduction reduction = loss_reduction(call);
  const bool gives_weight = call.op().schema.returns.size() == 2;
  const IndexVector scalar;
  if (reduction == LossReduction::none) {
    b.loop(sizes, [&](Exprs position) {
      b.store(call.out(0), position, b.cast(likelihood.loss(position), dtype));
    });
    if (gives_weight) b.store(call.out(1), scalar, b.cast(b.constant(compute, 0.0), dtype));
    return;
  }
  const Scalar weight =
      b.reduce(ReduceKind::sum, sizes, [&](Exprs position) { return likelihood.weight(position); });
  Scalar total =
      b.reduce(ReduceKind::sum, sizes, [&](Exprs position) { return likelihood.loss(position); });
  if (reduction == LossReduction::mean) total = total / weight;
  b.store(call.out(0), scalar, b.cast(total, dtype));
  if (gives_weight) b.store(call.out(1), scalar, b.cast(weight, dtype));
}

// --- cross entropy ---

bool has_class_probabilities(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  return is_floating(target.dtype) && may_be_same_sizes(scores.sizes, target.sizes);
}

TensorType cross_entropy_meta(const Call& call) {
  const double smoothing = call.real("label_smoothing");
  // PyTorch ignores a negative value.
  require(smoothing <= 1, "label_smoothing must be between 0 and 1:", smoothing);
  if (!has_class_probabilities(call)) return nll_type(call);
  const TensorType& scores = call.type("self");
  require(scores.rank() >= 1 && is_floating(scores.dtype),
          "class scores must be floating, with a dimension of classes:", scores);
  require_class_weights(call, scores.sizes[class_dim(scores)]);
  constexpr int64_t kNoClass = -100;
  require(!known_not_equal(call.expr("ignore_index"), kNoClass),
          "cross_entropy_loss with probabilities ignores no class:", call.expr("ignore_index"));
  const DType dtype = promoted_dtype(call, {"self", "target", "weight"});
  const bool is_none = loss_reduction(call) == LossReduction::none;
  return contiguous_type(dtype, is_none ? positions_of(scores) : Sizes(), scores.device);
}

// The steps that cross entropy consists of.
class Steps {
 public:
  explicit Steps(const DecomposeCall& call)
      : call_(call), dim_(static_cast<int64_t>(class_dim(call.type("self")))) {}

  Value log_softmax() const {
    return call_.aten("_log_softmax", {call_["self"], Expr(dim_), Expr::boolean(false)});
  }

  /// The class weights, shaped to multiply scores.
  Value weights() const {
    Sizes shape(call_.type("self").rank(), Expr(1));
    shape[static_cast<size_t>(dim_)] = classes();
    return call_.aten("view", {call_["weight"], shape});
  }

  Value sum_classes(Value value) const {
    return call_.aten("sum.dim_IntList",
                      {value, ir::Attribute(ir::Scalars{Expr(dim_)}), Expr::boolean(false)});
  }

  Expr classes() const { return call_.type("self").sizes[static_cast<size_t>(dim_)]; }

 private:
  const DecomposeCall& call_;
  int64_t dim_;
};

Value probability_loss(DecomposeCall& call, const Steps& steps, Value scores) {
  const double smoothing = call.real("label_smoothing");
  Value target = call["target"];
  if (smoothing > 0) {
    const Value kept = call.aten("mul.Scalar", {target, Expr::real(1 - smoothing)});
    const Expr spread = true_div(Expr::real(smoothing), to_real(steps.classes()));
    target = call.aten("add.Scalar", {kept, spread});
  }
  Value terms = call.aten("mul.Tensor", {scores, target});
  if (call.has("weight")) terms = call.aten("mul.Tensor", {terms, steps.weights()});
  if (loss_reduction(call) == LossReduction::none) {
    return call.aten("neg", {steps.sum_classes(terms)});
  }
  const Value total = call.aten("neg", {call.aten("sum", {terms})});
  if (loss_reduction(call) == LossReduction::sum) return total;
  return call.aten("div.Scalar", {total, product(positions_of(call.type("self")))});
}

// The loss of all classes at targets that are not ignored, reduced like the loss.
Value smoothing_loss(DecomposeCall& call, const Steps& steps, Value scores) {
  Value weighted = scores;
  if (call.has("weight")) weighted = call.aten("mul.Tensor", {scores, steps.weights()});
  const Value ignored = call.aten("eq.Scalar", {call["target"], call.pass("ignore_index")});
  const Value terms = call.aten(
      "masked_fill.Scalar", {call.aten("neg", {steps.sum_classes(weighted)}), ignored, Expr(0)});
  if (loss_reduction(call) == LossReduction::none) return terms;
  const Value total = call.aten("sum", {terms});
  if (loss_reduction(call) == LossReduction::sum) return total;
  const DType dtype = scores.tensor().dtype;
  if (!call.has("weight")) {
    const Value counted = call.aten("sum", {call.aten("logical_not", {ignored})});
    return call.aten("div.Tensor", {total, call.to(counted, dtype)});
  }
  const Value safe = call.aten("masked_fill.Scalar", {call["target"], ignored, Expr(0)});
  const Value flat = call.aten("view", {safe, Sizes{Expr(-1)}});
  const Value chosen = call.aten("index_select", {call["weight"], Expr(0), flat});
  const Value unseen = call.aten("view", {ignored, Sizes{Expr(-1)}});
  const Value counted = call.aten("masked_fill.Scalar", {chosen, unseen, Expr(0)});
  return call.aten("div.Tensor", {total, call.aten("sum", {counted})});
}

std::vector<Value> cross_entropy(DecomposeCall& call) {
  const Steps steps(call);
  const Value scores = steps.log_softmax();
  if (has_class_probabilities(call)) return {probability_loss(call, steps, scores)};
  const Value loss = call.aten("nll_loss_nd", {scores, call["target"], call.pass("weight"),
                                               call.pass("reduction"), call.pass("ignore_index")});
  const double smoothing = call.real("label_smoothing");
  if (smoothing <= 0) return {loss};
  const Value smooth = smoothing_loss(call, steps, scores);
  const Value share = call.aten("mul.Scalar", {smooth, Expr::real(smoothing)});
  return {call.aten("add.Tensor", {call.aten("mul.Scalar", {loss, Expr::real(1 - smoothing)}),
                                   call.aten("div.Scalar", {share, steps.classes()})})};
}

// --- margins between classes ---

TensorType multi_margin_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  require_margin_rows(call);
  require_target_per_row(call);
  require_class_weights(call, Rows(scores).classes);
  margin_power(call);
  const bool is_none = loss_reduction(call) == LossReduction::none;
  return contiguous_type(scores.dtype, is_none ? target.sizes : Sizes(), scores.device);
}

Scalar multi_margin_row(NestCall& call, const Rows& rows, Exprs sample, DType compute) {
  KernelBuilder& b = call.builder();
  const TensorType& scores = call.type("self");
  const TensorType& target_type = call.type("target");
  const IndexVector target_index = Rows::at(target_type, sample, Expr(0));
  const Scalar target = b.bound_index(b.cast(b.load(call.in("target"), target_index), DType::i64),
                                      rows.classes, false, "the class of multi_margin_loss");
  const auto score = [&](Index chosen) {
    return b.cast(b.load(call.in("self"), Rows::at(scores, sample, chosen)), compute);
  };
  const Scalar own = score(target.id());
  const Scalar margin = b.constant(compute, call.real("margin"));
  const bool is_squared = margin_power(call) == 2;
  const Scalar total = b.reduce(ReduceKind::sum, std::array{rows.classes}, [&](Exprs c) {
    // NaN scores exceed nothing, and no weight applies to nothing.
    const Scalar excess = margin - own + score(c[0]);
    Scalar term = is_squared ? excess * excess : excess;
    if (call.has("weight")) {
      term = term * b.cast(b.load(call.in("weight"), IndexVector{target.id()}), compute);
    }
    return select((b.index(c[0]) != target) & (excess > 0), term, 0.0);
  });
  return total / b.index(rows.classes, compute);
}

void multi_margin(NestCall& call) {
  const Rows rows(call.type("self"));
  const DType compute = compute_dtype(call.result().dtype);
  // A single row may have a list of one target, and then returns a list of one loss.
  Sizes sizes = rows.sample;
  if (loss_reduction(call) == LossReduction::none) sizes = call.result().sizes;
  reduce_loss(call, sizes, [&](Exprs index) {
    return multi_margin_row(call, rows, index.first(rows.sample.size()), compute);
  });
}

Types multilabel_margin_meta(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  const Rows rows(scores);
  require_margin_rows(call);
  require_targets_like_scores(call);
  const bool is_none = loss_reduction(call) == LossReduction::none;
  Types types{contiguous_type(scores.dtype, is_none ? rows.sample : Sizes(), scores.device)};
  if (call.op().schema.returns.size() == 2) {
    types.emplace_back(contiguous_type(scores.dtype, target.sizes, scores.device));
  }
  return types;
}

// The labels of one row: those before the first negative one.
class Labels {
 public:
  Labels(NestCall& call, const Rows& rows, Exprs sample)
      : call_(call), rows_(rows), sample_(sample) {
    KernelBuilder& b = call.builder();
    count_ = b.reduce(ReduceKind::min, std::array{rows.classes}, [&](Exprs j) {
      return select(label(j[0]) < 0.0, b.index(j[0]), b.index(rows.classes));
    });
  }

  Scalar label(Expr j) const {
    const IndexVector index = Rows::at(call_.type("target"), sample_, j);
    KernelBuilder& b = call_.builder();
    return bound_target(b, b.cast(b.load(call_.in("target"), index), DType::i64), rows_.classes);
  }

  Scalar is_valid(Expr j) const { return call_.builder().index(j) < count_; }

  Scalar contain(Expr c) const {
    KernelBuilder& b = call_.builder();
    return b.reduce(ReduceKind::any, std::array{rows_.classes},
                    [&](Exprs j) { return is_valid(j[0]) & (label(j[0]) == b.index(c)); });
  }

 private:
  NestCall& call_;
  const Rows& rows_;
  Exprs sample_;
  Scalar count_;
};

Scalar multilabel_margin_row(NestCall& call, const Rows& rows, Exprs sample, DType compute) {
  KernelBuilder& b = call.builder();
  const TensorType& scores = call.type("self");
  const Labels labels(call, rows, sample);
  const auto score = [&](Index chosen) {
    return b.cast(b.load(call.in("self"), Rows::at(scores, sample, chosen)), compute);
  };
  const Scalar total = b.reduce(ReduceKind::sum, std::array{rows.classes}, [&](Exprs c) {
    const Scalar other = score(c[0]);
    const Scalar shortfall = b.reduce(ReduceKind::sum, std::array{rows.classes}, [&](Exprs j) {
      const Scalar safe =
          select(labels.is_valid(j[0]), labels.label(j[0]), b.constant(DType::i64, int64_t{0}));
      const Scalar own =
          score(b.bound_index(safe, rows.classes, false, "a class of multilabel_margin_loss").id());
      const Scalar excess = 1 - own + other;
      return select(labels.is_valid(j[0]) & (excess > 0), excess, 0.0);
    });
    return select(labels.contain(c[0]), 0.0, shortfall);
  });
  return total / b.index(rows.classes, compute);
}

void multilabel_margin(NestCall& call) {
  KernelBuilder& b = call.builder();
  const Rows rows(call.type("self"));
  const DType compute = compute_dtype(call.result().dtype);
  reduce_loss(call, rows.sample,
              [&](Exprs sample) { return multilabel_margin_row(call, rows, sample, compute); });
  if (call.op().schema.returns.size() == 1) return;
  b.loop(rows.sample, [&](Exprs sample) {
    const Labels labels(call, rows, sample);
    b.loop(std::array{rows.classes}, [&](Exprs c) {
      b.store(call.out(1), Rows::at(call.result(1), sample, c[0]),
              b.cast(b.cast(labels.contain(c[0]), compute), call.result(1).dtype));
    });
  });
}

constexpr std::array kNllCalls{"(f32[4, 3], i64[4] in [0, 3), f32[3])"sv,
                               "(f32[3], i64[] in [0, 3), None, 0)"sv,
                               "(f32[s0, 3], i64[s0] in [0, 3), None, 1, 1)"sv};
constexpr std::array kNllAnyCalls{"(f32[4, 3], i64[4] in [0, 3), f32[3])"sv,
                                  "(f32[3], i64[] in [0, 3), None, 0)"sv,
                                  "(f32[s0, 3, s1], i64[s0, s1] in [0, 3), None, 1, 1)"sv};
constexpr std::array kNll2dCalls{"(f32[2, 3, 2, 2], i64[2, 2, 2] in [0, 3), None, 1, -100)"sv};
constexpr std::array kNllForwardCalls{"(f32[4, 3], i64[4] in [0, 3), f32[3], 1, 1)"sv,
                                      "(f32[4, 3], i64[4] in [0, 3), None, 0, -100)"sv};
constexpr std::array kEntropyCalls{
    "(f32[4, 3], i64[4] in [0, 3))"sv, "(f32[s0, 3], f32[s0, 3], f32[3], label_smoothing=0.1)"sv,
    "(f32[s0, 3], i64[s0] in [0, 3), f32[3], ignore_index=1, label_smoothing=0.1)"sv,
    "(f32[3], i64[] in [0, 3), label_smoothing=0.2)"sv};
constexpr std::array kMultiCalls{"(f32[s0, 3], i64[s0] in [0, 3), 2, 1.5, f32[3])"sv,
                                 "(f32[3], i64[1] in [0, 3), reduction=0)"sv};
constexpr std::array kMultilabelCalls{"(f32[s0, 3], i64[s0, 3] in [-1, 3))"sv,
                                      "(f32[3], i64[3] in [-1, 3), 2)"sv};
constexpr std::array kMultilabelForwardCalls{"(f32[4, 3], i64[4, 3] in [-1, 3), 1)"sv};

constexpr OpDef likelihood_loss(ir::SchemaText schema, std::string_view doc,
                                Types (*meta)(const Call&),
                                std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = LoopNest{nll},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    OpDef{.schema = "aten.cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int "
                    "reduction=1, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor",
          .doc = "Cross entropy of class scores with class numbers, or with probabilities of the "
                 "scores' shape.",
          .meta = cross_entropy_meta,
          .impl = Decompose{cross_entropy},
          .samples = {.lo = 0, .hi = 1, .calls = kEntropyCalls}},
    OpDef{.schema = "aten.multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar "
                    "margin=1, Tensor? weight=None, int reduction=1) -> Tensor",
          .doc = "How far the other classes come within the margin of the target's score.",
          .meta = multi_margin_meta,
          .impl = LoopNest{multi_margin},
          .samples = {.calls = kMultiCalls}},
    OpDef{.schema = "aten.multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> "
                    "Tensor",
          .doc = "How far classes that are no label come within 1 of the labels' scores.",
          .meta = multilabel_margin_meta,
          .impl = LoopNest{multilabel_margin},
          .samples = {.calls = kMultilabelCalls}},
    OpDef{.schema = "aten.multilabel_margin_loss_forward(Tensor self, Tensor target, int "
                    "reduction) -> (Tensor output, Tensor is_target)",
          .doc = "multilabel_margin_loss, and which classes are labels.",
          .meta = multilabel_margin_meta,
          .impl = LoopNest{multilabel_margin},
          .samples = {.calls = kMultilabelForwardCalls}},
    likelihood_loss("aten.nll_loss(Tensor self, Tensor target, Tensor? weight=None, int "
                    "reduction=1, SymInt ignore_index=-100) -> Tensor",
                    "Negative log likelihood of the targets.", vector_nll_meta, kNllCalls),
    likelihood_loss("aten.nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int "
                    "reduction=1, SymInt ignore_index=-100) -> Tensor",
                    "Negative log likelihood of the targets of images.", image_nll_meta,
                    kNll2dCalls),
    likelihood_loss("aten.nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int "
                    "reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
                    "nll_loss2d, and the weight that a mean divides by.", image_nll_meta,
                    kNll2dCalls),
    likelihood_loss("aten.nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int "
                    "reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
                    "nll_loss, and the weight that a mean divides by.", vector_nll_meta,
                    kNllForwardCalls),
    likelihood_loss("aten.nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int "
                    "reduction=1, SymInt ignore_index=-100) -> Tensor",
                    "Negative log likelihood of the targets, for any number of dimensions.",
                    nll_meta, kNllAnyCalls),
};

}  // namespace

std::span<const OpDef> class_loss_ops() { return kOps; }

}  // namespace litz::ops
