// Accesses of vector loops that go through squares of elements, which are transposed in registers.
//
//   lanes along j:   load %x at [64*j + i]     dense along i, a loop of the nest
//
// A loop along i that carries values is a scan of one row in each lane: its loads and stores along i
// go through squares, too.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Whether a flat access is dense along `row` and steps further along `lane`.
bool is_square(const Kernel& kernel, const Instr& access, SymbolId lane, SymbolId row);

/// Whether lanes may make the access in squares along the variable of `scan`, the loop that it is
/// in, which carries values.
bool is_square_of_scan(const Kernel& kernel, const Instr& access, SymbolId lane, const Instr& scan);

}  // namespace litz::loops
