// The gradients of each family of operators.

#pragma once

#include <span>

#include "ops/gradients/gradient_table.h"

namespace litz::ops {

std::span<const Gradient> activation_gradients();
std::span<const Gradient> arithmetic_gradients();
std::span<const Gradient> choice_gradients();
std::span<const Gradient> collective_gradients();
std::span<const Gradient> complex_gradients();
std::span<const Gradient> copy_gradients();
std::span<const Gradient> distance_gradients();
std::span<const Gradient> elementary_gradients();
std::span<const Gradient> fake_quantize_gradients();
std::span<const Gradient> index_gradients();
std::span<const Gradient> linalg_gradients();
std::span<const Gradient> loss_gradients();
std::span<const Gradient> matmul_gradients();
std::span<const Gradient> normalization_gradients();
std::span<const Gradient> pooling_gradients();
std::span<const Gradient> rearrange_gradients();
std::span<const Gradient> reduction_gradients();
std::span<const Gradient> segment_gradients();
std::span<const Gradient> special_gradients();
std::span<const Gradient> spectral_gradients();
std::span<const Gradient> view_gradients();

}  // namespace litz::ops
