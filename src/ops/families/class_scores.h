// Class scores and their targets, for losses of classes and their derivatives.
//
// Scores are [C], or [N, C, ...] with a target for every index of the other dimensions; margin
// losses treat them as rows.

#pragma once

#include "loops/builder.h"
#include "ops/call.h"

namespace litz::ops {

/// The dimension of the classes.
size_t class_dim(const TensorType& scores);

/// All sizes except that of the classes.
Sizes positions_of(const TensorType& scores);

/// Requires one weight per class, if given, in the scores' dtype unless targets are probabilities.
void require_class_weights(const Call& call, Expr classes);

/// Requires floating scores with one target per position: i64, or u8 unless the scores are images.
void require_class_targets(const Call& call);

/// Scores as rows: [C] and [] are one row.
struct Rows {
  explicit Rows(const TensorType& scores);

  static loops::IndexVector at(const TensorType& type, loops::Exprs sample, loops::Index chosen);

  Sizes sample;
  Expr classes;
};

/// Requires rows of f32 or f64 scores of at least one class, with targets of i64.
void require_margin_rows(const Call& call);

/// The power of a margin, 1 or 2. PyTorch cuts fractions off.
int64_t margin_power(const Call& call);

/// Requires one target per row.
void require_target_per_row(const Call& call);

/// Requires as many targets per row as there are classes.
void require_targets_like_scores(const Call& call);

/// Requires a valid gradient of a loss with these terms: one number if the loss is reduced,
/// otherwise one per term, or also a single number if allowed.
void require_loss_gradient(const Call& call, const Sizes& terms, bool may_be_one);

/// A class number, or -1, which ends a list of targets.
loops::Scalar bound_target(loops::KernelBuilder& b, loops::Scalar target, Expr classes);

/// The index of a term's gradient, in a gradient that `require_loss_gradient` accepts.
loops::IndexVector gradient_index(const Call& call, loops::Exprs term);

}  // namespace litz::ops
