#include "ops/families/class_scores.h"

#include <cmath>

#include "ops/families/loss_reduction.h"
#include "ops/families/same_sizes.h"
#include "support/check.h"

namespace litz::ops {

using loops::Exprs;
using loops::Index;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;

size_t class_dim(const TensorType& scores) { return scores.rank() == 1 ? 0 : 1; }

Sizes positions_of(const TensorType& scores) {
  Sizes sizes = scores.sizes;
  sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(class_dim(scores)));
  return sizes;
}

void require_class_weights(const Call& call, Expr classes) {
  if (!call.has("weight")) return;
  const TensorType& weight = call.type("weight");
  require(weight.rank() == 1 && !known_not_equal(weight.sizes[0], classes),
          "there must be one weight for every class:", weight, call.type("self"));
  // Probabilities promote with their weights.
  require(is_floating(call.type("target").dtype) || weight.dtype == call.type("self").dtype,
          "class weights must have the dtype of the scores:", weight, call.type("self"));
}

void require_class_targets(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  require(scores.rank() >= 1, "class scores need a dimension of classes:", scores);
  require(may_be_same_sizes(positions_of(scores), target.sizes),
          "there must be one target for every position of the scores:", scores, target);
  const bool is_image = scores.rank() > 2;
  require(target.dtype == DType::i64 || (target.dtype == DType::u8 && !is_image),
          "targets must be class numbers in int64 (or uint8, of vectors), got", name(target.dtype));
  require(is_floating(scores.dtype), "class scores must be floating, got", name(scores.dtype));
  require_class_weights(call, scores.sizes[class_dim(scores)]);
}

Rows::Rows(const TensorType& scores) {
  require(scores.rank() <= 2, "margins take a vector of scores or one a row:", scores);
  if (scores.rank() == 2) sample = {scores.sizes[0]};
  classes = scores.rank() == 0 ? Expr(1) : scores.sizes.back();
}

IndexVector Rows::at(const TensorType& type, Exprs sample, Index chosen) {
  IndexVector index(sample.begin(), sample.end());
  if (index.size() < type.rank()) index.push_back(chosen);
  return index;
}

void require_margin_rows(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  const Rows rows(scores);
  require((scores.dtype == DType::f32 || scores.dtype == DType::f64) && target.dtype == DType::i64,
          "margins take scores in float32 or float64 and class numbers in int64:", scores, target);
  require(!known_equal(rows.classes, 0), "margins need at least one class:", scores);
}

int64_t margin_power(const Call& call) {
  const double p = std::trunc(call.real("p"));
  require(p == 1 || p == 2, "multi_margin_loss takes a p of 1 or 2:", call.real("p"));
  return static_cast<int64_t>(p);
}

void require_target_per_row(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  const Sizes rows{scores.rank() == 2 ? scores.sizes[0] : Expr(1)};
  const bool is_alone = scores.rank() < 2 && target.rank() == 0;
  require(is_alone || may_be_same_sizes(target.sizes, rows),
          "there must be one target for every row of scores:", scores, target);
}

void require_targets_like_scores(const Call& call) {
  const TensorType& scores = call.type("self");
  const TensorType& target = call.type("target");
  const bool fits = scores.rank() == 2
                        ? may_be_same_sizes(target.sizes, scores.sizes)
                        : target.rank() <= 1 && !known_not_equal(target.numel(), scores.numel());
  require(fits, "there must be as many targets as scores, -1 after the last:", scores, target);
}

void require_loss_gradient(const Call& call, const Sizes& terms, bool may_be_one) {
  const TensorType& gradient = call.type("grad_output");
  require(gradient.dtype == call.type("self").dtype,
          "the gradient of a loss must have the dtype of the scores:", gradient, call.type("self"));
  const bool per_term = loss_reduction(call) == LossReduction::none && !terms.empty();
  const bool fits = per_term && !(may_be_one && gradient.rank() == 0)
                        ? may_be_same_sizes(gradient.sizes, terms)
                        : gradient.rank() <= 1 && !known_not_equal(gradient.numel(), 1);
  require(fits,
          "a loss must have one gradient, or one for every term that is not reduced:", gradient,
          call.type("self"));
}

Scalar bound_target(KernelBuilder& b, Scalar target, Expr classes) {
  return b.bound_index(target + 1, classes + 1, false, "one more than a class of a loss") - 1;
}

IndexVector gradient_index(const Call& call, Exprs term) {
  const size_t rank = call.type("grad_output").rank();
  const bool per_term = loss_reduction(call) == LossReduction::none && rank == term.size();
  if (per_term) return {term.begin(), term.end()};
  return IndexVector(rank, Expr(0));
}

}  // namespace litz::ops
