// Fills tensors by a reproducible recipe, so that weights and inputs of a test need not be stored:
// element i depends only on the seed and i.
//
//   word(seed, i) = splitmix64(seed * 2^32 + i)
//   float         = ((word >> 40) * 2^-23 - 1) * scale + shift, every step rounded to float
//   integer       = word mod high
//
// Floats before scaling are in [-1, 1).

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "types/dtype.h"
#include "types/tensor.h"

namespace litz {

/// A seed from a name (FNV-1a of its bytes).
uint64_t fill_seed(std::string_view name);
/// The 64 random bits of element i.
uint64_t fill_word(uint64_t seed, uint64_t i);

/// Row-major floats, cast to the dtype.
Tensor fill_floats(DType dtype, std::vector<int64_t> sizes, uint64_t seed, float scale,
                   float shift);
/// Row-major integers in [0, high), cast to the dtype; high must be positive.
Tensor fill_integers(DType dtype, std::vector<int64_t> sizes, uint64_t seed, uint64_t high);
/// All elements have the same value.
Tensor fill_constant(DType dtype, std::vector<int64_t> sizes, double value);

}  // namespace litz
