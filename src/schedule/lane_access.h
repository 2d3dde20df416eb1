// How the lanes of a vector reach memory, and what that costs.
//
//   lanes along j:   load %x[i, j]     contiguous
//                    load %m[i]        same
//                    load %x[j, i]     transposed where i is a loop of the nest, too: squares are read
//                                      along i and turned around in registers
//                    store %y[j, i]    apart
//
// A loop along i that carries values is a scan of many rows at once where the lanes are along j: what
// it loads and stores along i goes through squares, too.
//
// Prices serve the choice of lanes (vector_choice.cpp) as well as that of what becomes one kernel
// (access_price.h): what fusion takes for cheap is what scheduling makes cheap.

#pragma once

#include <optional>

#include "schedule/schedule.h"

namespace litz::schedule {

enum class LaneAccess : uint8_t { same, contiguous, transposed, apart };

/// What an access costs per element, relative to a contiguous one.
double price(LaneAccess access);

/// How lanes along `lane` reach it; computed indices are taken not to vary.
LaneAccess lane_access(const Access& access, SymbolId lane);

/// Whether lanes along `lane` may read it in squares along `row`.
bool is_transposable(const Schedule& schedule, const loops::Instr& load, SymbolId lane,
                     SymbolId row);

/// Whether lanes along `lane` may read or write it in squares along the variable of `scan`, a loop
/// inside that carries values.
bool is_square_of_scan(const Schedule& schedule, const loops::Instr& access, SymbolId lane,
                       const loops::Instr& scan);

/// The variable along which a top-level loop with the lanes along variable `lane` reads squares.
std::optional<size_t> square_rows(const Schedule& schedule, const loops::Instr& loop, size_t lane);

}  // namespace litz::schedule
