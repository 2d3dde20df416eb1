// Arithmetic on the parts of complex numbers, as instructions appended to a block.

#pragma once

#include <vector>

#include "loops/kernel.h"

namespace litz::schedule {

/// f16 for c32, f32 for c64, f64 for c128.
DType part_dtype(DType dtype);

/// A value in parts; real ones have no imaginary part.
struct Parts {
  loops::ValueId real = loops::kNoValue;
  loops::ValueId imaginary = loops::kNoValue;
};

/// Appends instructions to `out`. Results equal those of the interpreter.
class PartArithmetic {
 public:
  PartArithmetic(loops::Kernel& kernel, loops::Block& out) : kernel_(kernel), out_(out) {}

  loops::ValueId new_value(DType dtype);
  loops::ValueId op(loops::ScalarOp op, std::vector<loops::ValueId> operands, DType result);
  loops::ValueId cast(loops::ValueId value, DType to);
  loops::ValueId number(double value, DType dtype);
  Parts cast(Parts value, DType part);

  /// Packs a number with f32 parts into a u64, the real part in the low half; and unpacks it.
  loops::ValueId word(Parts value);
  Parts from_word(loops::ValueId word);

  /// Computes in f64 and rounds once.
  Parts product(Parts a, Parts b);
  /// Computes in the dtype of the parts, with PyTorch's method (types/complex_functions.h).
  Parts quotient(Parts a, Parts b);
  Parts direction(Parts a);
  loops::ValueId magnitude(Parts a);
  loops::ValueId angle(Parts a);
  /// Calls a function without a formula here, on c128: the only complex values of a kernel in
  /// parts.
  Parts function(loops::ScalarOp op, const std::vector<Parts>& operands);
  /// Converts to a complex or any other dtype.
  Parts converted(Parts a, DType to);

 private:
  loops::ValueId constant(loops::Literal literal, DType dtype);
  loops::ValueId in_double(loops::ScalarOp op, loops::ValueId x, loops::ValueId y);
  loops::ValueId chosen(loops::ValueId condition, loops::ValueId a, loops::ValueId b);
  DType dtype(loops::ValueId value) const;

  loops::Kernel& kernel_;
  loops::Block& out_;
};

}  // namespace litz::schedule
