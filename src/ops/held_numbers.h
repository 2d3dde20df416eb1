// Checks that a dtype represents the numbers that operators convert to it.

#pragma once

#include <string_view>

#include "loops/builder.h"
#include "ops/call.h"

namespace litz::ops {

/// Throws unless the dtype represents the number by PyTorch's rules: fractions are truncated,
/// unsigned integers accept the negatives of their values, infinities fit any floating dtype. Skips
/// absent, symbolic and data-dependent numbers; complex tensors accept real numbers of their dtypes
/// only.
void require_held(const Call& call, std::string_view name, DType dtype);

/// Checks every argument with these names, which are separated by spaces.
void require_all_held(const Call& call, std::string_view names, DType dtype);

/// Checks numbers that fill a tensor. PyTorch's conversion for a single element does not check small
/// floating dtypes: their infinity stands for what they do not represent.
void require_all_filled(const Call& call, std::string_view names, const TensorType& type);

/// The element of a tensor that stands for a number, converted to the dtype. What the dtype does not
/// hold fails when the kernel runs.
loops::Scalar held(loops::KernelBuilder& b, loops::Scalar value, DType dtype, std::string_view op);

}  // namespace litz::ops
