// Dtypes of operands that must agree or fit: of operators whose kernels in PyTorch do not promote, or
// write to a tensor like self, or expand what they promote.

#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "ops/call.h"
#include "support/check.h"
#include "types/dtype.h"

namespace litz::ops {

/// Throws unless all the named arguments that are given have one dtype.
inline void require_same_dtypes(const Call& call, std::initializer_list<std::string_view> names) {
  const TensorType& first = call.type(*names.begin());
  for (const std::string_view operand : names) {
    if (!call.has(operand)) continue;
    require(call.type(operand).dtype == first.dtype,
            "operands must have one dtype:", call.op().name(), first, operand, call.type(operand));
  }
}

/// The promoted dtype of operands that all count as tensors with dimensions: PyTorch expands or joins
/// these before it promotes them.
inline DType promoted_with_dims(std::span<const TensorType> operands) {
  DType dtype = operands.front().dtype;
  for (const TensorType& operand : operands) dtype = promote(dtype, operand.dtype);
  return dtype;
}

/// Throws unless a result of one dtype may be written to a tensor of another: only a lower category
/// loses what is not rounding.
inline void require_writable(const Call& call, DType computed, DType written) {
  require(category(computed) <= category(written),
          "a result must be castable to what it is written to:", call.op().name(), name(computed),
          name(written));
}

/// Throws unless the named arguments that are given have the dtype of `input`, or all are f32 beside
/// an input of halves. Those without elements are not read.
inline void require_parameter_dtypes(const Call& call,
                                     std::initializer_list<std::string_view> names) {
  const DType dtype = call.type("input").dtype;
  const bool is_half = dtype == DType::f16 || dtype == DType::bf16;
  DType common = dtype;
  bool is_first = true;
  for (const std::string_view parameter : names) {
    if (call.op().schema.find(parameter) < 0 || !call.has(parameter)) continue;
    const TensorType& type = call.type(parameter);
    if (known_equal(type.numel(), Expr(0))) continue;
    if (std::exchange(is_first, false) && is_half && type.dtype == DType::f32) common = DType::f32;
    require(type.dtype == common,
            "parameters have the dtype of the input, or f32 beside halves:", call.op().name(),
            parameter, type, name(dtype));
  }
}

}  // namespace litz::ops
