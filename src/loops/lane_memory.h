// Copies lanes to and from strided memory.
//
// Offsets and strides are in elements. Elements are copied as bytes, so buffers need no alignment.

#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/scalar_op.h"
#include "types/dtype.h"

namespace litz::loops {

/// out[i] = base[i * stride]; stride 0 splats, 1 copies.
void load_strided(std::byte* out, const std::byte* base, int64_t stride, int64_t lanes,
                  int64_t item);
/// out[i] = base[offsets[i]].
void load_gather(std::byte* out, const std::byte* base, const int64_t* offsets, int64_t lanes,
                 int64_t item);
/// base[i * stride] = values[i], in lane order.
void store_strided(std::byte* base, const std::byte* values, int64_t stride, int64_t lanes,
                   int64_t item);
void store_scatter(std::byte* base, const std::byte* values, const int64_t* offsets, int64_t lanes,
                   int64_t item);
/// Copies lane 0 to all lanes.
void splat_lanes(std::byte* lanes, int64_t count, int64_t item);

/// *element = *element (mode) *value.
using CombineFunction = void (*)(std::byte* element, const std::byte* value);

/// Null for assign.
CombineFunction combine_function(StoreMode mode, DType dtype);

}  // namespace litz::loops
