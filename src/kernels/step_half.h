// f16 arithmetic: every operation runs in f32 and is rounded at once, as in PyTorch's scalar
// kernels. In halves this decides between which pixels a coordinate falls.

#pragma once

#include <cmath>

#include "types/dtype.h"
#include "types/float_formats.h"
#include "types/tensor.h"

namespace litz::kernels {

/// As large as a float, so that arrays of it can be views of f32 tensors whose values f16
/// represents.
struct StepHalf {
  float value = 0;

  StepHalf() = default;

  explicit StepHalf(double v) : value(to_float(to_float16(static_cast<float>(v)))) {}

  explicit operator double() const { return value; }

  friend StepHalf operator+(StepHalf a, StepHalf b) { return StepHalf(a.value + b.value); }

  friend StepHalf operator-(StepHalf a, StepHalf b) { return StepHalf(a.value - b.value); }

  friend StepHalf operator*(StepHalf a, StepHalf b) { return StepHalf(a.value * b.value); }

  friend StepHalf operator/(StepHalf a, StepHalf b) { return StepHalf(a.value / b.value); }

  friend bool operator<(StepHalf a, StepHalf b) { return a.value < b.value; }

  friend bool operator>(StepHalf a, StepHalf b) { return a.value > b.value; }
};

static_assert(sizeof(StepHalf) == sizeof(float));

/// The elements of a floating tensor, row-major, in the type that its kernels compute in.
template <typename T>
struct StepElements {
  Tensor wide;
  const T* data;

  explicit StepElements(const Tensor& tensor)
      : wide(tensor.to(sizeof(T) == sizeof(double) ? DType::f64 : DType::f32).contiguous()),
        data(reinterpret_cast<const T*>(wide.data())) {}
};

/// Calls body(T()) with the type that kernels of this floating dtype compute in.
template <typename Body>
void with_step_type(DType dtype, const Body& body) {
  if (dtype == DType::f64) return body(double());
  if (dtype == DType::f16) return body(StepHalf());
  body(float());
}

}  // namespace litz::kernels
