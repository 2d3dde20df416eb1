// Tensors of symbolic types: allocation, layout and scalars, once symbols have values.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/expr.h"
#include "runtime/program/device_stream.h"
#include "runtime/program/value.h"
#include "types/tensor.h"
#include "types/tensor_type.h"

namespace litz::runtime {

/// Allocates memory of the device for a value of the type; contents unspecified.
Tensor allocate(const TensorType& type, const Bindings& bindings, const DeviceStream& where);

/// Returns the tensor with these strides: itself, another view of it if only dimensions of size 1
/// differ, or a copy. Throws Error{invalid_argument} if the strides alias several elements and
/// those differ.
Tensor laid_out(const Tensor& tensor, const std::vector<int64_t>& strides,
                const DeviceStream& where);

/// Views the same storage as another type, whose offset counts from a point `base_offset` elements
/// of `base_dtype` before the tensor's own element 0.
Tensor restrided(const Tensor& tensor, const TensorType& type, Expr base_offset, DType base_dtype,
                 const Bindings& bindings);

/// The value of an expression, by its domain.
Value host_value(Expr value, const Bindings& bindings);

/// True for equal numbers of any kinds; false for anything else.
bool same_number(const Value& a, const Value& b);

/// Binds a symbol, whose kind decides which values are valid. Throws Error, starting with `what`,
/// for a value outside its range.
void bind_symbol(const ExprPool& pool, SymbolId symbol, const Value& value, std::string_view what,
                 Bindings& bindings);

/// Element 0 of a tensor with one element, by the domain: int64_t, double or bool. Waits for the
/// stream.
Value element_value(const Tensor& tensor, ExprDomain domain, const DeviceStream& where);

/// "[2, 3]"
std::string to_string(const std::vector<int64_t>& sizes);

}  // namespace litz::runtime
