// Reductions over lanes: accumulators wider than the values, one per lane.
//
// Sums and products of floats accumulate in double (complex: in parts of double) and are rounded at
// the end. Positions matter to argmax and argmin only.

#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/scalar_op.h"
#include "types/dtype.h"

namespace litz::loops {

/// Bytes of the widest accumulator.
inline constexpr int64_t kAccumulatorSize = 16;

struct ReduceFunctions {
  /// Sets the identity; for kinds without one, a start that any value replaces.
  void (*start)(std::byte* accumulators, int64_t* positions, int64_t lanes) = nullptr;
  /// Takes one value per lane, at position `position + lane * position_step`; positions of one lane
  /// must ascend.
  void (*step)(std::byte* accumulators, int64_t* positions, const std::byte* values, int64_t lanes,
               int64_t position, int64_t position_step) = nullptr;
  /// Gathers all lanes in lane 0.
  void (*combine)(std::byte* accumulators, int64_t* positions, int64_t lanes) = nullptr;
  /// Rounds into the result.
  void (*finish)(std::byte* out, const std::byte* accumulators, const int64_t* positions,
                 int64_t lanes) = nullptr;
  /// Rounds into the second result; null for kinds that have one.
  void (*finish_second)(std::byte* out, const std::byte* accumulators, int64_t lanes) = nullptr;
};

/// Check-fails when reduced_dtype() has nothing for the kind.
ReduceFunctions reduce_functions(ReduceKind kind, DType dtype);

}  // namespace litz::loops
