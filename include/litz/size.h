// Sizes of tensors as numbers that may differ from call to call of a compiled function.

#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "litz/litz.h"

namespace litz {
inline namespace v1 {

/// An integer: a size of a tensor, or what was computed from sizes. While a function is compiled for
/// tensors of changing sizes, it is a formula: arithmetic makes formulas of formulas, and operators take
/// them. Reading its value or comparing it makes the program one for that value or for sizes that
/// compare alike; others then get a program of their own. Plain integers convert to it.
class LITZ_API Size {
 public:
  Size() = default;

  template <std::integral T>

  requires(!std::same_as<T, bool>) Size(T value)  // NOLINT: {x.size(0), 3}
      : value_(static_cast<int64_t>(value)) {}

  /// The number, which the program being traced then is for.
  int64_t value() const;

  template <typename T>

  requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) explicit operator T() const {
    return static_cast<T>(value());
  }

  /// Like integers: `/` drops the fraction, `%` has the sign of `a`. Throw Error for division by zero and
  /// results beyond 64 bits.
  friend LITZ_API Size operator+(const Size& a, const Size& b);
  friend LITZ_API Size operator-(const Size& a, const Size& b);
  friend LITZ_API Size operator*(const Size& a, const Size& b);
  friend LITZ_API Size operator/(const Size& a, const Size& b);
  friend LITZ_API Size operator%(const Size& a, const Size& b);
  friend LITZ_API bool operator==(const Size& a, const Size& b);
  friend LITZ_API bool operator<(const Size& a, const Size& b);

  friend Size operator-(const Size& a) { return Size(0) - a; }

  friend bool operator>(const Size& a, const Size& b) { return b < a; }

  friend bool operator<=(const Size& a, const Size& b) { return !(b < a); }

  friend bool operator>=(const Size& a, const Size& b) { return !(a < b); }

 private:
  friend struct SizeAccess;
  struct Formula;

  int64_t value_ = 0;  ///< In the call that is traced.
  std::shared_ptr<const Formula> formula_ = nullptr;
};

}  // namespace v1
}  // namespace litz
