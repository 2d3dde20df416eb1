// The families of operators that draw random numbers, besides random_ops() and
// randomized_relu_ops().

#pragma once

#include <span>

#include "ops/op_def.h"

namespace litz::ops {

std::span<const OpDef> dropout_ops();  // dropout, native_dropout, alpha_dropout, feature_dropout
std::span<const OpDef>
sampling_ops();  // bernoulli, multinomial, poisson, binomial, _standard_gamma

}  // namespace litz::ops
