// How the lanes of a vector access memory, and the cost.
//
//   lanes along j:   load %x[i, j]     contiguous
//                    load %m[i]        same
//                    load %x[j, i]     transposed if i is also a loop of the nest (loops/squares.h)
//                    store %y[j, i]    apart
//
// The choice of lanes (vector_choice.cpp) and fusion (access_price.h) use the same prices, so
// scheduling can make cheap what fusion assumes to be cheap.

#pragma once

#include <optional>

#include "schedule/schedule.h"

namespace litz::schedule {

enum class LaneAccess : uint8_t { same, contiguous, transposed, apart };

/// The cost of an access per element, relative to a contiguous one.
double price(LaneAccess access, const machine::AccessPrices& prices);

/// The access pattern of lanes along `lane`; computed indices are assumed not to vary.
LaneAccess lane_access(const loops::Instr& access, SymbolId lane);

/// True if lanes along `lane` may load it in transposed squares along `row`.
bool is_transposable(const loops::Kernel& kernel, const loops::Instr& load, SymbolId lane,
                     SymbolId row);

/// The variable along which a top-level loop with lanes along `lane` loads squares.
std::optional<size_t> square_rows(const loops::Kernel& kernel, const loops::Instr& loop,
                                  size_t lane);

}  // namespace litz::schedule
