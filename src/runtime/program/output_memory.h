// The memory that callers give for the outputs of a call.

#pragma once

#include <cstddef>
#include <span>

#include "runtime/program/value.h"

namespace litz::runtime {

/// Whether the tensors may have bytes in common, whatever storages they are of. False for tensors
/// whose memory is apart, and for columns or blocks of one array that are.
bool may_meet(const Tensor& a, const Tensor& b);

/// Throws Error if a tensor may overlap another one or itself: only one of two results would be there.
void require_apart(std::span<const Value> outputs);

/// Throws Error unless memory for output `i` has its dtype and sizes.
void require_fits(const Tensor& result, const Tensor& memory, size_t i);

/// Whether a result lies in the memory for it already.
bool is_there(const Tensor& result, const Tensor& memory);

/// Copies results, on the host, to the tensors of `outputs`, except those that are there already.
/// Replaces entries that are not tensors. Throws Error for another count, dtype or size.
void copy_outputs(std::span<Value> results, std::span<Value> outputs);

}  // namespace litz::runtime
