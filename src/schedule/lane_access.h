// How the lanes of a vector reach memory, and what that costs.
//
//   lanes along j:   load %x[i, j]     contiguous
//                    load %m[i]        same
//                    load %x[j, i]     transposed where i is a loop of the nest, too (loops/squares.h)
//                    store %y[j, i]    apart
//
// Prices serve the choice of lanes (vector_choice.cpp) as well as that of what becomes one kernel
// (access_price.h): what fusion takes for cheap is what scheduling makes cheap.

#pragma once

#include <optional>

#include "schedule/schedule.h"

namespace litz::schedule {

enum class LaneAccess : uint8_t { same, contiguous, transposed, apart };

/// What an access costs per element, relative to a contiguous one.
double price(LaneAccess access, const machine::AccessPrices& prices);

/// How lanes along `lane` reach it; computed indices are taken not to vary.
LaneAccess lane_access(const loops::Instr& access, SymbolId lane);

/// Whether lanes along `lane` may read it in squares along `row`.
bool is_transposable(const loops::Kernel& kernel, const loops::Instr& load, SymbolId lane,
                     SymbolId row);

/// The variable along which a top-level loop with the lanes along variable `lane` reads squares.
std::optional<size_t> square_rows(const loops::Kernel& kernel, const loops::Instr& loop,
                                  size_t lane);

}  // namespace litz::schedule
