// Scalar primitives over lanes: each function applies one primitive to arrays of operands.
//
// Lanes hold the storage type of their dtype (bool as 0 or 1). Output and operands never overlap.
// Functions are chosen once, when a kernel is prepared, so running has no dispatch on dtypes.

#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/scalar_op.h"
#include "types/dtype.h"

namespace litz::loops {

using LaneFunction = void (*)(std::byte* out, const std::byte* const* operands, int64_t lanes);

/// Returns the function of an operation; `operand` is the dtype of the last operand (of the
/// choices, for select). Check-fails if result_dtype() has none.
LaneFunction lane_function(ScalarOp op, DType operand, DType result);

// Parts of lane_function, by class of dtype; null if there is none.
LaneFunction real_lane_function(ScalarOp op, DType dtype);
LaneFunction elementary_lane_function(ScalarOp op, DType dtype);
LaneFunction integer_lane_function(ScalarOp op, DType dtype);
/// For `philox`, by the dtype drawn.
LaneFunction philox_lane_function(DType result);
LaneFunction complex_lane_function(ScalarOp op, DType dtype);
/// For casts to wide_dtype(from) and from a wide dtype; other casts use both in turn.
LaneFunction cast_lane_function(DType from, DType to);
/// Returns the dtype that represents every value of `dtype` exactly and in which casts start: i64,
/// u64, f32, f64, c64 or c128.
DType wide_dtype(DType dtype);

}  // namespace litz::loops
