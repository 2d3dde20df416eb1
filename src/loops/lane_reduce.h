// Reductions over lanes: accumulators wider than the values, one per lane.
//
// Sums and products of floats accumulate in double (complex: in parts of double) and are rounded at
// the end. Only argmax and argmin use positions.

#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/scalar_op.h"
#include "types/dtype.h"

namespace litz::loops {

/// Bytes of the widest accumulator.
inline constexpr int64_t kAccumulatorSize = 16;

struct ReduceFunctions {
  /// Sets the identity; kinds without one start at a value that any element replaces.
  void (*start)(std::byte* accumulators, int64_t* positions, int64_t lanes) = nullptr;
  /// Adds one value per lane, at position `position + lane * position_step`; positions of one lane
  /// must ascend.
  void (*step)(std::byte* accumulators, int64_t* positions, const std::byte* values, int64_t lanes,
               int64_t position, int64_t position_step) = nullptr;
  /// Combines all lanes into lane 0.
  void (*combine)(std::byte* accumulators, int64_t* positions, int64_t lanes) = nullptr;
  /// Rounds to the result.
  void (*finish)(std::byte* out, const std::byte* accumulators, const int64_t* positions,
                 int64_t lanes) = nullptr;
  /// Rounds to the second result; null for kinds with one result.
  void (*finish_second)(std::byte* out, const std::byte* accumulators, int64_t lanes) = nullptr;
};

/// Check-fails if reduced_dtype() has none for the kind.
ReduceFunctions reduce_functions(ReduceKind kind, DType dtype);

}  // namespace litz::loops
