// Class scores and their targets, as losses of classes and their derivatives share them.
//
// Scores are [C], or [N, C, ...] with a target for every position other than the class; margins take
// them as rows.

#pragma once

#include "loops/builder.h"
#include "ops/call.h"

namespace litz::ops {

/// The dimension of the classes.
size_t class_dim(const TensorType& scores);

/// All sizes but that of the classes.
Sizes positions_of(const TensorType& scores);

/// One weight a class where weights are given, of the scores' dtype unless targets are probabilities.
void require_class_weights(const Call& call, Expr classes);

/// Floating scores with one target for every position: i64, or u8 where the scores are no images.
void require_class_targets(const Call& call);

/// Scores as rows: [C] and [] are one row.
struct Rows {
  explicit Rows(const TensorType& scores);

  static loops::IndexVector at(const TensorType& type, loops::Exprs sample, loops::Index chosen);

  Sizes sample;
  Expr classes;
};

/// Rows of f32 or f64 scores of at least one class, with targets of i64.
void require_margin_rows(const Call& call);

/// One target a row.
void require_target_per_row(const Call& call);

/// As many targets a row as there are classes.
void require_targets_like_scores(const Call& call);

/// The gradient of a loss of these terms: one number if the loss is reduced, else one a term, or also
/// one number for all where it may be one.
void require_loss_gradient(const Call& call, const Sizes& terms, bool may_be_one);

/// A class number, or a negative one down to -1 that ends a list of targets.
loops::Scalar bound_target(loops::KernelBuilder& b, loops::Scalar target, Expr classes);

/// Where the gradient of a term lies in a gradient that `require_loss_gradient` accepts.
loops::IndexVector gradient_index(const Call& call, loops::Exprs term);

}  // namespace litz::ops
