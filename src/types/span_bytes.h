// The memory that a tensor type needs, as an expression over its sizes.

#pragma once

#include "types/tensor_type.h"

namespace litz {

/// Bytes from element 0 to one past the furthest; 0 where a size is 0. The type's offset does not
/// count.
Expr span_bytes(const TensorType& type);

}  // namespace litz
