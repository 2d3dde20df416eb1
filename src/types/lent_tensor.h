// Tensors over memory of callers.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "types/tensor.h"

namespace litz {

/// A tensor whose element 0 is at `data`, without a copy. Strides count elements (row-major if empty).
/// `owner` is released after the last tensor on the memory. Throws Error for sizes and strides that are
/// negative or do not match, for more bytes than fit memory, and for null data of a tensor with elements.
/// Of memory of a device, `owner` also owns `use`.
Tensor lent_tensor(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides,
                   void* data, std::shared_ptr<const void> owner = nullptr, Device device = {},
                   StreamUse* use = nullptr);

}  // namespace litz
