// Types of tensors with matrices in their last two dimensions.

#pragma once

#include "ops/call.h"
#include "types/tensor_type.h"

namespace litz::ops {

inline Expr matrix_rows(const TensorType& type) { return type.sizes[type.rank() - 2]; }

inline Expr matrix_columns(const TensorType& type) { return type.sizes[type.rank() - 1]; }

/// The dimensions before the last two.
Sizes matrix_batch(const TensorType& type);

/// A dense type with column-major matrices.
TensorType column_major_type(DType dtype, Sizes sizes, Device device);

/// Throws unless the type has matrices of f32, f64, c64 or c128; names the call's operator.
void require_matrices(const Call& call, const TensorType& type);

/// The same for square matrices.
void require_square(const Call& call, const TensorType& type);

}  // namespace litz::ops
