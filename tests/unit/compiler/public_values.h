// Tensors of a few numbers, for tests of the public headers.

#pragma once

#include <cstdint>
#include <litz/litz.h>
#include <vector>

namespace litz {

inline std::vector<float> values(const Tensor& tensor) { return tensor.to_vector<float>(); }

/// A tensor with one dimension.
inline Tensor row(const std::vector<float>& numbers) {
  return Tensor::from<float>({static_cast<int64_t>(numbers.size())}, numbers);
}

}  // namespace litz
