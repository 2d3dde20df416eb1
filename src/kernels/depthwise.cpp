// One window position at a time: each adds a shifted, scaled copy of the plane.

#include "kernels/depthwise.h"

namespace litz::kernels {
namespace {

template <typename T>
void add_run(T* to, const T* from, int64_t count, int64_t to_step, int64_t from_step, T weight) {
  if (to_step == 1 && from_step == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] += from[i] * weight;
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i * to_step] += from[i * from_step] * weight;
}

template <typename T>
void add_tap(const WindowGeometry& geometry, const Extent& tap, const T* plane, T weight, T* sums) {
  const Extent& output = geometry.output;
  const Extent& input = geometry.input;
  const Meeting outer = meet(geometry, 0, tap[0], 0, output[0]);
  const Meeting middle = meet(geometry, 1, tap[1], 0, output[1]);
  const Meeting inner = meet(geometry, 2, tap[2], 0, output[2]);
  const int64_t count = (inner.end - inner.begin + inner.step - 1) / inner.step;
  int64_t in0 = outer.input;
  for (int64_t i = outer.begin; i < outer.end; i += outer.step, in0 += outer.input_step) {
    int64_t in1 = middle.input;
    for (int64_t j = middle.begin; j < middle.end; j += middle.step, in1 += middle.input_step) {
      T* to = sums + (i * output[1] + j) * output[2] + inner.begin;
      const T* from = plane + (in0 * input[1] + in1) * input[2] + inner.input;
      add_run(to, from, count, inner.step, inner.input_step, weight);
    }
  }
}

template <typename T>
void add_typed(const WindowGeometry& geometry, const void* plane, const void* window, void* sums) {
  const T* weight = static_cast<const T*>(window);
  for (int64_t i = 0; i < geometry.window[0]; ++i) {
    for (int64_t j = 0; j < geometry.window[1]; ++j) {
      for (int64_t k = 0; k < geometry.window[2]; ++k) {
        add_tap<T>(geometry, {i, j, k}, static_cast<const T*>(plane), *weight++,
                   static_cast<T*>(sums));
      }
    }
  }
}

}  // namespace

void add_depthwise(Accumulator accumulator, const WindowGeometry& geometry, const void* plane,
                   const void* window, void* sums) {
  switch (accumulator) {
    case Accumulator::f32:
      return add_typed<float>(geometry, plane, window, sums);
    case Accumulator::f64:
      return add_typed<double>(geometry, plane, window, sums);
    case Accumulator::u64:
      return add_typed<uint64_t>(geometry, plane, window, sums);
  }
}

}  // namespace litz::kernels
