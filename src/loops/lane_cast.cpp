// Casts of lanes. Every source widens to one of six types that represents it exactly, and each of
// those converts to every target (scalar_cast.h). Other casts take two functions.

#include <complex>
#include <type_traits>

#include "loops/lane_map.h"
#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::loops {
namespace {

template <typename From>
LaneFunction widen() {
  if constexpr (std::is_same_v<From, Wide<From>>) {
    return nullptr;
  } else {
    return unary_lanes<From>([](From value) { return load(value); });
  }
}

template <typename W>
LaneFunction narrow(DType to) {
  return visit_dtype(to, []<typename To>() -> LaneFunction {
    return unary_lanes<W>([](W value) { return store<To>(value); });
  });
}

}  // namespace

DType wide_dtype(DType dtype) {
  return visit_dtype(dtype, []<typename T>() { return dtype_of<Wide<T>>(); });
}

LaneFunction cast_lane_function(DType from, DType to) {
  if (to == wide_dtype(from) && from != to) {
    return visit_dtype(from, []<typename From>() -> LaneFunction { return widen<From>(); });
  }
  switch (from) {
    case DType::i64:
      return narrow<int64_t>(to);
    case DType::u64:
      return narrow<uint64_t>(to);
    case DType::f32:
      return narrow<float>(to);
    case DType::f64:
      return narrow<double>(to);
    case DType::c64:
      return narrow<std::complex<float>>(to);
    case DType::c128:
      return narrow<std::complex<double>>(to);
    default:
      check(false, "a cast must start or end at the wide type of its source:", name(from),
            name(to));
      return nullptr;
  }
}

}  // namespace litz::loops
