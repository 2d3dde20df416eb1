// Keys of random numbers that runners make: of calls and of a loop's iterations.

#pragma once

#include <cstdint>

#include "support/philox.h"

namespace litz {

/// The number of iteration k under the key around a loop is kIterations + k; streams have lower ones.
inline constexpr int64_t kIterations = int64_t{1} << 61;

/// The key of call `call` (from 0) of a program under the user's seed.
constexpr int64_t key_of_call(uint64_t seed, uint64_t call) {
  return sub_key(static_cast<int64_t>(seed), static_cast<int64_t>(call));
}

}  // namespace litz
