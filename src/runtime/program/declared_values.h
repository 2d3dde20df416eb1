// Values against what a program declares of them: sizes give symbols their values, then dtype, sizes
// and strides must be the declared ones. For all that runs plans or routines.

#pragma once

#include <span>
#include <string_view>

#include "expr/expr.h"
#include "runtime/program/device_stream.h"
#include "runtime/program/value.h"
#include "types/tensor_type.h"

namespace litz::runtime {

/// Gives symbols of `defined` that are sizes of the type the sizes of the tensor. `what` names the
/// tensor in errors.
void bind_sizes(const ExprPool& pool, const TensorType& type, const Tensor& tensor,
                std::span<const SymbolId> defined, std::string_view what, Bindings& bindings);

/// An operand of a graph in the layout that it was compiled for. Throws Error for another dtype or
/// other sizes; `graph` names the graph.
Tensor as_operand(const TensorType& type, const Tensor& tensor, std::string_view graph,
                  const Bindings& bindings, const DeviceStream& where);

/// A result whose sizes were not known before the step `what` ran, in the declared layout; binds
/// symbols of `defined`. Throws Error for another rank, dtype or other sizes.
Tensor as_result(const ExprPool& pool, const TensorType& type, const Value& value,
                 std::span<const SymbolId> defined, std::string_view what, Bindings& bindings,
                 const DeviceStream& where);

/// A result that is a number, or a tensor with one: binds the symbol that it is, if the step defines
/// it.
void bind_number(const ExprPool& pool, ExprDomain domain, Expr declared, Value value,
                 std::span<const SymbolId> defined, std::string_view what, Bindings& bindings,
                 const DeviceStream& where);

}  // namespace litz::runtime
