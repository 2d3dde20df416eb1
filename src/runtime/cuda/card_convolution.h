// Convolutions of tensors as convolutions that the card's library takes.

#pragma once

#include <optional>

#include "kernels/library.h"
#include "runtime/cuda/dnn.h"

namespace litz::runtime::cuda {

/// What a call of the function "convolution" computes; nothing if the library has no such
/// convolution: other dtypes, no elements, repeated elements, weights in another order.
std::optional<DnnConvolution> card_convolution(const kernels::LibraryCall& call);

}  // namespace litz::runtime::cuda
