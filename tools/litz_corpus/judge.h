// Decides whether a result matches PyTorch's recorded one.
//
//   bool, integers      equal
//   float32             within 1e-4 of the output's largest magnitude
//   float64, complex128 within 1e-9 of it
//   float16             within 2^-9 of it
//   bfloat16, float8    operator cases: within 2^-6 (bfloat16) or one unit in the last
//                       place (float8) of it; models: not much further
//                       from the float32 reference than PyTorch's own result
//
// If the result in double precision is also recorded, a result is also right if no element is
// further from it than twice PyTorch's own worst element, or than its rounding to the dtype.

#pragma once

#include <string>

#include "litz_corpus/recorded_case.h"
#include "types/tensor.h"

namespace litz::corpus {

struct Judgement {
  bool right = false;
  double error = 0;    ///< Worst absolute error over the output's largest magnitude.
  std::string reason;  ///< Empty when right.
};

/// How a result is compared.
struct Yardstick {
  bool random = false;  ///< By dtype and sizes only.
  std::optional<Tolerance> stated =
      {};  ///< The recording's own, per element; else the table above.
};

Judgement judge(const Tensor& actual, const RecordedOutput& recorded, const Yardstick& yardstick);

/// The tensor with its bits read as `dtype`, where a file had to store them as integers.
Tensor with_dtype(const Tensor& stored, DType dtype);

}  // namespace litz::corpus
