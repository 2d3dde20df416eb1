#include "ops/held_numbers.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "support/check.h"
#include "types/dtype.h"

namespace litz::ops {
namespace {

double largest_real(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::c32:
      return 65504;
    case DType::bf16:
      return 0x1.fep127;
    case DType::f32:
    case DType::c64:
      return 0x1.fffffep127;
    default:
      return INFINITY;
  }
}

bool holds(DType dtype, double value) {
  if (dtype == DType::bool_) return true;
  if (!is_integer(dtype)) return !std::isfinite(value) || std::abs(value) <= largest_real(dtype);
  const int bits = static_cast<int>(8 * item_size(dtype)) - (is_signed(dtype) ? 1 : 0);
  const double limit = std::ldexp(1.0, bits);
  return std::isfinite(value) && value < limit && value >= (is_signed(dtype) ? -limit : 0);
}

bool holds(DType dtype, std::complex<double> value) {
  if (dtype == DType::bool_) return true;
  return holds(dtype, value.real()) &&
         (is_complex(dtype) ? holds(dtype, value.imag()) : value.imag() == 0);
}

// Whether any number of one dtype is held by another.
bool holds_all(DType dtype, DType source) {
  if (dtype == DType::bool_ || source == DType::bool_ || dtype == source) return true;
  // Types tell about complex numbers; nothing tells of u64, which i64 does not hold.
  if (is_complex(source) || source == DType::u64) return true;
  if (!is_integer(dtype)) {
    const double largest = is_integer(source)
                               ? std::ldexp(1.0, static_cast<int>(8 * item_size(source)))
                               : largest_real(source);
    return largest <= largest_real(dtype);
  }
  if (!is_integer(source)) return false;
  if (is_signed(dtype) == is_signed(source)) return item_size(source) <= item_size(dtype);
  // The negatives of what unsigned integers hold wrap.
  return is_signed(dtype) ? item_size(source) < item_size(dtype)
                          : item_size(source) <= item_size(dtype);
}

bool holds_argument(const Call& call, std::string_view name, DType dtype) {
  if (!call.has(name) || dtype == DType::bool_) return true;
  if (call.is_complex(name)) return holds(dtype, call.complex(name));
  if (call.is_tensor(name)) return is_complex(dtype) || !is_complex(call.type(name).dtype);
  const Expr value = call.scalar(name);
  if (!value.is_constant() || value.domain() == ExprDomain::boolean) return true;
  if (value.domain() == ExprDomain::real) return holds(dtype, value.real_constant());
  const auto number = static_cast<double>(value.constant());
  const bool is_unsigned = is_integer(dtype) && !is_signed(dtype);
  return holds(dtype, is_unsigned ? std::abs(number) : number);
}

}  // namespace

void require_held(const Call& call, std::string_view name, DType dtype) {
  require(holds_argument(call, name, dtype),
          "a number must fit the dtype that it is converted to:", call.op().name(), name,
          litz::name(dtype));
}

void require_all_held(const Call& call, std::string_view names, DType dtype) {
  while (!names.empty()) {
    const size_t length = std::min(names.find(' '), names.size());
    const std::string_view name = names.substr(0, length);
    if (call.op().schema.find(name) >= 0) require_held(call, name, dtype);
    names.remove_prefix(std::min(length + 1, names.size()));
  }
}

void require_all_filled(const Call& call, std::string_view names, const TensorType& type) {
  const bool is_single =
      std::ranges::all_of(type.sizes, [](const Expr& size) { return size.is(1); });
  if (is_single && is_floating(type.dtype) && item_size(type.dtype) < 4) return;
  require_all_held(call, names, type.dtype);
}

loops::Scalar held(loops::KernelBuilder& b, loops::Scalar value, DType dtype, std::string_view op) {
  const DType source = value.dtype();
  if (holds_all(dtype, source)) return b.cast(value, dtype);
  const loops::Scalar number = b.cast(value, is_integer(source) ? DType::i64 : DType::f64);
  const auto within = [&](auto low, auto high) {
    return (number >= b.constant(number.dtype(), low)) &
           (number <= b.constant(number.dtype(), high));
  };
  loops::Scalar fits = number;
  if (!is_integer(dtype)) {
    const double largest = largest_real(dtype);
    fits = within(-largest, largest);
    if (!is_integer(source)) fits = fits | loops::is_nan(number) | loops::is_inf(number);
  } else {
    const int bits = static_cast<int>(8 * item_size(dtype)) - (is_signed(dtype) ? 1 : 0);
    const double limit = std::ldexp(1.0, bits);
    if (is_integer(source)) {
      const auto most = static_cast<int64_t>(limit) - 1;
      fits = within(is_signed(dtype) ? -most - 1 : -most, most);
    } else {
      fits = (number >= b.constant(DType::f64, is_signed(dtype) ? -limit : 0.0)) &
             (number < b.constant(DType::f64, limit));
    }
  }
  b.check_that(fits, std::string(op) + ": a number must fit the dtype that it is converted to");
  return b.cast(value, dtype);
}

}  // namespace litz::ops
