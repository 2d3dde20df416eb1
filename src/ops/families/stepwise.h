// Arithmetic that rounds every step to the image's dtype, as in PyTorch's kernels of coordinates:
// for halves, this decides which neighbours are read.

#pragma once

#include "loops/builder.h"
#include "types/dtype.h"

namespace litz::ops {

class Stepwise {
 public:
  Stepwise(loops::KernelBuilder& b, DType dtype)
      : b_(b), dtype_(dtype), compute_(compute_dtype(dtype)) {}

  loops::KernelBuilder& builder() const { return b_; }

  loops::Scalar round(loops::Scalar x) const { return b_.cast(b_.cast(x, dtype_), compute_); }

  loops::Scalar constant(double value) const { return round(b_.constant(compute_, value)); }

  loops::Scalar real(Expr value) const { return round(b_.index(value, compute_)); }

  loops::Scalar add(loops::Scalar a, loops::Scalar b) const { return round(a + b); }

  loops::Scalar sub(loops::Scalar a, loops::Scalar b) const { return round(a - b); }

  loops::Scalar mul(loops::Scalar a, loops::Scalar b) const { return round(a * b); }

  loops::Scalar div(loops::Scalar a, loops::Scalar b) const { return round(a / b); }

 private:
  loops::KernelBuilder& b_;
  DType dtype_;
  DType compute_;
};

}  // namespace litz::ops
