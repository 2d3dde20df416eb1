// The final reduction of losses.

#pragma once

#include <functional>

#include "ops/bodies.h"

namespace litz::ops {

enum class LossReduction : uint8_t { none, mean, sum };

/// The `reduction` argument of a loss; throws for numbers other than 0, 1 and 2.
LossReduction loss_reduction(const Call& call);

/// Stores the terms over `sizes`, or their sum or mean, as result 0. `term` computes a term in the
/// result's compute dtype.
void reduce_loss(NestCall& call, const Sizes& sizes,
                 const std::function<loops::Scalar(loops::Exprs)>& term);

}  // namespace litz::ops
