// Keys of random numbers that runners derive: for calls and for a loop's iterations.

#pragma once

#include <cstdint>

#include "support/philox.h"

namespace litz {

/// Iteration k of a loop has the number kIterations + k under the key around it; streams have lower
/// numbers.
inline constexpr int64_t kIterations = int64_t{1} << 61;

/// Returns the key of call `call` (from 0) of a program for the user's seed.
constexpr int64_t key_of_call(uint64_t seed, uint64_t call) {
  return sub_key(static_cast<int64_t>(seed), static_cast<int64_t>(call));
}

}  // namespace litz
