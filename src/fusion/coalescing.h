// Whether loops read and write memory in pieces that vectors take at once.
//
//   for i { %s = reduce sum j { load %x[i, j] } .. }     lanes along j: neighbours
//   for i { %s = reduce sum j { load %x[j, i] } .. }     lanes along i: neighbours
//   for i { reduce sum j { load %x[j, i] }  for k { store %y[i, k] } }     one of them cannot be
//
// A fused nest has one choice of lanes for all that it holds, where each part had its own.

#pragma once

#include "loops/kernel.h"

namespace litz::fusion {

/// Bytes of accesses whose lanes are apart, with the best choice of lanes for each top-level nest:
/// along its own last variable, along the innermost variables, or, where there are no nested loops,
/// in squares that are transposed. By estimate; small buffers, which stay in the first cache, and
/// computed indices do not count.
double strided_bytes(const loops::Kernel& kernel);

/// True when a kernel made of parts that took `apart` strided bytes together should not exist.
bool spoils_coalescing(const loops::Kernel& fused, double apart);

}  // namespace litz::fusion
