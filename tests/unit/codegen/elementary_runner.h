// Compiles one elementary function into a loop over arrays, loads and runs it.

#pragma once

#include <cstdint>
#include <optional>

#include "codegen/llvm/cpu_target.h"
#include "loops/scalar_op.h"
#include "runtime/cpu/object_code.h"

namespace litz::codegen {

/// The function `op` on T (float or double), `lanes` elements a step.
template <typename T>
class ElementaryRunner {
 public:
  ElementaryRunner(loops::ScalarOp op, int lanes, const CpuTarget& target = CpuTarget::host());
  /// With a second operand that is the constant `y` in the code; what `run` is given is not read.
  ElementaryRunner(loops::ScalarOp op, T y, int lanes);

  /// out[i] = op(x[i], y[i]); `count` must be a multiple of the lanes. `y` only where op takes two.
  void run(const T* x, const T* y, T* out, int64_t count) const { function_(x, y, out, count); }

  T operator()(T x, T y = T{0}) const;

 private:
  using Function = void (*)(const T*, const T*, T*, int64_t);

  ElementaryRunner(loops::ScalarOp op, std::optional<T> y, int lanes, const CpuTarget& target);

  int lanes_;
  runtime::LoadedCode code_;
  Function function_ = nullptr;
};

}  // namespace litz::codegen
