// The memory that a tensor, or a type as an expression over its sizes, takes.

#pragma once

#include <cstddef>

#include "types/tensor_type.h"

namespace litz {

class Tensor;

/// Bytes from element 0 to one past the furthest; 0 if a size is 0. Ignores the type's offset.
Expr span_bytes(const TensorType& type);

/// The same of a tensor.
size_t span_bytes(const Tensor& tensor);

}  // namespace litz
