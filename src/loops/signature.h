// The dtypes that each scalar primitive, reduction and store mode accepts and yields.
//
// These rules are stated only here: the builder checks before it appends, the verifier checks
// again, and the interpreter and code generators rely on the result.

#pragma once

#include <optional>
#include <span>

#include "loops/scalar_op.h"
#include "types/dtype.h"

namespace litz::loops {

/// Returns the dtype of the result; nullopt if the operation does not exist for these operands.
/// `target` is the dtype of the result value and matters only for cast, bitcast and philox.
std::optional<DType> result_dtype(ScalarOp op, std::span<const DType> operands, DType target);

/// True if the dtype of the result does not follow from the operands, so the text states it.
bool chooses_dtype(ScalarOp op);

/// Returns the dtype of a reduction of values of the dtype; nullopt if there is none.
std::optional<DType> reduced_dtype(ReduceKind kind, DType value);

/// True if a buffer of the dtype can be stored to in this mode. Modes other than assign compute in
/// compute_dtype(dtype) and round at each store.
bool has_store_mode(StoreMode mode, DType dtype);

/// True if stores of this mode to one element give the same result in every order. That holds for
/// integers and bool. Sums and products of floats are rounded. A minimum of zeros of either sign,
/// or of NaN with different bits, keeps the first.
bool is_order_free(StoreMode mode, DType dtype);

/// True when keys of the dtype can be sorted.
bool is_sortable(DType dtype);

/// True when the reduction has a value over an empty range.
bool has_identity(ReduceKind kind);

/// True if a reduction without identity of values of the dtype may be marked to have a value over
/// an empty range.
bool has_limit(ReduceKind kind, DType value);

}  // namespace litz::loops
