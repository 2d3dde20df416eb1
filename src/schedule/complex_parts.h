// Kernels on complex numbers as kernels on their real and imaginary parts.
//
//   %0 = load %x[i]            c128           %0 = load %x[i, 0]  %1 = load %x[i, 1]     f64
//   %1 = mul %0, %0                      =>   %2 = %0 * %0 - %1 * %1  ...
//   store %y[i], %1                           store %y[i, 0], %2  store %y[i, 1], %3
//
// A buffer of c128 is one of pairs, one of c64 is one of words that are taken apart; nothing changes
// for those who bind it. Products, magnitudes and functions of c64 are computed in f64, as the
// interpreter does.

#pragma once

#include <optional>

#include "loops/kernel.h"

namespace litz::schedule {

bool has_complex(const loops::Kernel& kernel);

/// Nothing where something has no form in parts: products that accumulate in memory, and c32 or c128
/// whose bits are taken for another dtype. Elementary functions stay functions of c128, between
/// make_complex and real and imag.
std::optional<loops::Kernel> in_parts(const loops::Kernel& kernel);

}  // namespace litz::schedule
