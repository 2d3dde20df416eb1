// Results of library calls have the sizes that their functions write.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "support/check.h"
#include "types/tensor.h"

namespace litz::kernels {

/// Compiled files say what sizes results have. Throws Error for others than `sizes`.
inline void require_sizes(const Tensor& result, std::span<const int64_t> sizes,
                          std::string_view function) {
  require(result.rank() == sizes.size(), ErrorCode::corrupt,
          "a result of a library call must have this rank:", function, result.rank(), sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    require(result.sizes()[i] == sizes[i], ErrorCode::corrupt,
            "a result of a library call must have this size:", function, i, result.sizes()[i],
            sizes[i]);
  }
}

}  // namespace litz::kernels
