// The memory of a tensor type, as an expression over its sizes.

#pragma once

#include "types/tensor_type.h"

namespace litz {

/// Bytes from element 0 to one past the furthest; 0 if a size is 0. Ignores the type's offset.
Expr span_bytes(const TensorType& type);

}  // namespace litz
