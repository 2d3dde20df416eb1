// Checks values against a program's declarations: sizes give symbols their values; then dtype,
// sizes and strides must match. Shared by all code that runs plans or routines.

#pragma once

#include <span>
#include <string_view>

#include "expr/expr.h"
#include "runtime/program/device_stream.h"
#include "runtime/program/value.h"
#include "types/tensor_type.h"

namespace litz::runtime {

/// Binds the symbols of `defined` that are sizes of the type to the sizes of the tensor. `what`
/// names the tensor in errors.
void bind_sizes(const ExprPool& pool, const TensorType& type, const Tensor& tensor,
                std::span<const SymbolId> defined, std::string_view what, Bindings& bindings);

/// Returns an operand of a graph in the layout that the graph was compiled for. Throws Error for
/// another dtype or other sizes; `graph` names the graph.
Tensor as_operand(const TensorType& type, const Tensor& tensor, std::string_view graph,
                  const Bindings& bindings, const DeviceStream& where);

/// Returns a result whose sizes were unknown before step `what` ran, in the declared layout. Binds
/// symbols of `defined`. Throws Error for another rank, dtype or other sizes.
Tensor as_result(const ExprPool& pool, const TensorType& type, const Value& value,
                 std::span<const SymbolId> defined, std::string_view what, Bindings& bindings,
                 const DeviceStream& where);

/// Binds the symbol of a result that is a number, or a tensor with one element, if the step defines
/// it.
void bind_number(const ExprPool& pool, ExprDomain domain, Expr declared, Value value,
                 std::span<const SymbolId> defined, std::string_view what, Bindings& bindings,
                 const DeviceStream& where);

}  // namespace litz::runtime
