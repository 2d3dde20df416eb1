// Values of callers in C, and the library's own.

#pragma once

#include <span>
#include <vector>

#include "litz/c_api.h"
#include "runtime/program/value.h"
#include "types/tensor.h"

namespace litz::runtime::c {

/// A tensor on the caller's memory, which must live during the call. Throws Error for a dtype, rank,
/// sizes or strides that no tensor has.
Tensor borrowed(const litz_tensor& given);
std::vector<Tensor> borrowed(const litz_tensor* given, size_t count);

/// The tensor of a value, on the host or on a card, where its memory lives until the call's work is done.
Tensor borrowed(const litz_value& given);

/// Throws Error for what borrowed() refuses and for an unknown kind.
std::vector<Value> values_of(const litz_value* given, size_t count);

/// The result points to the value's memory.
litz_value shown(const Value& value);

}  // namespace litz::runtime::c
