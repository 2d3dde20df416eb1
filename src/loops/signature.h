// Which dtypes each scalar primitive, reduction and store mode accepts, and what it yields.
//
// The one place where these rules are stated: the builder asks before it appends, the verifier asks
// again, the interpreter and the code generators may rely on the answer.

#pragma once

#include <optional>
#include <span>

#include "loops/scalar_op.h"
#include "types/dtype.h"

namespace litz::loops {

/// The dtype of the result; nothing when the operation does not exist for these operands. `target`
/// is the dtype of the result value and only matters for cast, bitcast and philox.
std::optional<DType> result_dtype(ScalarOp op, std::span<const DType> operands, DType target);

/// True when the dtype of the result does not follow from the operands, so that texts state it.
bool chooses_dtype(ScalarOp op);

/// The dtype of a reduction of values of the dtype; nothing when there is none.
std::optional<DType> reduced_dtype(ReduceKind kind, DType value);

/// True when a buffer of the dtype can be stored to in this mode. Modes other than assign compute
/// in compute_dtype(dtype) and round at each store.
bool has_store_mode(StoreMode mode, DType dtype);

/// True when stores of this mode to one element give the same in every order. That is so for whole
/// numbers and bool; sums and products of floats are rounded, and of zeros of either sign or of NaN
/// with other bits a minimum keeps the first.
bool is_order_free(StoreMode mode, DType dtype);

/// True when keys of the dtype can be sorted.
bool is_sortable(DType dtype);

/// True when the reduction has a value over an empty range.
bool has_identity(ReduceKind kind);

/// True when a reduction without identity of values of the dtype has a value over an empty range if
/// it is told to.
bool has_limit(ReduceKind kind, DType value);

}  // namespace litz::loops
