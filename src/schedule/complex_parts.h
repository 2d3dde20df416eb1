// Rewrites kernels on complex numbers to kernels on their real and imaginary parts.
//
//   %0 = load %x[i]            c128           %0 = load %x[i, 0]  %1 = load %x[i, 1]     f64
//   %1 = mul %0, %0                      =>   %2 = %0 * %0 - %1 * %1  ...
//   store %y[i], %1                           store %y[i, 0], %2  store %y[i, 1], %3
//
// A buffer of c128 becomes one of pairs, a buffer of c64 one of words that hold both parts;
// bindings do not change. Products, magnitudes and functions of c64 are computed in f64, as in the
// interpreter.

#pragma once

#include <optional>

#include "loops/kernel.h"

namespace litz::schedule {

bool has_complex(const loops::Kernel& kernel);

/// Returns nullopt for kernels that have no form in parts: products that accumulate in memory, and
/// c32 or c128 whose bits are read as another dtype. Elementary functions remain functions of c128,
/// between make_complex and real and imag.
std::optional<loops::Kernel> in_parts(const loops::Kernel& kernel);

}  // namespace litz::schedule
