#include "runtime/program/laid_out.h"

#include <memory>
#include <optional>

#include "expr/guard.h"
#include "support/check.h"
#include "types/compare.h"

namespace litz::runtime {
namespace {

bool same_layout(const Tensor& tensor, const std::vector<int64_t>& strides) {
  if (tensor.numel() == 0) return true;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (tensor.sizes()[i] != 1 && tensor.strides()[i] != strides[i]) return false;
  }
  return true;
}

std::optional<double> maybe_number(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

double number(const Value& value) {
  const std::optional<double> result = maybe_number(value);
  require(result.has_value(), "a host scalar must be a number");
  return *result;
}

}  // namespace

Tensor allocate(const TensorType& type, const Bindings& bindings, const DeviceStream& where) {
  std::vector<int64_t> sizes = evaluate(type.sizes, bindings);
  for (const int64_t size : sizes) {
    require(size >= 0, ErrorCode::out_of_range, "a size must not be negative:", to_string(sizes));
  }
  return fresh(type.dtype, std::move(sizes), evaluate(type.strides, bindings), where);
}

Tensor laid_out(const Tensor& tensor, const std::vector<int64_t>& strides,
                const DeviceStream& where) {
  require(strides.size() == tensor.rank(), ErrorCode::corrupt,
          "a tensor must have a dimension for each stride of its layout:", tensor.rank(),
          strides.size());
  if (tensor.strides() == strides) return tensor;
  if (same_layout(tensor, strides)) return tensor.view(tensor.sizes(), strides, tensor.offset());
  Tensor copy = copied(tensor, strides, where);
  if (storage_span(tensor.sizes(), strides, 0) < tensor.numel()) {
    require(compare(on_host(copy, where), on_host(tensor, where), 0, 0).matches(),
            "elements that share memory in the expected layout must be equal; pass an expanded "
            "tensor:",
            to_string(tensor.sizes()), to_string(strides));
  }
  return copy;
}

Tensor restrided(const Tensor& tensor, const TensorType& type, Expr base_offset, DType base_dtype,
                 const Bindings& bindings) {
  const int64_t item = item_size(type.dtype);
  const int64_t base_item = item_size(base_dtype);
  int64_t base = 0;
  int64_t own = 0;
  int64_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(tensor.offset() - evaluate(base_offset, bindings),
                                            base_item, &base) &&
                    !__builtin_mul_overflow(evaluate(type.offset, bindings), item, &own) &&
                    !__builtin_add_overflow(base, own, &bytes);
  require(fits && bytes >= 0 && bytes % item == 0, ErrorCode::out_of_range,
          "a view must start at an element of its storage:", bytes, item);
  return Tensor(type.dtype, evaluate(type.sizes, bindings), evaluate(type.strides, bindings),
                bytes / item, tensor.storage());
}

Value host_value(Expr value, const Bindings& bindings) {
  switch (value.domain()) {
    case ExprDomain::integer:
      return evaluate(value, bindings);
    case ExprDomain::real:
      return evaluate_real(value, bindings);
    case ExprDomain::boolean:
      return evaluate_boolean(value, bindings);
  }
  fail(ErrorCode::internal, "a domain must be one of the enumerators");
}

bool same_number(const Value& a, const Value& b) {
  const auto* first = std::get_if<int64_t>(&a);
  const auto* second = std::get_if<int64_t>(&b);
  if (first != nullptr && second != nullptr) return *first == *second;  // Exact beyond 2^53.
  const std::optional<double> x = maybe_number(a);
  return x.has_value() && x == maybe_number(b);
}

void bind_symbol(const ExprPool& pool, SymbolId symbol, const Value& value, std::string_view what,
                 Bindings& bindings) {
  const SymbolInfo& info = pool.symbol(symbol);
  switch (info.kind) {
    case SymbolKind::real_input:
    case SymbolKind::real_data:
      return bindings.set_real(symbol, number(value));
    case SymbolKind::boolean:
      return bindings.set_boolean(symbol, number(value) != 0);
    case SymbolKind::size:
    case SymbolKind::data_dependent:
    case SymbolKind::index:
      break;
  }
  int64_t integer = 0;
  if (const auto* flag = std::get_if<bool>(&value)) {
    integer = *flag ? 1 : 0;
  } else if (const auto* given = std::get_if<int64_t>(&value)) {
    integer = *given;
  } else {
    fail(ErrorCode::invalid_argument, "a host scalar must be an integer:", what, info.name);
  }
  try {
    check_range(info, integer);
  } catch (Error& error) {
    error.add_note("which is " + std::string(what));
    throw;
  }
  bindings.set(symbol, integer);
}

Value element_value(const Tensor& given, ExprDomain domain, const DeviceStream& where) {
  require(given.numel() == 1,
          "a scalar is read from a tensor with one element:", to_string(given.sizes()));
  const Tensor tensor = on_host(given, where);
  const std::vector<int64_t> origin(tensor.rank(), 0);
  switch (domain) {
    case ExprDomain::integer:
      return tensor.int_at(origin);
    case ExprDomain::real:
      return tensor.at(origin);
    case ExprDomain::boolean:
      return tensor.complex_at(origin) != 0.0;
  }
  fail(ErrorCode::internal, "a domain must be one of the enumerators");
}

std::string to_string(const std::vector<int64_t>& sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(sizes[i]);
  }
  return text + "]";
}

}  // namespace litz::runtime
