#include "loops/lane_function.h"

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>

#include "loops/lane_map.h"
#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::loops {
namespace {

struct Word16 {
  std::array<uint64_t, 2> words;
};

template <typename T>
LaneFunction choose() {
  return [](std::byte* out, const std::byte* const* operands, int64_t lanes) {
    T* __restrict r = lanes_of<T>(out);
    const uint8_t* condition = lanes_of<uint8_t>(operands[0]);
    const T* a = lanes_of<T>(operands[1]);
    const T* b = lanes_of<T>(operands[2]);
    for (int64_t i = 0; i < lanes; ++i) r[i] = condition[i] != 0 ? a[i] : b[i];
  };
}

LaneFunction select_function(DType dtype) {
  switch (item_size(dtype)) {
    case 1:
      return choose<uint8_t>();
    case 2:
      return choose<uint16_t>();
    case 4:
      return choose<uint32_t>();
    case 8:
      return choose<uint64_t>();
    default:
      return choose<Word16>();
  }
}

// Formats without arithmetic compare as the floats that they represent.
template <typename T>
LaneFunction narrow_comparison(ScalarOp op) {
  if (op == ScalarOp::eq)
    return binary_lanes<T>([](T a, T b) -> uint8_t { return load(a) == load(b); });
  if (op == ScalarOp::ne)
    return binary_lanes<T>([](T a, T b) -> uint8_t { return load(a) != load(b); });
  if constexpr (std::is_same_v<T, ComplexHalf>) {
    if (op == ScalarOp::is_nan) {
      return unary_lanes<T>(
          [](T a) -> uint8_t { return std::isnan(load(a).real()) || std::isnan(load(a).imag()); });
    }
    if (op == ScalarOp::is_inf) {
      return unary_lanes<T>(
          [](T a) -> uint8_t { return std::isinf(load(a).real()) || std::isinf(load(a).imag()); });
    }
  } else {
    if (op == ScalarOp::lt)
      return binary_lanes<T>([](T a, T b) -> uint8_t { return load(a) < load(b); });
    if (op == ScalarOp::le)
      return binary_lanes<T>([](T a, T b) -> uint8_t { return load(a) <= load(b); });
    if (op == ScalarOp::is_nan)
      return unary_lanes<T>([](T a) -> uint8_t { return std::isnan(load(a)); });
    if (op == ScalarOp::is_inf)
      return unary_lanes<T>([](T a) -> uint8_t { return std::isinf(load(a)); });
    if (op == ScalarOp::signbit)
      return unary_lanes<T>([](T a) -> uint8_t { return std::bit_cast<uint32_t>(load(a)) >> 31; });
  }
  return nullptr;
}

LaneFunction narrow_function(ScalarOp op, DType dtype) {
  return visit_dtype(dtype, [&]<typename T>() -> LaneFunction {
    if constexpr (requires(T value) { to_float(value); } && !std::is_arithmetic_v<T>) {
      return narrow_comparison<T>(op);
    } else if constexpr (std::is_same_v<T, ComplexHalf>) {
      return narrow_comparison<T>(op);
    } else {
      return nullptr;
    }
  });
}

LaneFunction bitcast_function(DType dtype, DType target) {
  if (target == DType::bool_) {
    return unary_lanes<uint8_t>([](uint8_t a) -> uint8_t { return a != 0 ? 1 : 0; });
  }
  switch (item_size(dtype)) {
    case 1:
      return unary_lanes<uint8_t>([](uint8_t a) { return a; });
    case 2:
      return unary_lanes<uint16_t>([](uint16_t a) { return a; });
    case 4:
      return unary_lanes<uint32_t>([](uint32_t a) { return a; });
    case 8:
      return unary_lanes<uint64_t>([](uint64_t a) { return a; });
    default:
      return unary_lanes<Word16>([](Word16 a) { return a; });
  }
}

LaneFunction find_function(ScalarOp op, DType operand, DType result) {
  if (op == ScalarOp::cast) return cast_lane_function(operand, result);
  if (op == ScalarOp::bitcast) return bitcast_function(operand, result);
  if (op == ScalarOp::select) return select_function(operand);
  if (op == ScalarOp::philox) return philox_lane_function(result);
  switch (operand) {
    case DType::f32:
    case DType::f64: {
      const LaneFunction function = real_lane_function(op, operand);
      return function != nullptr ? function : elementary_lane_function(op, operand);
    }
    case DType::c64:
    case DType::c128:
      return complex_lane_function(op, operand);
    default:
      break;
  }
  if (operand == DType::bool_ || is_integer(operand)) return integer_lane_function(op, operand);
  return narrow_function(op, operand);
}

}  // namespace

LaneFunction lane_function(ScalarOp op, DType operand, DType result) {
  const LaneFunction function = find_function(op, operand, result);
  check(function != nullptr, "a scalar operation must exist for its operands:", name(op),
        name(operand));
  return function;
}

}  // namespace litz::loops
