// What the elementary functions are measured against: the C library one precision up (long double
// for f64), on samples of the whole domain.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loops/scalar_op.h"

namespace litz::codegen {

struct ElementaryFunction {
  loops::ScalarOp op;
  long double (*reference)(long double x, long double y);
  double f32_bound;  ///< In units in the last place, as elementary.h promises.
  double f64_bound;
};

/// All but lgamma and digamma, whose zeros make relative errors meaningless.
std::span<const ElementaryFunction> elementary_functions();

/// Equal with the same sign of zero, or both NaN.
template <typename T>
bool same_or_nan(T a, T b);

/// Distance from the exact result in units of its last place; infinite where a NaN, a zero's sign
/// or an infinity is wrong.
template <typename T>
double error_in_units(T got, long double exact);

/// Every stride-th bit pattern of f32, a multiple of 16 of them.
std::vector<float> sweep(uint64_t stride);
/// Random mantissas; half of the exponents anywhere, half where functions bend.
std::vector<double> random_doubles(size_t count);
/// Second operands: near the first, small whole numbers and halves, and unrelated ones in turn.
template <typename T>
std::vector<T> partners(const std::vector<T>& x);

}  // namespace litz::codegen
