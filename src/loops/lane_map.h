// Makes LaneFunctions from captureless lambdas on single elements.

#pragma once

#include <cstddef>
#include <cstdint>

#include "loops/lane_function.h"

namespace litz::loops {

/// Elements of a lane array of T; bool results are stored as bytes.
template <typename R>
R* lanes_of(std::byte* lanes) {
  return reinterpret_cast<R*>(lanes);
}

template <typename T>
const T* lanes_of(const std::byte* lanes) {
  return reinterpret_cast<const T*>(lanes);
}

template <typename T, typename F>
LaneFunction unary_lanes(F) {
  return [](std::byte* out, const std::byte* const* operands, int64_t lanes) {
    using R = decltype(F{}(T{}));
    R* __restrict r = lanes_of<R>(out);
    const T* __restrict a = lanes_of<T>(operands[0]);
    for (int64_t i = 0; i < lanes; ++i) r[i] = F{}(a[i]);
  };
}

template <typename T, typename F>
LaneFunction binary_lanes(F) {
  return [](std::byte* out, const std::byte* const* operands, int64_t lanes) {
    using R = decltype(F{}(T{}, T{}));
    R* __restrict r = lanes_of<R>(out);
    const T* a = lanes_of<T>(operands[0]);
    const T* b = lanes_of<T>(operands[1]);
    for (int64_t i = 0; i < lanes; ++i) r[i] = F{}(a[i], b[i]);
  };
}

template <typename T, typename F>
LaneFunction ternary_lanes(F) {
  return [](std::byte* out, const std::byte* const* operands, int64_t lanes) {
    using R = decltype(F{}(T{}, T{}, T{}));
    R* __restrict r = lanes_of<R>(out);
    const T* a = lanes_of<T>(operands[0]);
    const T* b = lanes_of<T>(operands[1]);
    const T* c = lanes_of<T>(operands[2]);
    for (int64_t i = 0; i < lanes; ++i) r[i] = F{}(a[i], b[i], c[i]);
  };
}

}  // namespace litz::loops
