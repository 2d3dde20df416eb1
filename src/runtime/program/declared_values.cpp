#include "runtime/program/declared_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/program/laid_out.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

bool is_among(std::span<const SymbolId> defined, SymbolId symbol) {
  return std::ranges::count(defined, symbol) > 0;
}

bool equal(std::span<const Expr> declared, std::span<const int64_t> given,
           const Bindings& bindings) {
  return std::ranges::equal(
      declared, given, [&](Expr expr, int64_t value) { return evaluate(expr, bindings) == value; });
}

/// In the layout of its type. The texts of `refuse` cost more than the rest, so that it is called for a
/// difference only.
template <typename Refuse>
Tensor checked(const TensorType& type, const Tensor& tensor, const Bindings& bindings,
               const DeviceStream& where, const Refuse& refuse) {
  if (tensor.dtype() != type.dtype || !equal(type.sizes, tensor.sizes(), bindings)) refuse();
  if (equal(type.strides, tensor.strides(), bindings)) return tensor;
  return laid_out(tensor, evaluate(type.strides, bindings), where);
}

}  // namespace

void bind_sizes(const ExprPool& pool, const TensorType& type, const Tensor& tensor,
                std::span<const SymbolId> defined, std::string_view what, Bindings& bindings) {
  if (tensor.rank() != type.rank()) return;  // Reported by the caller, with both shapes.
  for (size_t d = 0; d < type.rank(); ++d) {
    if (!type.sizes[d].is_symbol() || !is_among(defined, type.sizes[d].symbol())) continue;
    bind_symbol(pool, type.sizes[d].symbol(), tensor.sizes()[d], what, bindings);
  }
}

Tensor as_operand(const TensorType& type, const Tensor& tensor, std::string_view graph,
                  const Bindings& bindings, const DeviceStream& where) {
  return checked(type, tensor, bindings, where, [&] {
    fail(ErrorCode::invalid_argument,
         "an operand must have the type that its graph was exported for:", graph, name(type.dtype),
         to_string(evaluate(type.sizes, bindings)), "but is", name(tensor.dtype()),
         to_string(tensor.sizes()));
  });
}

Tensor as_result(const ExprPool& pool, const TensorType& type, const Value& value,
                 std::span<const SymbolId> defined, std::string_view what, Bindings& bindings,
                 const DeviceStream& where) {
  const auto* const tensor = std::get_if<Tensor>(&value);
  require(tensor != nullptr && tensor->defined(), "a step must make its results:", what);
  if (tensor->rank() != type.rank()) {
    fail(ErrorCode::invalid_argument,
         "a result must have the rank that the program was exported for:", litz::to_string(type),
         "but is", name(tensor->dtype()), to_string(tensor->sizes()));
  }
  bind_sizes(pool, type, *tensor, defined, what, bindings);
  return checked(type, *tensor, bindings, where, [&] {
    fail(ErrorCode::invalid_argument,
         "a result must have the type that the program was exported for:", name(type.dtype),
         to_string(evaluate(type.sizes, bindings)), "but is", name(tensor->dtype()),
         to_string(tensor->sizes()));
  });
}

void bind_number(const ExprPool& pool, ExprDomain domain, Expr declared, Value value,
                 std::span<const SymbolId> defined, std::string_view what, Bindings& bindings,
                 const DeviceStream& where) {
  if (const auto* const number = std::get_if<Tensor>(&value)) {
    value = element_value(*number, domain, where);
  }
  if (!declared.is_symbol() || !is_among(defined, declared.symbol())) return;
  bind_symbol(pool, declared.symbol(), value, what, bindings);
}

}  // namespace litz::runtime
