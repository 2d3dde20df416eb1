// The order of keys for the sort instruction.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "types/dtype.h"

namespace litz::loops {

/// Positions of the first `count` keys in stable order; NaN counts as the largest key.
std::vector<int64_t> sort_order(std::span<const std::byte> keys, DType dtype, bool descending,
                                int64_t count);

}  // namespace litz::loops
