// Arithmetic of complex numbers on their parts, as instructions appended to a block.

#pragma once

#include <vector>

#include "loops/kernel.h"

namespace litz::schedule {

/// f16 of c32, f32 of c64, f64 of c128.
DType part_dtype(DType dtype);

/// A value in parts; real ones have no imaginary part.
struct Parts {
  loops::ValueId real = loops::kNoValue;
  loops::ValueId imaginary = loops::kNoValue;
};

/// Writes instructions to the end of `out`. Results are those of the interpreter.
class PartArithmetic {
 public:
  PartArithmetic(loops::Kernel& kernel, loops::Block& out) : kernel_(kernel), out_(out) {}

  loops::ValueId new_value(DType dtype);
  loops::ValueId op(loops::ScalarOp op, std::vector<loops::ValueId> operands, DType result);
  loops::ValueId cast(loops::ValueId value, DType to);
  loops::ValueId number(double value, DType dtype);
  Parts cast(Parts value, DType part);

  /// Bits of a number whose parts are f32, the real part in the low half of a u64; and back.
  loops::ValueId word(Parts value);
  Parts from_word(loops::ValueId word);

  /// In f64, rounded once.
  Parts product(Parts a, Parts b);
  /// In the dtype of the parts, as PyTorch divides (types/complex_functions.h).
  Parts quotient(Parts a, Parts b);
  Parts direction(Parts a);
  loops::ValueId magnitude(Parts a);
  loops::ValueId angle(Parts a);
  /// A function that has no formula here: of c128, the only complex values of a kernel in parts.
  Parts function(loops::ScalarOp op, const std::vector<Parts>& operands);
  /// A conversion to a complex or any other dtype.
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
