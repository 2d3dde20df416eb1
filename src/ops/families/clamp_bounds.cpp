#include "ops/families/clamp_bounds.h"

#include <cmath>

#include "ops/held_numbers.h"
#include "support/check.h"

namespace litz::ops {
namespace {

struct Held {
  double low;
  double high;
};

Held held(DType dtype) {
  const auto bits = static_cast<int>(8 * item_size(dtype));
  if (!is_signed(dtype)) return {0, std::ldexp(1.0, bits) - 1};
  return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
}

bool is_told(const Call& call, std::string_view name, DType dtype) {
  if (!call.has(name) || call.is_tensor(name) || !is_integer(dtype)) return false;
  return dtype != DType::u64 && call.scalar(name).is_constant();
}

// f64 cannot distinguish the last 64-bit numbers.
bool is_above(double number, DType dtype) {
  return item_size(dtype) < 8 && number > held(dtype).high;
}

}  // namespace

void require_bound(const Call& call, std::string_view name, DType dtype, bool is_smallest) {
  if (is_floating(dtype) && call.has(name)) require_held(call, name, dtype);
  if (!is_told(call, name, dtype)) return;
  const double number = call.real(name);
  require(is_smallest ? !is_above(number, dtype) : number >= held(dtype).low,
          "a bound must be among the numbers of the dtype:", name, number, litz::name(dtype));
}

loops::Scalar clamp_bound(const PointwiseCall& call, std::string_view name) {
  const DType dtype = call.compute();
  if (!is_told(call, name, dtype)) return call[name];
  const double number = call.real(name);
  if (number < held(dtype).low) return call.constant(held(dtype).low);
  if (is_above(number, dtype)) return call.constant(held(dtype).high);
  return call[name];
}

}  // namespace litz::ops
