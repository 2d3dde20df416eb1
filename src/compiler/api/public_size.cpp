// Size of litz/size.h: numbers, or formulas of the sizes of the function that is being traced.

#include <utility>

#include "expr/expr.h"
#include "support/check.h"
#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/public_size.h"
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

enum class Operation : uint8_t { add, subtract, multiply, divide, remainder };

/// The sizes of the trace that a formula belongs to; null for numbers. Throws Error after the trace.
std::shared_ptr<trace::CallSizes> sizes_of(const Size& size) {
  const auto& formula = SizeAccess::formula(size);
  if (formula == nullptr) return nullptr;
  const auto& tracer = current_tracer();
  require(
      tracer != nullptr && tracer->sizes() == formula->sizes, OwnErrorCode::invalid_argument,
      "a size of a traced function must not be used after its trace: return a tensor that has it");
  return formula->sizes;
}

/// The trace that a result of both belongs to.
std::shared_ptr<trace::CallSizes> common_sizes(const Size& a, const Size& b) {
  const auto sizes = sizes_of(a);
  return sizes != nullptr ? sizes : sizes_of(b);
}

/// A formula for integers that are not negative; otherwise the number in the traced call.
Expr quotient(Expr a, Expr b) {
  if (known_less_equal(0, a) && known_less(0, b)) return floor_div(a, b);
  const int64_t divisor = known_value(b).value();
  require(divisor != 0, OwnErrorCode::invalid_argument, "a size must not be divided by 0");
  const Expr dividend = known_value(a).value();
  const Expr towards_zero = floor_div(max(dividend, -dividend), max(Expr(divisor), -Expr(divisor)));
  return (dividend.constant() < 0) == (divisor < 0) ? towards_zero : -towards_zero;
}

Expr computed(Operation operation, Expr a, Expr b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return quotient(a, b);
    default:
      return a - b * quotient(a, b);
  }
}

Size combined(Operation operation, const Size& a, const Size& b) {
  return raising([&] {
    const Expr result = computed(operation, SizeAccess::expr(a), SizeAccess::expr(b));
    return SizeAccess::shown(common_sizes(a, b), result);
  });
}

bool compared(const Size& a, const Size& b, Expr (*condition)(Expr, Expr)) {
  return raising([&] {
    sizes_of(a);
    sizes_of(b);
    return known(condition(SizeAccess::expr(a), SizeAccess::expr(b))).value();
  });
}

}  // namespace

Size SizeAccess::shown(const std::shared_ptr<trace::CallSizes>& sizes, Expr size) {
  if (size.is_constant()) return size.constant();
  Size result(sizes->value(size).value());
  result.formula_ = std::make_shared<const Size::Formula>(Size::Formula{sizes, size});
  return result;
}

Expr SizeAccess::expr(const Size& size) {
  sizes_of(size);
  return size.formula_ == nullptr ? Expr(size.value_) : size.formula_->expr;
}

int64_t Size::value() const {
  return raising([&] {
    if (const auto sizes = sizes_of(*this)) sizes->fix(formula_->expr);
    return value_;
  });
}

Size operator+(const Size& a, const Size& b) { return combined(Operation::add, a, b); }

Size operator-(const Size& a, const Size& b) { return combined(Operation::subtract, a, b); }

Size operator*(const Size& a, const Size& b) { return combined(Operation::multiply, a, b); }

Size operator/(const Size& a, const Size& b) { return combined(Operation::divide, a, b); }

Size operator%(const Size& a, const Size& b) { return combined(Operation::remainder, a, b); }

bool operator==(const Size& a, const Size& b) { return compared(a, b, eq); }

bool operator<(const Size& a, const Size& b) { return compared(a, b, lt); }

}  // namespace v1
}  // namespace litz
