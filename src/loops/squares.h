// Accesses of vector loops that load squares of elements and transpose them in registers.
//
//   lanes along j:   load %x at [64*j + i]     dense along i, a loop of the nest
//
// A loop along i that carries values is a scan of one row per lane: its loads and stores along i
// also go through squares.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// True if a flat access is dense along `row` and steps further along `lane`.
bool is_square(const Kernel& kernel, const Instr& access, SymbolId lane, SymbolId row);

/// True if lanes may make the access in squares along the variable of `scan`, the loop around it
/// that carries values.
bool is_square_of_scan(const Kernel& kernel, const Instr& access, SymbolId lane, const Instr& scan);

}  // namespace litz::loops
